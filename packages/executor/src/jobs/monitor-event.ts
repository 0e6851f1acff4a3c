/**
 * What a watch has found and its owner has not been reported: bounded, and nothing of it lost without a word.
 */
import { headUnits } from "@pi-bash/contract/internal/text";
import type { MatchedLine } from "./monitor-reader.ts";

/** Longest line of an event, in UTF-16 units. */
const MAX_LINE_CHARS = 500;
/** Lines of the beginning and of the end of an event, in bytes: 3,000 with what stands around them. */
const HEAD_BYTES = 1_900;
const TAIL_BYTES = 800;

/** Matches that are only counted. */
export interface UnshownMatches {
  count: number;
  /** Numbers of the first and the last of these lines. */
  first: number;
  last: number;
}

/** Matching lines on their way to an owner. */
export class MonitorEvent {
  readonly #head: MatchedLine[] = [];
  readonly #tail: MatchedLine[] = [];
  #headBytes = 0;
  #tailBytes = 0;
  #unshown: UnshownMatches | undefined;

  /** The first lines, then the last ones. */
  get lines(): readonly MatchedLine[] {
    return [...this.#head, ...this.#tail];
  }

  /** Matches that are not among `lines`. */
  get unshown(): UnshownMatches | undefined {
    return this.#unshown;
  }

  /** All matches, shown or not; undefined: there are none. */
  get all(): UnshownMatches | undefined {
    const shown = this.lines;
    const numbers = [
      ...shown.map(({ number }) => number),
      ...(this.#unshown === undefined ? [] : [this.#unshown.first, this.#unshown.last]),
    ];
    if (numbers.length === 0) return undefined;
    const count = shown.length + (this.#unshown?.count ?? 0);
    return { count, first: Math.min(...numbers), last: Math.max(...numbers) };
  }

  /** Takes what another one has. */
  take(other: MonitorEvent): void {
    for (const line of other.#head) this.add(line);
    if (other.#unshown !== undefined) this.skip(other.#unshown);
    for (const line of other.#tail) this.add(line);
  }

  /** Takes a line; of too many the first and the last are shown. */
  add({ number, text }: MatchedLine): void {
    const line = { number, text: text.length > MAX_LINE_CHARS ? `${headUnits(text, MAX_LINE_CHARS - 1)}…` : text };
    const bytes = sizeOf(line);
    if (this.#tail.length === 0 && this.#headBytes + bytes <= HEAD_BYTES) {
      this.#head.push(line);
      this.#headBytes += bytes;
      return;
    }
    this.#tail.push(line);
    this.#tailBytes += bytes;
    while (this.#tailBytes > TAIL_BYTES && this.#tail.length > 1) {
      const first = this.#tail.shift();
      if (first === undefined) return;
      this.#tailBytes -= sizeOf(first);
      this.skip({ count: 1, first: first.number, last: first.number });
    }
  }

  /** Counts matches that are not shown. */
  skip({ count, first, last }: UnshownMatches): void {
    const before = this.#unshown;
    this.#unshown =
      before === undefined
        ? { count, first, last }
        : { count: before.count + count, first: Math.min(before.first, first), last: Math.max(before.last, last) };
  }
}

function sizeOf({ number, text }: MatchedLine): number {
  return Buffer.byteLength(text) + String(number).length + 3;
}
