/** Our contenders: a session with chunks, a session with a sink, one-shots, and programs on a terminal. */
import { executeShell, PtySession, Shell, type ShellOptions, type ShellRunResult } from "@pi-bash/natives";
import { VirtualTerminal } from "@pi-bash/terminal";
import { type Contender, type Ended, type RunOptions, stateless } from "../contender.ts";

/** What a task keeps above its screen. */
const SCROLLBACK_LINES = 2_000;

/** A persistent session whose output goes to a callback. */
export function oursWithChunks(session: ShellOptions = {}): Contender {
  return {
    open: () => {
      const shell = new Shell(session);
      return {
        run: async (command, options) =>
          ended(await shell.run({ command, ...signalOf(options) }, (_error, text) => options.take(text))),
        close: () => shell.close(),
      };
    },
  };
}

/** A persistent session whose output stays in the native sink. */
export function oursWithSink(): Contender {
  return {
    open: () => {
      const shell = new Shell();
      return {
        run: async (command, options) => ended(await shell.run({ command, sink: {}, ...signalOf(options) })),
        close: () => shell.close(),
      };
    },
  };
}

/** A fresh bash for each command. */
export function oursOneShot(): Contender {
  return stateless(async (command, options) => ended(await executeShell({ command, sink: {}, ...signalOf(options) })));
}

/** A program on a pseudoterminal. */
export function oursOnTerminal(): Contender {
  return stateless(async (command, options) => {
    const session = new PtySession();
    const { exitCode } = await session.start({ command, ...signalOf(options) }, (_error, text) => options.take(text));
    return exitCode === undefined ? {} : { exitCode };
  });
}

/** The same with its output drawn on a screen, which holds the program back. */
export function oursOnScreen(): Contender {
  return stateless(async (command, options) => {
    const session = new PtySession();
    const screen = new VirtualTerminal({ scrollback: SCROLLBACK_LINES, onReply: (reply) => session.write(reply) });
    const { exitCode } = await session.start({ command, ...signalOf(options) }, async (_error, text) => {
      await Promise.all([options.take(text), screen.write(text)]);
    });
    screen.dispose();
    return exitCode === undefined ? {} : { exitCode };
  });
}

function signalOf({ signal }: RunOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function ended({ exitCode, output }: ShellRunResult): Ended {
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(output === undefined ? {} : { totalBytes: output.totalBytes }),
  };
}
