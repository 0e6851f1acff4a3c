/**
 * Attempts as commands of the native session, each called read-only, so that the kernel alone stands; or without, as the
 * control of that.
 */
import { Shell, type ShellRunOptions } from "@pi-bash/natives";
import type { Made, Way } from "./session.ts";

/** Longest time of a command, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** One that begins in `cwd`. `readOnly`: its attempts, and the command beside it, are read-only commands. */
export function nativeWay(cwd: string, readOnly: boolean): Way {
  const shell = new Shell({ cwd });
  const run = async (command: string, options: Omit<ShellRunOptions, "command">): Promise<Made> => {
    let output = "";
    const result = await shell.run({ command, timeoutMs: TIMEOUT_MS, ...options }, (_error, chunk) => {
      output += chunk;
    });
    return { output, isRefused: false, sessionReset: result.sessionReset, survivors: result.survivors };
  };
  let count = 0;
  return {
    own: (command, env) => run(command, { env }),
    beside: async (command, onOutput) => {
      const ended = shell.run({ command, concurrency: "clone", readOnly }, (_error, chunk) => onOutput(chunk));
      ended.catch(() => undefined);
    },
    attempt: (line, env) => {
      // With the session's turn and beside it, in turn; what is not read-only has to have the session.
      const concurrency = readOnly && count++ % 2 === 1 ? "clone" : "queue";
      return run(line, { readOnly, concurrency, env });
    },
    close: () => shell.close(),
  };
}
