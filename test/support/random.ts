/**
 * Random numbers that a seed repeats. The seed is printed, so that a failure can be had again.
 */

/** Numbers from 0 to 1, without 1. */
export type Random = () => number;

/** The seed of this run: `PI_BASH_SOAK_SEED`, or one that changes every time. */
export function soakSeed(): number {
  const given = Number(process.env["PI_BASH_SOAK_SEED"]);
  const seed = Number.isSafeInteger(given) && given > 0 ? given : Date.now() % 2 ** 31;
  process.stdout.write(`PI_BASH_SOAK_SEED=${seed}\n`);
  return seed;
}

/** The generator mulberry32 (public domain, Tommy Ettinger): 32 bits of state are plenty for a test. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of `items`. */
export function pick<T>(items: readonly T[], random: Random): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
