/** The public names of `@pi-bash/adapters/log`. */
export { type Logger, type LogOptions, logTools } from "./log-tools.ts";
