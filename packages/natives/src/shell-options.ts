/**
 * What a caller asks for, and its way to the addon: types, ranges and names are checked here, before anything starts.
 *
 * Only what a JavaScript value can get wrong is checked (a string that is none, NaN, a fraction of a byte); whether a
 * directory exists or a variable's name is a name is the core's business, so that every caller of the core is refused alike.
 */

import type { ResourceLimits, SandboxOptions } from "@pi-bash/contract";
import { isAbortSignal, MAX_TIMER_MS } from "@pi-bash/contract/internal/abort";
import type { Binding } from "./binding.ts";
import {
  absent,
  checkKnown,
  checkObject,
  checkStrings,
  checkText,
  checkWhole,
  reading,
  readOnce,
  shown,
} from "./check-option.ts";
import type { Limits, MinimizerRules, RunRequest, SessionOptions } from "./generated/binding.d.ts";
import { type Invocation, type MinimizerOptions, toArgv } from "./minimizer.ts";
import { toSandboxRequest } from "./sandbox-options.ts";
import type { SecretMask } from "./secret-mask.ts";
import { invalidOption, ShellError } from "./shell-error.ts";
import { readSink, type SinkOptions, toSinkRequest } from "./sink-options.ts";

/** Options of a session, fixed for its life. */
export interface ShellOptions {
  /** Path of the bash to run. Default: the first bash found. */
  readonly shell?: string;
  /** First working directory. Default: the host's own. */
  readonly cwd?: string;
  /**
   * The environment the session begins with; what steers a shell's start is left out. Default: `process.env` as it is when
   * the session is made (for a one-shot: when it is called).
   */
  readonly baseEnv?: Readonly<Record<string, string>>;
  /** Variables exported in the session on top of its base environment. */
  readonly sessionEnv?: Readonly<Record<string, string>>;
  /** A bash file that is sourced once, before the first command. */
  readonly snapshotPath?: string;
  /** Minimize the output of each run that ends by itself; see `ShellRunResult.minimized`. Default: do not. */
  readonly minimizer?: MinimizerOptions;
  /** Resource limits of everything the session starts. */
  readonly limits?: ResourceLimits;
  /**
   * The sandbox that the whole session runs in. Default, and with mode `full`: none. One that cannot be had rejects each
   * run with `PI_SANDBOX_UNAVAILABLE`.
   */
  readonly sandbox?: SandboxOptions;
  /**
   * Longest time that `run` waits in the call itself for a command to end, in microseconds, 0 to 1,000; the event loop
   * stands still for that long, and for 4 ms at most where such calls follow each other. A plain builtin ends within 20 to
   * 40, and its result is there when the call returns, one turn of the event loop earlier. Default 0: `run` never waits.
   * Without effect for `executeShell` and outside of Node on Linux.
   */
  readonly spinMicroseconds?: number;
  /** What is masked in the text, the updates, the chunks and the late output of each run. Default: nothing. */
  readonly mask?: SecretMask;
}

/** Options of one run. Only `command` is needed. */
export interface ShellRunOptions {
  /** The text given to bash, as a file of it would be. */
  readonly command: string;
  /** Directory to change to first; the session stays there. Default: where the session is. */
  readonly cwd?: string;
  /** Variables exported for this command only. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds from the command's start to its deadline; 0 counts as 1. Default: no deadline. */
  readonly timeoutMs?: number;
  /** Cancels the run. Aborted already: nothing is started, and the result is that of a cancelled run. */
  readonly signal?: AbortSignal;
  /** Keep the output. Default: it is only given to `onChunk`. */
  readonly sink?: SinkOptions;
  /**
   * What a parser made of the command, for the minimizer. Default: it looks at the command line itself, and minimizes what
   * is provably one simple command or a plain list.
   */
  readonly invocation?: Invocation;
  /** While another run is in progress: wait for a turn (default), or run at once in a copy of the session. */
  readonly concurrency?: "queue" | "clone";
  /**
   * Run it in a copy of the session that the kernel keeps from changing anything but its own temporary folder, its `TMPDIR`.
   * Where that cannot be had, nothing is run, and the run rejects with `PI_READ_ONLY_UNAVAILABLE`. The session keeps of it
   * the status and, unless `concurrency` is `clone`, the folder that it went to. Default false.
   */
  readonly readOnly?: boolean;
  /**
   * What becomes of it where one of its programs waits for a person's input: it has no terminal and its standard input is empty,
   * so that the input cannot come. `end` (default): it is ended, and its result has `inputWanted`. `note`: it goes on, and its
   * result says so. Such a wait is seen on Linux, after two seconds; pipes, sockets, locks and timers are none.
   */
  readonly onInputWait?: "end" | "note";
  /** The result says what the command used: processor time and peak memory. Default false. */
  readonly usage?: boolean;
}

