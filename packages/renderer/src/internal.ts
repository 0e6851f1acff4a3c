/**
 * Names of `@pi-bash/renderer` that packages of pi-bash share, and that no host needs. They may change in any version: a host
 * imports `@pi-bash/renderer`.
 */
export { STATE_MARKS } from "./call-state.ts";
export { type ConsoleInput, decodeInput, type KeyMode } from "./console-overlay/keys.ts";
export { type ScreenRowOptions, screenRow } from "./console-overlay/screen-row.ts";
export { keyRestMs, wholeKeysLength } from "./console-overlay/whole-keys.ts";
export { durationText } from "./footer.ts";
export { partialArguments } from "./partial-json.ts";
export { previewRows } from "./preview.ts";
export { highlight } from "./syntax.ts";
export { isTaskToolName } from "./tasks/task-details.ts";
export { type Run, type StyledLine, styledLines } from "./text/styled.ts";
export { TerminalFilter } from "./text/terminal-filter.ts";
export { visible } from "./text/visible.ts";
export { clip, displayWidth } from "./text/width.ts";
export { type Row, rowText, wrapLine, wrapLines } from "./text/wrap.ts";
