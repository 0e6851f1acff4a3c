/** The public names of `@pi-bash/adapters/mcp`. */
export { createMcpApprovals, type McpApprovals } from "./approvals.ts";
export { type Artifacts, MAX_LISTED_ARTIFACTS, MAX_RESOURCE_BYTES } from "./artifact-resources.ts";
export { clientWindow, DEFAULT_RESULT_CHARS, MAX_RESULT_CHARS, RESULT_SIZE_KEY, resultChars } from "./client-window.ts";
export { createMcpServer, DETAILS_KEY, type McpServerPorts } from "./mcp-server.ts";
export { type ServeOptions, serveMcpOnStdio } from "./serve-on-stdio.ts";