/** One command in a fresh bash. */
export interface ShellExecuteOptions extends ShellOptions, Omit<ShellRunOptions, "concurrency"> {}

/** Longest timeout, in milliseconds: what a timer of 32 bits takes, 24.8 days. */
export const MAX_TIMEOUT_MS = MAX_TIMER_MS;

const SESSION_NAMES = [
  "shell",
  "cwd",
  "baseEnv",
  "sessionEnv",
  "snapshotPath",
  "minimizer",
  "limits",
  "sandbox",
  "spinMicroseconds",
  "mask",
] as const satisfies readonly (keyof ShellOptions)[];

const RUN_NAMES = [
  "command",
  "cwd",
  "env",
  "timeoutMs",
  "signal",
  "sink",
  "invocation",
  "concurrency",
  "readOnly",
  "onInputWait",
  "usage",
] as const satisfies readonly (keyof ShellRunOptions)[];

/** A session's options, each read once. */
export function readSession(options: ShellOptions): ShellOptions {
  checkObject("options", options);
  checkKnown("options", options, SESSION_NAMES);
  return readOnce("options", options, SESSION_NAMES);
}

/** A run's options, each read once, those of its sink too. */
export function readRun(options: ShellRunOptions): ShellRunOptions {
  checkObject("options", options);
  checkKnown("options", options, RUN_NAMES);
  return readRunNames(options);
}

/** The options of a command in a fresh bash, each read once. */
export function readExecute(options: ShellExecuteOptions): ShellExecuteOptions {
  checkObject("options", options);
  checkKnown("options", options, [...SESSION_NAMES, ...RUN_NAMES]);
  return { ...readOnce<ShellOptions>("options", options, SESSION_NAMES), ...readRunNames(options) };
}

function readRunNames(options: ShellRunOptions): ShellRunOptions {
  const run = readOnce("options", options, RUN_NAMES);
  return run.sink === undefined ? run : { ...run, sink: readSink("sink", run.sink) };
}

/** The addon's form of a session's options. */
export function toSessionOptions(
  options: ShellOptions,
  { supervisor, driver }: Partial<Pick<Binding, "supervisor" | "driver">> = {},
): SessionOptions {
  checkObject("options", options);
  const limits = absent(options.limits) ? undefined : reading("limits", () => toLimits(options.limits ?? {}));
  const sandbox = reading("sandbox", () => toSandboxRequest(options.sandbox));
  return {
    ...(absent(options.shell) ? {} : { shell: checkText("shell", options.shell) }),
    ...(supervisor === undefined ? {} : { supervisor }),
    ...(driver === undefined ? {} : { driver }),
    ...(absent(options.cwd) ? {} : { cwd: checkText("cwd", options.cwd) }),
    // Read here and not by the addon's thread: a host that sets a variable meanwhile would move the list under its feet.
    baseEnv: checkStrings("baseEnv", options.baseEnv ?? process.env),
    ...(absent(options.sessionEnv) ? {} : { sessionEnv: checkStrings("sessionEnv", options.sessionEnv) }),
    ...(absent(options.snapshotPath) ? {} : { snapshotPath: checkText("snapshotPath", options.snapshotPath) }),
    ...(limits === undefined ? {} : { limits }),
    ...(sandbox === undefined ? {} : { sandbox }),
  };
}

/** Most microseconds that the event loop may be held for. */
const MAX_SPIN_MICROSECONDS = 1_000;

