/**
 * Which mutants are drawn and how many of them may survive. Pure: the same seed draws the same mutants from the same
 * sources on every machine.
 */
import { createHash } from "node:crypto";

/** From this many judged mutants on, the floor holds as it is written, without an allowance for chance. */
const WHOLE_SAMPLE = 300;
/** A small sample fails only when chance alone would give so many survivors in less than this share of samples. */
const CHANCE = 0.01;

function rank(seed, key) {
  return createHash("sha256").update(`${seed}\0${key}`).digest("hex");
}

/**
 * Draws `count` of `items` (all of them where there are fewer), in the order of the draw.
 *
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => string} keyOf unique for each item
 */
export function draw(items, keyOf, { seed, count }) {
  const ranked = items.map((item) => ({ item, rank: rank(seed, keyOf(item)) }));
  ranked.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  return ranked.slice(0, count).map(({ item }) => item);
}

/**
 * How many of `judged` mutants may survive where the floor is `share`: the floor itself from 300 on, and for fewer the
 * 99th percentile of the binomial distribution.
 */
export function allowed(judged, share) {
  if (judged >= WHOLE_SAMPLE) return Math.floor(judged * share);
  let probability = (1 - share) ** judged;
  let total = probability;
  let survivors = 0;
  while (1 - total > CHANCE && survivors < judged) {
    probability *= ((judged - survivors) / (survivors + 1)) * (share / (1 - share));
    total += probability;
    survivors += 1;
  }
  return survivors;
}
