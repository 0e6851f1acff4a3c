/**
 * A span of OpenTelemetry for each call of a tool.
 *
 * Names follow the conventions for generative AI (`execute_tool <tool>`). No command line is in a span unless the host
 * asks for it: commands have secrets in them. Without an SDK that is set up, the API does nothing.
 */
import { context, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import type { BashDetails } from "@pi-bash/contract";
import { refuseUnknownOptions } from "@pi-bash/contract/internal";
import type { AnyTool } from "@pi-bash/tool";
import { askedCommand } from "../asked-command.ts";
import { type WatchedEnd, watchedTools } from "../watched-tools.ts";

/** Whose spans they are, and what stands in them. */
export interface TraceOptions {
  /** Default: the global one, by the name `@pi-bash/adapters`. */
  tracer?: Tracer;
  /** Whether `pi_bash.command` has the command line, as the model gave it. Default false. */
  withCommands?: boolean;
}

/** The same tools with a span for each call. What a call starts meanwhile are children of its span. */
export function traceTools<Tool extends AnyTool>(tools: readonly Tool[], options: TraceOptions = {}): Tool[] {
  refuseUnknownOptions("traceTools", options, { tracer: true, withCommands: true });
  const { tracer = trace.getTracer("@pi-bash/adapters"), withCommands = false } = options;
  return watchedTools(tools, async ({ tool, id, params }, run) => {
    const span = tracer.startSpan(`execute_tool ${tool}`, {
      kind: SpanKind.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": id,
        "pi_bash.command": withCommands ? askedCommand(params) : undefined,
      },
    });
    const end = await context.with(trace.setSpan(context.active(), span), run);
    span.setAttributes(attributesOf(end));
    const type = errorTypeOf(end);
    if (type !== undefined) {
      // The message has output in it; the type is enough to count by.
      span.setAttribute("error.type", type);
      span.setStatus({ code: SpanStatusCode.ERROR, message: type });
    }
    span.end();
  });
}

/** Facts that say nothing of what was run; those that are not there are left out by the API. */
function attributesOf({ kind, isError, details }: WatchedEnd) {
  const { exitCode, signal, timeoutSeconds, artifactId, async, sandbox, readOnly }: BashDetails = details;
  const hasStatus = exitCode !== undefined || (kind === "answer" && !isError && details.wallTimeMs !== undefined);
  return {
    "process.exit.code": hasStatus ? (exitCode ?? 0) : undefined,
    "pi_bash.signal": signal,
    "pi_bash.timeout_seconds": timeoutSeconds,
    "pi_bash.truncated": details.meta?.truncation !== undefined,
    "pi_bash.artifact_id": artifactId,
    "pi_bash.job_id": async?.jobId,
    "pi_bash.session_reset": details.sessionReset,
    "pi_bash.sandboxed": sandbox !== undefined,
    "pi_bash.read_only": readOnly?.enforced,
    "pi_bash.read_only_refusals": readOnly?.enforced === true ? readOnly.refusals.length : undefined,
  };
}

/** Few words, known beforehand, so that they can be counted. */
function errorTypeOf({ kind, isError, details, error }: WatchedEnd): string | undefined {
  if (kind === "aborted") return "cancelled";
  if (kind === "defect") return error instanceof Error ? error.name : "defect";
  if (!isError) return undefined;
  if (details.stopped !== undefined) return details.stopped === "deadline" ? "timeout" : details.stopped;
  if (details.refusal !== undefined) return "refused";
  return details.exitCode === undefined ? "tool_error" : "exit_status";
}