/** How long a session's runs wait in their calls, in microseconds; none where they do not. */
export function spinOf({ spinMicroseconds }: ShellOptions): number | undefined {
  if (absent(spinMicroseconds)) return undefined;
  return checkWhole("spinMicroseconds", spinMicroseconds, 0, MAX_SPIN_MICROSECONDS);
}

/** The addon's form of a run's options. `minimizer` is the session's. */
export function toRunRequest(
  options: ShellRunOptions,
  minimizer: MinimizerRules | undefined,
  wantsChunks: boolean,
): RunRequest {
  checkObject("options", options);
  checkSignal(options.signal);
  const sink = absent(options.sink) ? undefined : toSinkRequest(options.sink, "sink.");
  return {
    command: checkText("command", options.command, { nul: true }),
    ...(absent(options.cwd) ? {} : { cwd: checkText("cwd", options.cwd) }),
    ...(absent(options.env) ? {} : { env: checkStrings("env", options.env) }),
    ...(absent(options.timeoutMs) ? {} : { timeoutMs: toTimeout(options.timeoutMs) }),
    ...(sink === undefined ? {} : { sink }),
    ...(minimizer === undefined ? {} : { minimizer }),
    ...(absent(options.invocation) ? {} : { argv: toArgs(options.invocation) }),
    clone: isClone(options.concurrency),
    ...(isSet("readOnly", options.readOnly) ? { readOnly: true } : {}),
    ...(absent(options.onInputWait) ? {} : { onInputWait: checkOnInputWait(options.onInputWait) }),
    ...(isSet("usage", options.usage) ? { usage: true } : {}),
    wantsChunks,
    wantsUpdates: typeof options.sink?.onUpdate === "function",
  };
}

function toArgs(invocation: Invocation): string[] {
  return reading("invocation", () => toArgv("invocation", invocation));
}

function toLimits(limits: ResourceLimits): Limits {
  checkObject("limits", limits);
  const names = [
    "addressSpaceBytes",
    "openFiles",
    "processes",
    "fileSizeBytes",
    "cpuSeconds",
    "dataBytes",
    "coreSizeBytes",
    "sessionMemoryBytes",
    "sessionProcesses",
  ] as const;
  checkKnown("limits", limits, names);
  const entries = names
    .filter((name) => !absent(limits[name]))
    .map((name) => [name, checkWhole(`limits.${name}`, limits[name], 0, Number.MAX_SAFE_INTEGER)] as const);
  return Object.fromEntries(entries);
}

export function toTimeout(value: unknown): number {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    throw invalidOption(
      "timeoutMs",
      `is ${shown(value)}; give a number of milliseconds, or leave it out for no deadline`,
    );
  }
  if (value < 0) throw invalidOption("timeoutMs", `is negative (${value}); give a number of milliseconds from 1`);
  if (value > MAX_TIMEOUT_MS) {
    throw invalidOption("timeoutMs", `is more than ${MAX_TIMEOUT_MS} ms (${value}); leave it out for no deadline`);
  }
  return Math.max(1, value);
}

function isClone(value: unknown): boolean {
  if (absent(value) || value === "queue") return false;
  if (value === "clone") return true;
  throw invalidOption("concurrency", `is \`${shown(value)}\`; give \`queue\` or \`clone\``);
}

function checkOnInputWait(value: unknown): "end" | "note" {
  if (value === "end" || value === "note") return value;
  throw invalidOption("onInputWait", `is \`${shown(value)}\`; give \`end\` or \`note\``);
}

/** Anything but a boolean is an error: what is taken for `false` would run without protection. */
/** Whether an option that is a yes or no is set. Throws for what is neither. */
export function isSet(name: "readOnly" | "usage", value: unknown): boolean {
  if (absent(value)) return false;
  if (typeof value === "boolean") return value;
  throw invalidOption(name, `is \`${shown(value)}\`; give \`true\` or \`false\``);
}

/** Refuses what is no `AbortSignal`. */
export function checkSignal(signal: unknown): void {
  if (absent(signal) || isAbortSignal(signal)) return;
  throw new ShellError("PI_INVALID_OPTION", "option `signal` is not an AbortSignal; give `controller.signal`");
}
