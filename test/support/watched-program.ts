/**
 * A program on a pseudoterminal, followed until it counts as waiting for a person. What is expected of which program is the
 * tests'.
 */
import { PtySession } from "@pi-bash/natives";
import { type TerminalState, terminalState, VirtualTerminal } from "@pi-bash/terminal";

/** What to run, and for how long. */
export interface WatchedProgram {
  /** For `bash -c`. */
  readonly command: string;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed when a text is there: the program counts as waiting only after the last of them. */
  readonly answers?: readonly (readonly [text: string, typed: string])[];
  /** The terminal. Default: one of this machine. */
  readonly session?: Pick<PtySession, "start" | "write" | "kill">;
  /** Longest time to follow it, in milliseconds. */
  readonly limitMs: number;
}

/** What was seen. */
export interface Watched {
  /** The first state in which it waited, or the last one. */
  readonly state: TerminalState;
  /** Everything that it wrote. */
  readonly output: string;
}

/** Follows a program until it waits, ends, or the time is over. It is ended then. */
export async function watchProgram(program: WatchedProgram): Promise<Watched> {
  const session = program.session ?? new PtySession();
  const screen = new VirtualTerminal({ cols: 100, rows: 30, onReply: (reply) => session.write(reply) });
  const answers = [...(program.answers ?? [])];
  let output = "";
  let state: TerminalState = { state: "running" };
  const timer = setTimeout(() => session.kill(), program.limitMs);
  const end = session.start(
    {
      command: program.command,
      cwd: program.cwd,
      cols: 100,
      rows: 30,
      ...(program.env === undefined ? {} : { env: program.env }),
      onQuiet: (quiet) => {
        if (answers.length > 0 || state.state === "waiting") return;
        state = terminalState(quiet, screen.promptScreen);
        if (state.state === "waiting") session.kill();
      },
    },
    (_, text) => {
      output += text;
      const [next] = answers;
      if (next !== undefined && output.includes(next[0])) {
        answers.shift();
        session.write(next[1]);
      }
      return screen.write(text);
    },
  );
  try {
    await end;
    return { state, output };
  } finally {
    clearTimeout(timer);
    screen.dispose();
  }
}
