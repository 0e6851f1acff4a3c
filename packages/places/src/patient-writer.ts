/**
 * Writes frames, and lets those that nothing waits for leave with the next one. Of two writes, a transport with Nagle's
 * algorithm holds the second back until the first was acknowledged, which takes 40 ms.
 */

/** How long a frame that nothing waits for waits for the next one, in milliseconds. */
const PATIENCE_MS = 10;

export class PatientWriter {
  readonly #write: (bytes: Buffer) => void;
  #patient: Buffer[] = [];
  /** When the oldest of them came. */
  #since = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
  }

  /** Writes a frame now, after those that wait. */
  write(frame: Buffer): void {
    if (this.#patient.length === 0) {
      this.#write(frame);
      return;
    }
    this.#patient.push(frame);
    this.#flush();
  }

  /** Writes a frame with the next one, or by itself a little later. */
  writePatiently(frame: Buffer): void {
    if (this.#patient.length === 0) this.#since = performance.now();
    this.#patient.push(frame);
    this.#look(PATIENCE_MS);
  }

  /** Looks again in so many milliseconds, unless that is going to be done: one timer serves all frames of its time. */
  #look(afterMs: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#patient.length === 0) return;
      const leftMs = this.#since + PATIENCE_MS - performance.now();
      if (leftMs > 0) this.#look(leftMs);
      else this.#flush();
    }, afterMs);
    // It holds no host up.
    this.#timer.unref();
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#patient);
    this.#patient = [];
    this.#write(bytes);
  }
}
