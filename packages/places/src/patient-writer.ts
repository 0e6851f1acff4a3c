/**
 * Writes frames, and lets those that nothing waits for leave with the next one. Of two writes, a transport with Nagle's
 * algorithm holds the second back until the first was acknowledged, which takes 40 ms.
 */

/** How long a frame that nothing waits for waits for the next one, in milliseconds. */
const PATIENCE_MS = 10;

export class PatientWriter {
  readonly #write: (bytes: Buffer) => void;
  #patient: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
  }

  /** Writes a frame now, after those that wait. */
  write(frame: Buffer): void {
    this.#flush(frame);
  }

  /** Writes a frame with the next one, or by itself a little later. */
  writePatiently(frame: Buffer): void {
    this.#patient.push(frame);
    this.#timer ??= setTimeout(() => this.#flush(), PATIENCE_MS);
    // It holds no host up.
    this.#timer.unref();
  }

  #flush(...last: Buffer[]): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const frames = [...this.#patient.splice(0), ...last];
    const [first] = frames;
    if (first !== undefined) this.#write(frames.length === 1 ? first : Buffer.concat(frames));
  }
}
