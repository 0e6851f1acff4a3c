/** The public names of `@pi-bash/renderer`. */

export { BashExecutionComponent, type BashExecutionOptions } from "./bang-command.ts";
export { BashCallComponent, type CallOptions, JobCallComponent, TaskCallComponent } from "./call-component.ts";
export { type CallAnswer, type CallState, callState, STATE_MARKS } from "./call-state.ts";
export { type ConsoleInput, decodeInput, type KeyMode } from "./console-overlay/keys.ts";
export {
  BashConsoleOverlay,
  type ConsoleEnd,
  type ConsoleOverlayOptions,
  type ConsoleProgram,
} from "./console-overlay/overlay.ts";
export { keyRestMs, wholeKeysLength } from "./console-overlay/whole-keys.ts";
export { durationText } from "./footer.ts";
export { type JobAnswer, type JobCallView, jobCallState, renderJobCall } from "./jobs/job-call.ts";
export { type PartialArguments, partialArguments } from "./partial-json.ts";
export { previewRows, type RenderOptions } from "./preview.ts";
export { highlight } from "./syntax.ts";
export { renderTaskCall, type TaskAnswer, type TaskCallView, taskCallState } from "./tasks/task-call.ts";
export { isTaskToolName, type TaskToolName } from "./tasks/task-details.ts";
export { type Run, type StyledLine, styledLines } from "./text/styled.ts";
export { TerminalFilter } from "./text/terminal-filter.ts";
export { visible } from "./text/visible.ts";
export { clip, displayWidth } from "./text/width.ts";
export { type Row, rowText, wrapLine, wrapLines } from "./text/wrap.ts";
export { type Colours, DEFAULT_THEME, PLAIN_THEME, type Role, type Theme, themeFor } from "./theme.ts";
export { type CallView, renderBashCall } from "./tool-call.ts";
export type { UncheckedAnswer, UncheckedCall } from "./unchecked-call.ts";
