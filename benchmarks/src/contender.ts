/**
 * What a contender can be asked for: runners that run commands, hand out their text, and are closed. An adapter makes the
 * smallest honest use of its library, as its users would; what is measured is not here.
 */

/** How one command is run. */
export interface RunOptions {
  /** Stops the command, in the way that the library's documentation shows. */
  readonly signal?: AbortSignal;
  /**
   * Takes the output as text. A promise is waited for before more is read, where the library can do that. A contender that
   * keeps output to itself never calls it and tells `totalBytes`.
   */
  readonly take: (text: string) => Promise<void> | undefined;
}

/** How one command ended. */
export interface Ended {
  /** Its status; absent when a signal ended it or it was stopped. */
  readonly exitCode?: number;
  /** Bytes of output, counted by a contender that hands out none. */
  readonly totalBytes?: number;
  /** Measured by the contender itself: by a program without JavaScript. Milliseconds. */
  readonly own?: { readonly wallMs: number; readonly cpuMs: number };
}

/** Something that runs one command after another: a session where the library has them. */
export interface Runner {
  run(command: string, options: RunOptions): Promise<Ended>;
  /** Ends what it keeps between commands. */
  close(): Promise<void>;
}

/** A library, loaded. */
export interface Contender {
  /** A new runner. Cheap: what a session costs is paid by its first command. */
  open(): Runner;
}

/** A runner that keeps nothing between commands. */
export function stateless(run: Runner["run"]): Contender {
  return { open: () => ({ run, close: async () => {} }) };
}
