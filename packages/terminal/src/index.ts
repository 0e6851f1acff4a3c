/** The public names of `@pi-bash/terminal`. */
export type { EndedLines, LinePlace, NewLines } from "./line-log.ts";
export { encodePaste } from "./paste.ts";
export { replay } from "./replay.ts";
export type { StyledText } from "./styled-row.ts";
export { VirtualTerminal, type VirtualTerminalOptions } from "./virtual-terminal.ts";
export {
  type PromptScreen,
  type TerminalState,
  terminalState,
  type WaitingKind,
  type WaitingRule,
} from "./waiting.ts";
