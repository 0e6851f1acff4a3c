/**
 * The client's side of a terminal: what an editor that runs commands for the agent has to offer.
 *
 * The shapes are those of the Agent Client Protocol's `terminal/*` methods. Every answer comes from another program,
 * so nothing here is trusted to come in time; the bounds are in `client-terminal.ts`.
 */

/** What the client is asked to run. `command` is a program, not a command line. */
export interface CreateTerminalRequest {
  command: string;
  args: readonly string[];
  env: readonly { name: string; value: string }[];
  /** Absolute path. */
  cwd: string;
  /** Bytes of output the client keeps; it drops from the beginning. */
  outputByteLimit: number;
}

/** How the program ended; both absent or null: not known. */
export interface ClientExit {
  exitCode?: number | null;
  signal?: string | null;
}

/** What a terminal shows now: everything it kept, not what is new. */
export interface ClientOutput {
  output: string;
  /** The beginning was dropped. */
  truncated: boolean;
  exitStatus?: ClientExit | null;
}

/** A terminal of the client. */
export interface ClientTerminal {
  readonly terminalId: string;
  waitForExit(): Promise<ClientExit>;
  currentOutput(): Promise<ClientOutput>;
  /** Ends the program; output and exit status can still be read. */
  kill(): Promise<void>;
  /** Gives the terminal back, always, whatever happened. */
  release(): Promise<void>;
}

/** The agent's client, as far as it has terminals. */
export interface ClientBridge {
  readonly capabilities: { readonly terminal?: boolean };
  createTerminal?(request: CreateTerminalRequest): Promise<ClientTerminal>;
}
