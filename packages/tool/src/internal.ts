/**
 * Names of `@pi-bash/tool` that packages of pi-bash share, and that no host needs. They may change in any version: a host
 * imports `@pi-bash/tool`.
 */
export { type CallKind, CallTurns } from "./call-turns.ts";
export { type ExpansionOptions, expandCwd, expandEnvValue, expandInternalUrls } from "./internal-urls.ts";
export { untilSettled } from "./live-updates.ts";
export { createLegacyTools, type LegacyTools } from "./tasks/legacy-tools.ts";
export { type CallTimeout, clampTimeout } from "./timeout.ts";
