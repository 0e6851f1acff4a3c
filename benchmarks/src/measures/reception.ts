/**
 * Takes what a contender delivers and tells whether it is what the command wrote: its length and its end in every round,
 * every character where a round is not timed. Counting costs next to nothing, so that the contender is measured.
 */
import { createHash } from "node:crypto";
import type { Ended } from "../contender.ts";
import { type Expected, type Fault, TAIL_UNITS } from "../measured.ts";

/** One command's output. */
export class Reception {
  readonly #hash;
  #units = 0;
  /** The end so far. Nothing more is kept: what lives on is copied by the garbage collector, at the contender's expense. */
  #tail = "";

  /** @param isComplete every character is looked at; not for what is timed */
  constructor(isComplete = false) {
    this.#hash = isComplete ? createHash("sha256") : undefined;
  }

  /** Units received so far. */
  get units(): number {
    return this.#units;
  }

  /** Takes a piece. */
  take(text: string): void {
    this.#units += text.length;
    this.#hash?.update(text, "utf8");
    this.#tail = (text.length < TAIL_UNITS ? this.#tail + text : text).slice(-TAIL_UNITS);
  }

  /** What differs from what was expected. */
  faults(expected: Expected, { exitCode, totalBytes }: Ended): Fault[] {
    const faults: Fault[] = [];
    if (exitCode !== expected.exitCode) faults.push({ kind: "status", amount: exitCode ?? -1 });
    const missing = totalBytes === undefined ? expected.units - this.#units : expected.bytes - totalBytes;
    if (missing > 0) faults.push({ kind: "lost", amount: missing });
    if (missing < 0) faults.push({ kind: "added", amount: -missing });
    if (missing === 0 && totalBytes === undefined && !this.#isEqual(expected)) {
      faults.push({ kind: "altered", amount: 1 });
    }
    return faults;
  }

  #isEqual({ tail, sha256 }: Expected): boolean {
    if (this.#hash !== undefined) return this.#hash.digest("hex") === sha256;
    return this.#tail.endsWith(tail);
  }
}
