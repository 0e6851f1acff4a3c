/** The executor, as a host calls it: settings, environment and masks, without the tool. Its output is not kept on the disk. */
import { stat } from "node:fs/promises";
import { DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { createExecutor } from "@pi-bash/executor";
import type { Contender, Ended } from "../contender.ts";

/** What of it is measured. */
export interface ExecutorWay {
  /** Secrets are masked, which is the default of users. Else nothing is looked for. */
  readonly isMasked?: boolean;
  /** Commands run read-only. */
  readonly isConfined?: boolean;
  /** The output goes to a callback. Else its end is kept. */
  readonly hasChunks?: boolean;
}

/** A variable that is withheld, so that its value is looked for beside the forms of tokens. */
const SECRET = { BENCH_API_TOKEN: "q7Vt2mXe9Lr4Kz8Wc3Pb6Nd1" };

/** A task on a terminal, as the tool runs it: screen, masks and file. It hands out no text. */
export function oursAsTerminalTask(): Contender {
  return {
    open: () => {
      const executor = createExecutor({}, { usesSnapshot: false, hostEnv: { ...process.env, ...SECRET } });
      return {
        run: async (command, { signal }): Promise<Ended> => {
          const artifact = await executor.artifacts.allocate("bash");
          let totalBytes = 0;
          const { exitCode } = await executor.runOnTerminal(command, {
            artifact,
            cwd: process.cwd(),
            timeoutMs: 3_600_000,
            maxBytes: DEFAULT_MAX_BYTES,
            signal: signal ?? new AbortController().signal,
            onUpdate: (_, { bytes }) => {
              totalBytes = bytes;
            },
            onOpen: () => {},
          });
          totalBytes = Math.max(totalBytes, (await stat(artifact.path)).size);
          await executor.artifacts.settle(artifact.id, "discard");
          return { ...(exitCode === undefined ? {} : { exitCode }), totalBytes };
        },
        close: () => executor.dispose(),
      };
    },
  };
}

/** A session of the executor. */
export function oursThroughExecutor({
  isMasked = false,
  isConfined = false,
  hasChunks = false,
}: ExecutorWay): Contender {
  return {
    open: () => {
      const settings = { "shellMinimizer.enabled": false, "secrets.mask": isMasked };
      const executor = createExecutor(settings, { usesSnapshot: false, hostEnv: { ...process.env, ...SECRET } });
      return {
        run: async (command, { signal, take }): Promise<Ended> => {
          const { exitCode, totalBytes, readOnly } = await executor.executeBash(command, {
            artifact: false,
            timeoutMs: 3_600_000,
            ...(signal === undefined ? {} : { signal }),
            ...(isConfined ? { readOnly: true } : {}),
            ...(hasChunks ? { onChunk: (chunk: string) => take(chunk) } : {}),
          });
          if (isConfined && readOnly?.enforced !== true) throw new Error("the command was not confined");
          return { ...(exitCode === undefined ? {} : { exitCode }), ...(hasChunks ? {} : { totalBytes }) };
        },
        close: () => executor.dispose(),
      };
    },
  };
}
