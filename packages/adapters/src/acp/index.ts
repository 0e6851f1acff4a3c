/** The public names of `@pi-bash/adapters/acp`. */
export { type AcpSession, acpClientBridge } from "./client-bridge.ts";
export { type ApproveLabels, acpApprove } from "./permission.ts";
export {
  type AcpTerminals,
  serveTerminals,
  type TerminalRequest,
  type TerminalsPorts,
} from "./serve-terminals.ts";
export { type AcpCall, acpToolCall } from "./tool-call.ts";
