/**
 * The names that a person who wrote another one may have meant.
 */

/** Most names that are offered. */
const MAX_NAMES = 3;
/** Longest name that is compared, in UTF-16 units; no name of ours is as long. */
const MAX_UNITS = 64;

/**
 * The nearest of `known` names, the nearest first; none where all are far away. Near is a few letters wrong, left out or
 * exchanged, another case, or the last part of a dotted name.
 */
export function nearestNames(name: string, known: readonly string[]): string[] {
  const wanted = name.slice(0, MAX_UNITS).toLowerCase();
  const most = Math.max(2, Math.floor(wanted.length / 3));
  return known
    .map((each) => ({ each, distance: distanceOf(wanted, each.toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .sort((one, other) => one.distance - other.distance)
    .slice(0, MAX_NAMES)
    .map(({ each }) => each);
}

function distanceOf(wanted: string, known: string): number {
  const last = known.slice(known.lastIndexOf(".") + 1);
  const whole = editDistance(wanted, known);
  return last === known ? whole : Math.min(whole, editDistance(wanted, last) + 1);
}

/** Letters to write, leave out, change or exchange with their neighbour (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const isSame = one[at - 1] === other[to - 1];
      const changed = (row[to - 1] ?? 0) + (isSame ? 0 : 1);
      let least = Math.min((row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1, changed);
      const isSwapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      if (isSwapped) least = Math.min(least, (before[to - 2] ?? 0) + 1);
      next.push(least);
    }
    before = row;
    row = next;
  }
  return row[other.length] ?? 0;
}
