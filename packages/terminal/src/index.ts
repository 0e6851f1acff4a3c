/** The public names of `@pi-bash/terminal`. */
export { encodePaste } from "./paste.ts";
export { replay } from "./replay.ts";
export { VirtualTerminal, type VirtualTerminalOptions } from "./virtual-terminal.ts";
