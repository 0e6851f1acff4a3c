/**
 * What a program on a terminal is asked to be, checked, in the form in which it crosses: into the addon, or over the link of a
 * place. Who starts it, and what becomes of it, is in `pty-session.ts`.
 */
import { absent, checkFunction, checkKnown, checkObject, checkStrings, checkText } from "./check-option.ts";
import type { PtyRequest } from "./generated/binding.d.ts";
import type { PtyArgvStartOptions, PtyOptions, PtyStartOptions } from "./pty-session.ts";
import { toSandboxRequest } from "./sandbox-options.ts";
import { invalidOption } from "./shell-error.ts";
import { checkSignal, isSet, toTimeout } from "./shell-options.ts";

/** What every start may be given. */
const NAMES = [
  "cwd",
  "baseEnv",
  "env",
  "timeoutMs",
  "signal",
  "cols",
  "rows",
  "sandbox",
  "onQuiet",
  "usage",
] as const satisfies readonly (keyof PtyOptions)[];

/** Largest number of cells that crosses; the addon clamps to what makes sense. */
const MAX_CELLS = 2 ** 16 - 1;

/** What a start begins with where its options name nothing else. */
export interface TerminalDefaults {
  readonly baseEnv: Readonly<Record<string, string | undefined>>;
  /** Path of the supervisor. Absent: whoever starts the program knows it. */
  readonly supervisor?: string | undefined;
}

/** A start as it crosses. */
export type TerminalRequest = Omit<PtyRequest, "startId" | "isCancelled">;

/** A command line for a terminal, checked. Throws `ShellError` with the option's name. */
export function readStart(
  options: PtyStartOptions,
  onChunk: unknown,
  defaults: TerminalDefaults,
): { command: string; shell: string | undefined; request: TerminalRequest } {
  checkObject("options", options);
  checkKnown("options", options, [...NAMES, "command", "shell"]);
  const command = checkText("command", options.command, { nul: true });
  const shell = absent(options.shell) ? undefined : checkText("shell", options.shell);
  return { command, shell, request: toPtyRequest(options, onChunk, defaults) };
}

/** A program without a shell for a terminal, checked. Otherwise as `readStart`. */
export function readArgvStart(
  options: PtyArgvStartOptions,
  onChunk: unknown,
  defaults: TerminalDefaults,
): { application: string; args: string[]; request: TerminalRequest } {
  checkObject("options", options);
  checkKnown("options", options, [...NAMES, "application", "args"]);
  const application = checkText("application", options.application, { nul: true });
  if (!Array.isArray(options.args)) throw invalidOption("args", "is not an array; give a list of strings");
  const args = options.args.map((value: unknown, at) => checkText(`args[${at}]`, value, { nul: true }));
  return { application, args, request: toPtyRequest(options, onChunk, defaults) };
}

function toPtyRequest(
  options: PtyOptions,
  onChunk: unknown,
  { supervisor, baseEnv }: TerminalDefaults,
): TerminalRequest {
  checkFunction("onChunk", onChunk);
  checkFunction("onQuiet", options.onQuiet);
  checkSignal(options.signal);
  isSet("usage", options.usage);
  const sandbox = toSandboxRequest(options.sandbox);
  return {
    ...(supervisor === undefined ? {} : { supervisor }),
    ...(absent(options.cwd) ? {} : { cwd: checkText("cwd", options.cwd) }),
    baseEnv: checkStrings("baseEnv", options.baseEnv ?? baseEnv),
    ...(absent(options.env) ? {} : { env: checkStrings("env", options.env) }),
    ...(absent(options.timeoutMs) ? {} : { timeoutMs: toTimeout(options.timeoutMs) }),
    ...(absent(options.cols) ? {} : { cols: toCells("cols", options.cols) }),
    ...(absent(options.rows) ? {} : { rows: toCells("rows", options.rows) }),
    ...(sandbox === undefined ? {} : { sandbox }),
    wantsChunks: typeof onChunk === "function",
    wantsQuiet: typeof options.onQuiet === "function",
  };
}

/** A size in cells as it crosses; who has the terminal clamps it. */
export function toCells(name: string, value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw invalidOption(name, `is ${String(value)}; give a whole number`);
  }
  return Math.min(Math.max(Math.trunc(value), 0), MAX_CELLS);
}
