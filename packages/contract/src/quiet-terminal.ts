/**
 * A terminal on which nothing was written or typed for a while, and who of its programs reads it. Facts of the kernel; what
 * they mean beside the text on the screen, `@pi-bash/terminal` says.
 */

/** A program on a terminal. */
export interface TerminalProgram {
  readonly pid: number;
  /** Its short name, as the kernel keeps it: at most 15 bytes. */
  readonly name: string;
}

/** A program that is blocked in a call that reads the terminal. */
export interface TerminalReader extends TerminalProgram {
  /** It is in `read`, and not in a call that waits for several descriptors. */
  readonly isRead: boolean;
  /** It stops waiting by itself after a time. */
  readonly isTimed: boolean;
  /** That time in milliseconds. Absent where it does not, and where its call does not say the time. */
  readonly timerMs?: number;
  /** It waits for another machine or terminal as well, whose text it passes on. */
  readonly isRelay: boolean;
  /** It waits for the terminal and nothing else. */
  readonly isAlone: boolean;
}

/** What is known of a quiet terminal. */
export interface QuietTerminal {
  /** Milliseconds since the last byte of output or input. */
  readonly quietMs: number;
  /** Bytes of UTF-8 that had been typed when it was looked at. */
  readonly typedBytes: number;
  /** Milliseconds for which the readers were seen in the same calls. */
  readonly heldMs: number;
  /** Milliseconds for which nothing was seen to use a processor. */
  readonly idleMs: number;
  /** What is typed is shown; the kernel edits a line, which is read when it is whole. Absent: the terminal cannot be asked. */
  readonly modes?: { readonly echo: boolean; readonly canonical: boolean };
  /** Who in the foreground reads it. */
  readonly readers: readonly TerminalReader[];
  /** Who in the foreground may not be looked at: set-uid programs, and all where the kernel does not show calls. */
  readonly denied: readonly TerminalProgram[];
  /** Who is stopped outside of the foreground. */
  readonly stopped: readonly TerminalProgram[];
  /** Something on the terminal runs. */
  readonly isBusy: boolean;
  /** A program on the terminal listens on a TCP port. Looked at only where there are readers. */
  readonly listens: boolean;
}
