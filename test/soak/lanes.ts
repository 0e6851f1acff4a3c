/**
 * Much work in a few lanes side by side, each of which does one thing after another.
 */

/** Calls `work` with 0 to `count` - 1, `lanes` at a time; stops at the first failure. */
export async function inLanes(count: number, lanes: number, work: (index: number, lane: number) => Promise<void>) {
  let next = 0;
  const lane = async (_value: unknown, number: number) => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index, number);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
  } finally {
    next = count;
  }
}
