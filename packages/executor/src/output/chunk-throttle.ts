/**
 * Passes output on in few calls: the first piece at once, then one call an interval with what came in between.
 *
 * Byte-at-a-time writers would cost a listener thousands of calls a second (VO-04). Nothing is dropped: text waits at
 * most one interval, and a waiting text that grows past a bound goes out at once, so memory stays bounded.
 */
import { UPDATE_INTERVAL_MS } from "@pi-bash/contract";
import { guardListener } from "../host-listener.ts";

/** Text that waits is passed on early beyond this many UTF-16 units. */
const MAX_WAITING_CHARS = 256 * 1024;

/** What a listener that throws says to the one who runs the command: once, then it is called no more. */
export type ListenerFailure = (error: unknown) => void;

export class ChunkThrottle {
  readonly #listener: (chunk: string) => void;
  readonly #intervalMs: number;
  #waiting: string[] = [];
  #waitingChars = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastCall = Number.NEGATIVE_INFINITY;
  #isOver = false;

  constructor(
    listener: (chunk: string) => unknown,
    onFailure: ListenerFailure,
    intervalMs: number = UPDATE_INTERVAL_MS,
  ) {
    this.#listener = guardListener(listener, (error) => {
      this.#isOver = true;
      onFailure(error);
    });
    this.#intervalMs = intervalMs;
  }

  /** Takes a piece of output. */
  push(chunk: string): void {
    if (this.#isOver || chunk === "") return;
    this.#waiting.push(chunk);
    this.#waitingChars += chunk.length;
    const elapsed = performance.now() - this.#lastCall;
    if (elapsed >= this.#intervalMs || this.#waitingChars > MAX_WAITING_CHARS) this.#emit();
    else this.#timer ??= setTimeout(() => this.#emit(), this.#intervalMs - elapsed);
  }

  /** Passes on what waits, and nothing afterwards. Called when the run has settled. */
  end(): void {
    this.#emit();
    this.#isOver = true;
  }

  #emit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isOver || this.#waiting.length === 0) return;
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#lastCall = performance.now();
    this.#listener(text);
  }
}
