/**
 * How a run ended and what it left: the addon's facts in the shape of the public surface.
 */
import { constants } from "node:os";
import type {
  InputWanted,
  LimitMet,
  LostWithShell,
  ProcessInfo,
  ResourceUsage,
  SandboxReport,
} from "@pi-bash/contract";
import type { RunOutcome, Summary } from "./generated/binding.d.ts";
import { type MinimizerResult, toMinimizerResult } from "./minimizer.ts";
import { toSandboxReport } from "./sandbox-report.ts";

/** What a sink kept of an output, and the totals of all of it. */
export interface OutputSummary {
  /** The text for the model: all of it, or head and tail windows with a marker between. */
  readonly text: string;
  /** Some bytes of the output are not in `text`. */
  readonly truncated: boolean;
  /** Bytes written by the command. */
  readonly totalBytes: number;
  /** Lines written by the command; a last line without a newline counts. */
  readonly totalLines: number;
  /** Bytes of `text` that came from the command. */
  readonly outputBytes: number;
  /** Lines of `text` that came from the command. */
  readonly outputLines: number;
  /** The spill file holds every byte. */
  readonly spilled: boolean;
  /** Why the spill file is missing or short. */
  readonly spillError?: string;
  /** Lines of the whole output that the tail window shows, counted from 1; both 0 for none. */
  readonly shownRange: { readonly startLine: number; readonly endLine: number };
  /** Bytes that background children wrote after the command ended, as far as seen. */
  readonly lateOutputBytes: number;
  /**
   * Secrets that were masked in `text` and, with `maskSpill`, in the file. Of a flood, only what can be shown is looked at
   * for the text. Absent: none.
   */
  readonly masked?: { readonly count: number; readonly names: readonly string[] };
}

/** A command ran where the kernel kept it from changing anything. */
export interface ReadOnlyReport {
  /** What this kernel cannot hold, e.g. `signal`. Empty: everything is held. */
  readonly degraded: readonly string[];
  /** The command changed variables, functions, aliases, options or traps of the session; that went with the copy. */
  readonly stateDropped: boolean;
}

/** The result of one run. Non-zero exits, cancellation and timeouts are results, never errors. */
export interface ShellRunResult {
  /** Exit status; 128 + n where signal n ended the command's shell. Absent when cancelled or timed out. */
  readonly exitCode?: number;
  /** Name of that signal, e.g. `SIGKILL`. */
  readonly signal?: string;
  /** The caller, or the session's end, stopped it; or it was ended for the program of `inputWanted`. */
  readonly cancelled: boolean;
  /** Its deadline stopped it. */
  readonly timedOut: boolean;
  /** The session's directory afterwards, where it is known. */
  readonly workingDir?: string;
  /** State was lost: a fresh or rolled-back shell stands in the session. */
  readonly sessionReset: boolean;
  /** Processes of this run that still live. */
  readonly survivors: readonly ProcessInfo[];
  /** Milliseconds from the command's start to its end, by a clock that no one sets. */
  readonly wallTimeMs: number;
  /** What the sink kept, where one was asked for. */
  readonly output?: OutputSummary;
  /**
   * The output rewritten, where the session minimizes and the text changed. Nothing else in the result is: show this text
   * only where the original can be had.
   */
  readonly minimized?: MinimizerResult;
  /** The sandbox it ran in. Absent: none was asked for, or nothing was started. */
  readonly sandbox?: SandboxReport;
  /** Limits that were met while it ran, as far as the system tells. Absent: none. */
  readonly limitsMet?: readonly LimitMet[];
  /** What the shell that replaced the session's does not have. Absent: nothing, or no shell was replaced. */
  readonly lostWithShell?: readonly LostWithShell[];
  /** What it was kept from. Absent: it did not run read-only. */
  readonly readOnly?: ReadOnlyReport;
  /** A program of it that waits for a person's input. Absent: none was seen. */
  readonly inputWanted?: InputWanted;
  /** What it used. Absent: not asked for, or not known, as on Windows and of a command that ended its session's shell. */
  readonly usage?: ResourceUsage;
}

/** What a shell adds to the number of a signal to make an exit status. */
const SIGNAL_EXIT_BASE = 128;

/** The public form of a run's outcome. Field by field: to copy the rest of an object takes 3 us, a builtin 150. */
export function toRunResult(outcome: RunOutcome): ShellRunResult {
  const { exitCode, signalNumber, output, minimized, workingDir, sandbox, limitsMet, lostWithShell, readOnly } =
    outcome;
  const { cancelled, timedOut, sessionReset, survivors, wallTimeMs, inputWanted } = outcome;
  const result: Writable<ShellRunResult> = { cancelled, timedOut, sessionReset, survivors, wallTimeMs };
  if (exitCode !== undefined) result.exitCode = exitCode;
  if (signalNumber !== undefined) {
    result.exitCode = SIGNAL_EXIT_BASE + signalNumber;
    result.signal = signalName(signalNumber);
  }
  if (workingDir !== undefined) result.workingDir = workingDir;
  if (output !== undefined) result.output = toOutputSummary(output);
  if (minimized !== undefined) result.minimized = toMinimizerResult(minimized, minimized.originalText ?? "");
  if (sandbox !== undefined) result.sandbox = toSandboxReport(sandbox);
  if (limitsMet !== undefined) result.limitsMet = limitsMet;
  if (lostWithShell !== undefined) result.lostWithShell = lostWithShell;
  if (readOnly !== undefined) result.readOnly = readOnly;
  if (inputWanted !== undefined) result.inputWanted = inputWanted;
  if (outcome.usage !== undefined) result.usage = outcome.usage;
  return result;
}

type Writable<T> = { -readonly [key in keyof T]: T[key] };

/** The public form of a sink's summary. */
export function toOutputSummary(summary: Summary): OutputSummary {
  const { startLine, endLine, ...rest } = summary;
  return { ...rest, shownRange: { startLine, endLine } };
}

/** Some numbers have two names; these are the ones that `kill -l` prints. */
const PREFERRED = new Set(["SIGABRT", "SIGIO", "SIGCHLD"]);

function signalName(number: number): string {
  const names = Object.entries(constants.signals)
    .filter(([, value]) => value === number)
    .map(([name]) => name);
  return names.find((name) => PREFERRED.has(name)) ?? names[0] ?? `SIG${number}`;
}
