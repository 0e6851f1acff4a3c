/**
 * What a console needs from outside, as interfaces: the pseudoterminal, and the window that a person looks at.
 *
 * The window is the host's: an overlay, an editor's panel, a test. It draws what it is given and types what its person
 * types; how the command ends is not its business.
 */
import type { QuietTerminal, ResourceUsage, SandboxOptions, SandboxReport } from "@pi-bash/contract";

/** How a program is started on a pseudoterminal; see `PtySession` of `@pi-bash/natives`. */
export interface PtyStart {
  command: string;
  shell: string;
  cwd: string;
  baseEnv: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
  cols: number;
  rows: number;
  sandbox?: SandboxOptions;
  /** Takes what is known of who reads the terminal while nothing is written. Absent: nothing is looked at. */
  onQuiet?: (terminal: QuietTerminal) => unknown;
  usage?: boolean;
}

/** How the program of a terminal ended. */
export interface PtyEnd {
  exitCode?: number;
  signal?: string;
  cancelled: boolean;
  timedOut: boolean;
  sandbox?: SandboxReport;
  usage?: ResourceUsage;
}

/** A pseudoterminal, for one program. */
export interface PtyDevice {
  start(
    options: PtyStart,
    onChunk: (error: Error | null, chunk: string) => unknown,
    onStart?: (error: Error | null, pid: number) => unknown,
  ): Promise<PtyEnd>;
  write(data: string): boolean;
  resize(cols: number, rows: number): void;
  kill(signal?: string): void;
}

/** What a window can do to the program it shows. Nothing here throws: a program may have ended a moment ago. */
export interface ConsoleControls {
  /** `Console` */
  readonly title: string;
  /** The command, as it runs. */
  readonly command: string;
  /** Types to the program. False: it takes no more now, or has ended. */
  write(data: string): boolean;
  /** Changes the size of the terminal, in cells. */
  resize(cols: number, rows: number): void;
  /** Ends the program and everything it started. */
  kill(): void;
}

/** A window on a program. */
export interface ConsoleView {
  /** Size when it opens, in cells. Default 120 by 40. */
  readonly cols?: number;
  readonly rows?: number;
  /**
   * True: the window has a terminal of its own that answers what programs ask a terminal. Default: the console answers,
   * so that no program waits in vain.
   */
  readonly answersQueries?: boolean;
  /** Takes the raw output, escape sequences and all. A promise holds the program back. */
  onData?(chunk: string): unknown;
  /** The program has ended. */
  onEnd?(end: PtyEnd): void;
}

/** Opens a window. `ui` is what came with the call; undefined is a window that shows nothing. */
export type OpenConsoleView = (controls: ConsoleControls, ui: unknown) => ConsoleView | undefined;
