/**
 * Two lines in a log for each call of a tool: that it began, and how it ended.
 *
 * The logger is a port in pino's shape; nothing is imported for it. No line has a command or its output in it unless the
 * host asks for commands: they have secrets in them.
 */
import { refuseUnknownOptions } from "@pi-bash/contract/internal";
import type { AnyTool } from "@pi-bash/tool";
import { type WatchedCall, type WatchedEnd, watchedTools } from "../watched-tools.ts";

/** What is needed of a logger: pino has it, and `console` nearly. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where lines go, and what stands in them. */
export interface LogOptions {
  logger: Logger;
  /** Whether the parameters of a call are in its first line, with the command as the model gave it. Default false. */
  withParams?: boolean;
}

/** The same tools, logged. A logger that throws loses its line and nothing else. */
export function logTools<Tool extends AnyTool>(tools: readonly Tool[], options: LogOptions): Tool[] {
  refuseUnknownOptions("logTools", options, { logger: true, withParams: true });
  const { logger, withParams = false } = options;
  return watchedTools(tools, async (call, run) => {
    const { tool, id, params } = call;
    const startedAt = performance.now();
    say(() => logger.debug({ tool, id, ...(withParams ? { params } : {}) }, "tool call started"));
    const end = await run();
    const fields = fieldsOf(call, end, Math.round(performance.now() - startedAt));
    if (end.kind === "defect") say(() => logger.error({ ...fields, err: end.error }, "tool call failed"));
    else if (end.isError) say(() => logger.warn(fields, "tool call ended with an error"));
    else say(() => logger.info(fields, "tool call ended"));
  });
}

/** Facts without words of the command or its output. Those that are absent are left out by JSON. */
function fieldsOf({ tool, id }: WatchedCall, { kind, details }: WatchedEnd, durationMs: number): object {
  const { exitCode, signal, stopped, artifactId, async, refusal, sessionReset, readOnly } = details;
  return {
    tool,
    id,
    durationMs,
    isAborted: kind === "aborted",
    exitCode,
    signal,
    stopped,
    artifactId,
    jobId: async?.jobId,
    refusedBy: refusal?.by,
    sessionReset,
    readOnly: readOnly?.enforced,
    readOnlyRefusals: readOnly?.enforced === true ? readOnly.refusals.length : undefined,
  };
}

function say(line: () => void): void {
  try {
    line();
  } catch {
    // A full disk under a log is no reason to lose an answer.
  }
}
