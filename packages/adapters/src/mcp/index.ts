/** The public names of `@pi-bash/adapters/mcp`. */
export { createMcpApprovals, type McpApprovals } from "./approvals.ts";
export type { Artifacts } from "./artifact-resources.ts";
export { clientWindow, RESULT_SIZE_KEY, resultChars } from "./client-window.ts";
export { createMcpServer, DETAILS_KEY, type McpServerPorts } from "./mcp-server.ts";
export { type ServeOptions, serveMcpOnStdio } from "./serve-on-stdio.ts";
