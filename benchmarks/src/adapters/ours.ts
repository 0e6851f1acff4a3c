/** Our contenders: a session with chunks, a session with a sink, one-shots, and programs on a terminal. */
import { executeShell, PtySession, Shell, type ShellOptions, type ShellRunResult } from "@pi-bash/natives";
import { type Contender, type Ended, type RunOptions, stateless } from "../contender.ts";

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

function signalOf({ signal }: RunOptions): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function ended({ exitCode, output }: ShellRunResult): Ended {
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(output === undefined ? {} : { totalBytes: output.totalBytes }),
  };
}
