/**
 * Sessions and one-shots as the tests use them: each with a sink, bounded in time, and closed when the test is over.
 */
import {
  executeShell,
  Shell,
  type ShellExecuteOptions,
  type ShellOptions,
  type ShellRunOptions,
} from "@pi-bash/natives";
import { onTestFinished } from "vitest";
import { PATIENCE_MS, within } from "./patience.ts";

/** The parts of a result that most tests look at. */
export interface Outcome {
  /** What the command printed, with control characters as they are. */
  readonly text: string;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly cancelled: boolean;
  readonly timedOut: boolean;
  readonly sessionReset: boolean;
  readonly workingDir: string | undefined;
  readonly survivors: readonly { readonly pid: number; readonly command: string }[];
  readonly wallTimeMs: number;
  readonly totalBytes: number;
  readonly truncated: boolean;
  readonly lateOutputBytes: number;
}

/** A session of a test. */
export interface TestSession {
  readonly shell: Shell;
  /** Runs a command; throws when it does not settle in time. */
  run(command: string, options?: Omit<ShellRunOptions, "command">): Promise<Outcome>;
}

/** Colours and the like are kept: the tests compare what the command wrote. */
const PLAIN_SINK = { plainText: false };

/** A new session, closed when the test is over. */
export function openSession(options: ShellOptions = {}): TestSession {
  const shell = new Shell(options);
  onTestFinished(() => shell.close());
  return { shell, run: (command, more = {}) => runIn(shell, command, more) };
}

/** Runs a command in a given session; throws when it does not settle in time. */
export async function runIn(
  shell: Shell,
  command: string,
  options: Omit<ShellRunOptions, "command"> = {},
): Promise<Outcome> {
  const run = shell.run({ ...options, command, sink: options.sink ?? PLAIN_SINK });
  return outcomeOf(await within(named(command), run, bound(options)));
}

/** Runs a command in a fresh bash; throws when it does not settle in time. */
export async function one(command: string, options: Omit<ShellExecuteOptions, "command"> = {}): Promise<Outcome> {
  const run = executeShell({ ...options, command, sink: options.sink ?? PLAIN_SINK });
  return outcomeOf(await within(named(command), run, bound(options)));
}

/** A result's outcome. */
function outcomeOf(result: Awaited<ReturnType<typeof executeShell>>): Outcome {
  const { output, exitCode, signal, workingDir, ...rest } = result;
  return {
    ...rest,
    exitCode,
    signal,
    workingDir,
    text: output?.text ?? "",
    totalBytes: output?.totalBytes ?? 0,
    truncated: output?.truncated ?? false,
    lateOutputBytes: output?.lateOutputBytes ?? 0,
  };
}

function bound({ timeoutMs }: { readonly timeoutMs?: number }): number {
  return PATIENCE_MS + (timeoutMs ?? 0);
}

function named(command: string): string {
  return command.length > 80 ? `${command.slice(0, 80)}…` : command;
}
