/**
 * How much a job has written, in which file, and who has read it up to where.
 *
 * The file is the raw output from its first byte on, written by the native sink; nothing of it is held here. Readers are
 * woken when it grows. Each reader has a place of its own for every filter it reads with, so that lines which a filter
 * hides stay unread for whoever asks without it.
 */

import type { FileOpener } from "../artifacts/readable-file.ts";
import type { OutputMask } from "../natives-port.ts";
import type { TaskTerminal } from "../tty/terminal-port.ts";

/** Places that are remembered for one job; a reader whose place is forgotten begins again at the beginning. */
const MAX_CURSORS = 64;

/** What is known of the output so far. */
export interface LogTotals {
  bytes: number;
  /** A last line without a newline counts. */
  lines: number;
}

/** How secrets are masked in what is read of a file. */
export interface LogSecrets {
  mask: OutputMask;
  /** They are masked in the file already: its lengths are not those of the output. */
  isFileMasked: boolean;
}

export class JobLog {
  /** The file; absent: only the newest tail is known. */
  path: string | undefined;
  /** Opens it, where it may be on a place. Absent: it is here. */
  open: FileOpener | undefined;
  /** How what is read of it is masked; absent: not at all. */
  secrets: LogSecrets | undefined;
  /** The terminal whose screen has the lines, instead of the file. */
  terminal: TaskTerminal | undefined;
  #totals: LogTotals = { bytes: 0, lines: 0 };
  #isOver = false;
  readonly #listeners = new Set<() => void>();
  readonly #cursors = new Map<string, LogCursor>();

  get totals(): LogTotals {
    return this.#totals;
  }

  /** The command has ended; only its background children may still write. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** A reader has begun with it: its last look may come after the command's end. */
  get isRead(): boolean {
    return this.#cursors.size > 0;
  }

  /** The file has at least so much. */
  grow(totals: LogTotals): void {
    if (this.#isOver) return;
    this.#totals = { ...totals };
    this.#wake();
  }

  /** Something else than the output has changed: who waits for input. */
  changed(): void {
    this.#wake();
  }

  /** The command has ended. */
  end(totals: LogTotals | undefined): void {
    if (totals !== undefined) this.grow(totals);
    this.#isOver = true;
    this.#wake();
  }

  /** Calls `listener` whenever there is news. Returns what ends that. */
  onNews(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The place of a reader. `key` names the reader and how it reads. */
  cursor(key: string): LogCursor {
    const found = this.#cursors.get(key) ?? new LogCursor();
    // The last used ones stay.
    this.#cursors.delete(key);
    this.#cursors.set(key, found);
    for (const [other, cursor] of this.#cursors) {
      if (this.#cursors.size <= MAX_CURSORS) break;
      if (!cursor.isHeld) this.#cursors.delete(other);
    }
    return found;
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** How far one reader is. Only whoever holds it reads: two calls of one reader never get the same lines. */
export class LogCursor {
  /** Bytes that were given out, up to the end of a line. */
  offset = 0;
  /** Lines that were given out; absent where they were not counted. */
  line: number | undefined = 0;
  /** Bytes after `offset` in which there is no newline. */
  barren = 0;
  #released: Promise<void> | undefined;
  #release: () => void = () => undefined;

  get isHeld(): boolean {
    return this.#released !== undefined;
  }

  /** Takes the place, or waits for it until `isOver` resolves. Whether it was taken. */
  async hold(isOver: Promise<unknown>): Promise<boolean> {
    while (this.#released !== undefined) {
      const first = await Promise.race([this.#released.then(() => "free"), isOver.then(() => "over")]);
      if (first === "over") return false;
    }
    this.#released = new Promise((resolve) => {
      this.#release = resolve;
    });
    return true;
  }

  /** Gives it back. */
  free(): void {
    this.#released = undefined;
    this.#release();
  }
}
