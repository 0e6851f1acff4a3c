/** The public names of `@pi-bash/renderer/ink`. */
export { BashCall, type BashCallProps, JobCall, type JobCallProps, TaskCall, type TaskCallProps } from "./calls.ts";
export { ConsoleScreen, type ConsoleScreenProps, useIsConsoleOpen } from "./console-screen.ts";
export { ConsoleWindows, type InkConsoleOptions, type InkConsoleView } from "./console-windows.ts";
export { UserBash, type UserBashProps, UserBashState } from "./user-bash.ts";
