/** The public names of `@pi-bash/adapters/otel`. */
export { type TraceOptions, traceTools } from "./trace-tools.ts";
