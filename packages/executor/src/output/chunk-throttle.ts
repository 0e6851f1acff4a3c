/**
 * Passes output on in few calls: the first piece at once, then one call an interval with what came in between.
 *
 * Byte-at-a-time writers would cost a listener thousands of calls a second (VO-04). Text waits at most one interval, and
 * a waiting text that grows past a bound goes out at once, so memory stays bounded.
 *
 * A listener that returns a promise is called again when that is settled, and `push` gives the promise on: whoever reads
 * the command waits for it, so a slow listener slows the command down and loses nothing. A run that was ended is not held
 * up, however: what it still writes is kept up to a bound, its newest part, and the listener is notified how much is missing.
 */

import { UPDATE_INTERVAL_MS } from "@pi-bash/contract/internal";
import { tailBytes } from "@pi-bash/contract/internal/text";
import { guardListener } from "../host-listener.ts";

/** Text that waits is passed on early from this many UTF-16 units on: a flood's pieces are as long, and are not copied. */
const MAX_WAITING_CHARS = 64 * 1024;
/** Text that waits for a listener's promise is cut to this many bytes of UTF-8 when it is four times as long. */
const KEPT_BYTES = 256 * 1024;

/** What a listener that throws says to the one who runs the command: once, then it is called no more. */
export type ListenerFailure = (error: unknown) => void;

/** Takes output. `leftOutBytes`: what is missing directly before `chunk`, in bytes of UTF-8; 0 nearly always. */
export type OutputListener = (chunk: string, leftOutBytes: number) => unknown;

export class ChunkThrottle {
  readonly #listener: (chunk: string, leftOutBytes: number) => Promise<void> | undefined;
  readonly #intervalMs: number;
  #waiting: string[] = [];
  #waitingChars = 0;
  #leftOutBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastCall = Number.NEGATIVE_INFINITY;
  /** Settles when the listener may be called again. */
  #busy: Promise<void> | undefined;
  #isOver = false;

  constructor(listener: OutputListener, onFailure: ListenerFailure, intervalMs: number = UPDATE_INTERVAL_MS) {
    this.#listener = guardListener(listener, (error) => {
      this.#isOver = true;
      onFailure(error);
    });
    this.#intervalMs = intervalMs;
  }

  /** Takes a piece of output. Where it returns a promise, the next piece should come when that is settled. */
  push(chunk: string): Promise<void> | undefined {
    if (this.#isOver || chunk === "") return undefined;
    this.#waiting.push(chunk);
    this.#waitingChars += chunk.length;
    if (this.#busy === undefined) this.#pass();
    else if (this.#waitingChars > 4 * KEPT_BYTES) this.#leaveOut();
    return this.#busy;
  }

  /** Passes on what waits, and nothing afterwards. Called when the run has settled. */
  end(): void {
    this.#emit();
    this.#isOver = true;
  }

  /** Passes on what waits: now, or when the interval is over. */
  #pass(): void {
    const elapsed = performance.now() - this.#lastCall;
    if (elapsed >= this.#intervalMs || this.#waitingChars >= MAX_WAITING_CHARS) this.#emit();
    else this.#timer ??= setTimeout(() => this.#emit(), this.#intervalMs - elapsed);
  }

  #emit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isOver || this.#waiting.length === 0) return;
    const [first = "", ...rest] = this.#waiting;
    const text = rest.length === 0 ? first : this.#waiting.join("");
    const leftOutBytes = this.#leftOutBytes;
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#leftOutBytes = 0;
    this.#lastCall = performance.now();
    const busy = this.#listener(text, leftOutBytes)?.then(() => {
      this.#busy = undefined;
      if (!this.#isOver && this.#waiting.length > 0) this.#pass();
    });
    this.#busy = busy;
  }

  #leaveOut(): void {
    const text = this.#waiting.join("");
    const kept = tailBytes(text, KEPT_BYTES);
    this.#leftOutBytes += Buffer.byteLength(text) - Buffer.byteLength(kept);
    this.#waiting = [kept];
    this.#waitingChars = kept.length;
  }
}
