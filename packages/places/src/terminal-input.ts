/**
 * What is typed into a terminal on a place, on its way there: in order, and at most so much of it at a time that the place has
 * not said that its program took.
 *
 * # Theory of operation
 * The protocol acknowledges no input. The place is asked how much waits there (`pendingInput`); frames arrive in order, so the
 * answer plus what was sent after the question is the most that can wait. Little is never asked about: a key costs one frame.
 */
import { ShellError } from "@pi-bash/natives";

/** Most bytes of one frame. */
const PIECE_BYTES = 64 * 1024;
/** Most bytes that are sent and may wait over there; the rest waits here, where a cancel overtakes it. */
const WINDOW_BYTES = 256 * 1024;
/** From here on the place is asked what it still has, in bytes. */
const ASKED_BYTES = 32 * 1024;
/** Below so many bytes a writer need not wait: as on this machine. */
const EASY_BYTES = 64 * 1024;
/** Most bytes that may wait: as on this machine, 16 MiB. */
const MOST_BYTES = 16 * 1024 * 1024;
/** Time from one answer to the next question while the program takes nothing, in milliseconds. */
const ASK_AGAIN_MS = 20;

/** The terminal over there. */
export interface FarKeyboard {
  /** Sends bytes that begin at `offset`. */
  send(offset: number, bytes: Buffer): void;
  /** How many bytes wait for the program over there. Undefined: it has ended. Never rejects. */
  pending(): Promise<number | undefined>;
}

export class TerminalInput {
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #sent = 0;
  /** Most bytes that can wait over there. */
  #farBytes = 0;
  #sentSinceAsked = 0;
  #isAsking = false;
  #timer: NodeJS.Timeout | undefined;
  #far: FarKeyboard | undefined;

  /** Bytes that were ever typed. */
  get typedBytes(): number {
    return this.#sent + this.#waitingBytes;
  }

  /** Bytes that the program may not have been given yet. Asks the place, so that a later look knows better. */
  get pendingBytes(): number {
    this.#ask();
    return this.#pendingBytes;
  }

  /**
   * Takes bytes. Returns false where a writer with more should wait.
   *
   * @throws ShellError `PI_PTY_INPUT_FULL` when more than 16 MiB would be waiting, and then nothing of `bytes` was taken
   */
  write(bytes: Buffer): boolean {
    if (this.#pendingBytes + bytes.length > MOST_BYTES) {
      this.#ask();
      const message = "more than 16 MiB wait for the program; write on when it has read some of them";
      throw new ShellError("PI_PTY_INPUT_FULL", message);
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#send();
    return this.#pendingBytes <= EASY_BYTES;
  }

  /** The terminal is asked for: what was typed before follows. */
  open(far: FarKeyboard): void {
    this.#far = far;
    this.#send();
  }

  /** The program has ended, and what it did not take goes with it. */
  close(): void {
    clearTimeout(this.#timer);
    this.#far = undefined;
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#farBytes = 0;
  }

  get #pendingBytes(): number {
    return this.#waitingBytes + this.#farBytes;
  }

  #send(): void {
    const far = this.#far;
    if (far === undefined) return;
    for (;;) {
      const [first] = this.#waiting;
      const room = Math.min(PIECE_BYTES, WINDOW_BYTES - this.#farBytes);
      if (first === undefined || room <= 0) break;
      const piece = first.subarray(0, room);
      if (piece.length === first.length) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(room);
      far.send(this.#sent, piece);
      this.#sent += piece.length;
      this.#farBytes += piece.length;
      this.#sentSinceAsked += piece.length;
      this.#waitingBytes -= piece.length;
    }
    if (this.#farBytes >= ASKED_BYTES) this.#ask();
  }

  #ask(): void {
    const far = this.#far;
    if (far === undefined || this.#isAsking || this.#farBytes === 0) return;
    this.#isAsking = true;
    this.#sentSinceAsked = 0;
    clearTimeout(this.#timer);
    void far.pending().then((bytes) => this.#learn(bytes));
  }

  #learn(bytes: number | undefined): void {
    this.#isAsking = false;
    if (this.#far === undefined || bytes === undefined) return;
    this.#farBytes = Math.min(this.#farBytes, bytes + this.#sentSinceAsked);
    this.#send();
    // Without a question under way, only time can tell when there is room again.
    if (this.#waitingBytes > 0 && !this.#isAsking) this.#timer = setTimeout(() => this.#ask(), ASK_AGAIN_MS);
  }
}
