/** The public names of `@pi-bash/renderer/pi-tui`. */
export { BashCall, JobCall, TaskCall, UserBash } from "./calls.ts";
export { type ConsoleWindow, openConsole } from "./console-overlay.ts";
