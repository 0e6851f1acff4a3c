/**
 * The variables by which a trace goes on in a command: `TRACEPARENT`, `TRACESTATE` and `BAGGAGE`.
 *
 * Names: https://opentelemetry.io/docs/specs/otel/context/env-carriers/; values: https://www.w3.org/TR/trace-context/.
 */

/** Fields of a carrier that have a variable, in small letters as the propagators write them. */
const FIELDS = ["traceparent", "tracestate", "baggage"];

/** Longest value that is passed on, in characters: what the specification of `baggage` asks receivers to take. */
const MAX_VALUE = 8_192;

/** Printable ASCII: what a header may have. */
const VALUE = /^[\x20-\x7e]+$/u;

/** Version, trace, parent, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/u;

/** The variables for a carrier. What is not of the form, and everything without a parent, is left out. */
export function traceVariables(carrier: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  const { traceparent } = carrier;
  if (typeof traceparent !== "string" || !TRACEPARENT.test(traceparent)) return undefined;
  const variables: Record<string, string> = {};
  for (const field of FIELDS) {
    const value = carrier[field];
    const isPlain = typeof value === "string" && value.length <= MAX_VALUE && VALUE.test(value);
    if (isPlain) variables[field.toUpperCase()] = value;
  }
  return variables;
}
