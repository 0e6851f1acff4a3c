/** The trace of the call that is made, for the command: its spans become children of the call's. */
import { context, propagation } from "@opentelemetry/api";
import { traceVariables } from "../trace-variables.ts";

/**
 * Variables for the session's `commandEnv`: `TRACEPARENT`, and where there are any `TRACESTATE` and `BAGGAGE`, as the host's own
 * propagator writes them. Empty outside of a span, and where the host has no propagator or no context manager.
 */
export function traceEnvironment(): Readonly<Record<string, string>> {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return traceVariables(carrier) ?? {};
}
