/** The public names of `@pi-bash/renderer`. */

export { BashExecutionComponent, type BashExecutionOptions } from "./bang-command.ts";
export { BashCallComponent, type CallOptions, JobCallComponent, TaskCallComponent } from "./call-component.ts";
export type { CallAnswer } from "./call-state.ts";
export {
  BashConsoleOverlay,
  type ConsoleEnd,
  type ConsoleOverlayOptions,
  type ConsoleProgram,
} from "./console-overlay/overlay.ts";
export { type JobAnswer, type JobCallView, renderJobCall } from "./jobs/job-call.ts";
export type { PartialArguments } from "./partial-json.ts";
export type { RenderOptions } from "./preview.ts";
export { renderTaskCall, type TaskAnswer, type TaskCallView } from "./tasks/task-call.ts";
export type { TaskToolName } from "./tasks/task-details.ts";
export { type Colours, DEFAULT_THEME, PLAIN_THEME, type Role, type Theme, themeFor } from "./theme.ts";
export { type CallView, renderBashCall } from "./tool-call.ts";
export type { UncheckedAnswer, UncheckedCall } from "./unchecked-call.ts";
