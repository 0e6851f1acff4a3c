/** Our contenders: a session with chunks, a session with a sink, and one-shots. */
import { executeShell, Shell, type ShellRunOptions, type ShellRunResult } from "@pi-bash/natives";
import type { Contender, Delivered } from "../contender.ts";

function delivered(result: ShellRunResult, bytes: number): Delivered {
  return { bytes, exitCode: result.exitCode };
}

function withSignal(command: string, signal: AbortSignal | undefined): ShellRunOptions {
  return signal === undefined ? { command } : { command, signal };
}

/** A persistent session whose output goes to a callback. */
export function oursWithChunks(): Contender {
  const shell = new Shell();
  return {
    name: "pi-bash session, chunks",
    async run(command, { signal, consume } = {}) {
      let bytes = 0;
      const result = await shell.run(withSignal(command, signal), (_error, chunk) => {
        bytes += Buffer.byteLength(chunk);
        return consume?.();
      });
      return delivered(result, bytes);
    },
    close: () => shell.close(),
  };
}

/** A persistent session whose output stays in the native sink. */
export function oursWithSink(): Contender {
  const shell = new Shell();
  return {
    name: "pi-bash session, sink",
    async run(command, { signal } = {}) {
      const result = await shell.run({ ...withSignal(command, signal), sink: {} });
      return delivered(result, result.output?.totalBytes ?? 0);
    },
    close: () => shell.close(),
  };
}

/** A fresh bash for each command. */
export function oursOneShot(): Contender {
  return {
    name: "pi-bash one-shot, sink",
    async run(command, { signal } = {}) {
      const result = await executeShell({ ...withSignal(command, signal), sink: {} });
      return delivered(result, result.output?.totalBytes ?? 0);
    },
    close: async () => {},
  };
}
