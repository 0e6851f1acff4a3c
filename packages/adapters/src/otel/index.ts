/** The public names of `@pi-bash/adapters/otel`. */
export { traceEnvironment } from "./trace-environment.ts";
export { type TraceOptions, traceTools } from "./trace-tools.ts";
