/**
 * Runs a command in a terminal of the client: an editor shows it, we read what it kept.
 *
 * # Theory of operation
 * Every answer comes from another program, so each is waited for with a bound, and the whole call ends within its
 * deadline plus 4 s whatever the client does: 1 s to kill, 2 s for the last output, 1 s to release. A stop kills before
 * the last output is read, so that nothing is written after it; the terminal is given back in every case, also one that
 * comes after the call has ended. Output is read as a whole every 250 ms; where the last read does not come, the one
 * before counts.
 */

import { stripVTControlCharacters } from "node:util";
import {
  CLIENT_TERMINAL_FINAL_OUTPUT_MS,
  CLIENT_TERMINAL_POLL_MS,
  CLIENT_TERMINAL_SIGNAL_EXIT_CODE,
  CLIENT_TERMINAL_STOP_MS,
} from "@pi-bash/contract/internal";
import { tailBytes } from "@pi-bash/contract/internal/text";
import { settled, type WaitEnd, waitAtMost, watchBound } from "@pi-bash/contract/internal/wait";
import type { CommandResult, OutputMask } from "@pi-bash/executor";
import { maskResult } from "@pi-bash/executor/internal";
import type { ClientExit, ClientOutput, ClientTerminal, CreateTerminalRequest } from "./client-bridge.ts";
import type { LiveUpdates } from "./live-updates.ts";
import { ToolAbortError, ToolError } from "./tool-error.ts";

export interface ClientRun {
  create(request: CreateTerminalRequest): Promise<ClientTerminal>;
  request: CreateTerminalRequest;
  timeoutMs: number;
  signal: AbortSignal | undefined;
  updates: LiveUpdates;
  /** Most bytes of output that are reported. */
  maxBytes: number;
  /** Masks secrets in what is reported. */
  mask: OutputMask | undefined;
}

/** What a client's terminal gave. */
export interface ClientRunResult {
  result: CommandResult;
  terminalId: string | undefined;
  /** The beginning of the output is missing. */
  isTruncated: boolean;
}

type Ending = { kind: "exit"; exit: ClientExit } | { kind: "error"; error: unknown } | { kind: WaitEnd };

/** Runs the command. Throws `ToolError` when the terminal cannot be made or breaks. */
export async function runInClientTerminal(run: ClientRun): Promise<ClientRunResult> {
  if (run.signal?.aborted) throw new ToolAbortError();
  const startedAt = performance.now();
  const watch = watchBound({ timeoutMs: run.timeoutMs, signal: run.signal });
  try {
    const made = await makeTerminal(run, watch.over);
    if (typeof made === "string") {
      return { result: toResult({ kind: made }, "", startedAt), terminalId: undefined, isTruncated: false };
    }
    return await useTerminal(made, run, watch.over, startedAt);
  } finally {
    watch.end();
  }
}

async function makeTerminal(
  { create, request }: ClientRun,
  stopped: Promise<WaitEnd>,
): Promise<ClientTerminal | WaitEnd> {
  const creation = settled(() => create(request));
  const first = await Promise.race([creation, stopped]);
  if (typeof first === "string") {
    void creation.then(async (late) => {
      if (late.kind !== "value") return;
      await waitAtMost(() => late.value.kill(), CLIENT_TERMINAL_STOP_MS);
      await release(late.value);
    });
    return first;
  }
  if (first.kind === "value") return first.value;
  throw new ToolError(`Client terminal cannot be created: ${reasonOf(first.error)}`, { cause: first.error });
}

async function useTerminal(
  terminal: ClientTerminal,
  run: ClientRun,
  stopped: Promise<WaitEnd>,
  startedAt: number,
): Promise<ClientRunResult> {
  const { terminalId } = terminal;
  const masked = (text: string) => run.mask?.text(text).text ?? text;
  const poll = pollOutput(terminal, (text) => run.updates.show(tailBytes(masked(text), run.maxBytes), { terminalId }));
  try {
    run.updates.show(undefined, { terminalId });
    const exit = settled(() => terminal.waitForExit()).then(toEnding);
    const ending = await Promise.race([exit, poll.exited, stopped.then((kind): Ending => ({ kind }))]);
    if (ending.kind !== "exit") await waitAtMost(() => terminal.kill(), CLIENT_TERMINAL_STOP_MS);
    poll.end();
    const last = await waitAtMost(() => terminal.currentOutput(), CLIENT_TERMINAL_FINAL_OUTPUT_MS);
    const shown = last.kind === "value" ? last.value : poll.latest();
    const text = plainText(shown);
    if (ending.kind === "error") {
      const output = text === "" ? "" : `${masked(text)}\n\n`;
      throw new ToolError(`${output}Client terminal failed: ${reasonOf(ending.error)}`, { details: { terminalId } });
    }
    const whole = maskResult(run.mask, toResult(ending, text, startedAt));
    const output = tailBytes(whole.output, run.maxBytes);
    const isTruncated = shown?.truncated === true || output.length < whole.output.length;
    return { result: { ...whole, ...countsOf(output), output }, terminalId, isTruncated };
  } finally {
    poll.end();
    await release(terminal);
  }
}

function toEnding(waited: Awaited<ReturnType<typeof settled<ClientExit>>>): Ending {
  if (waited.kind === "value") return { kind: "exit", exit: waited.value };
  return { kind: "error", error: waited.error };
}

interface OutputPoll {
  /** Resolves when a look at the output says that the program has ended. */
  readonly exited: Promise<Ending>;
  latest(): ClientOutput | undefined;
  end(): void;
}

/** Looks at the output again and again, one look at a time: a client that hangs is not asked twice. */
function pollOutput(terminal: ClientTerminal, onText: (text: string) => void): OutputPoll {
  let latest: ClientOutput | undefined;
  let isEnded = false;
  let isLooking = false;
  let onExit: (ending: Ending) => void = () => undefined;
  const exited = new Promise<Ending>((resolve) => {
    onExit = resolve;
  });
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const found = await settled(() => terminal.currentOutput());
    isLooking = false;
    if (isEnded || found.kind !== "value") return;
    const isNew = found.value.output !== latest?.output;
    latest = found.value;
    if (isNew && latest.output !== "") onText(plainText(latest));
    const { exitStatus } = latest;
    if (exitStatus !== undefined && exitStatus !== null) onExit({ kind: "exit", exit: exitStatus });
  };
  const timer = setInterval(() => void look(), CLIENT_TERMINAL_POLL_MS);
  return {
    exited,
    latest: () => latest,
    end: () => {
      isEnded = true;
      clearInterval(timer);
    },
  };
}

function toResult(ending: Exclude<Ending, { kind: "error" }>, output: string, startedAt: number): CommandResult {
  const exit = ending.kind === "exit" ? ending.exit : {};
  const signal = exit.signal ?? undefined;
  const exitCode = exit.exitCode ?? (signal === undefined ? undefined : CLIENT_TERMINAL_SIGNAL_EXIT_CODE);
  return {
    output,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(signal === undefined ? {} : { signal }),
    cancelled: ending.kind !== "exit",
    ...(ending.kind === "deadline" ? { timedOut: true } : {}),
    truncated: false,
    ...countsOf(output),
    wallTimeMs: performance.now() - startedAt,
  };
}

/** A client counts nothing: what is shown is all that is known. */
function countsOf(output: string): Pick<CommandResult, "totalLines" | "totalBytes" | "outputLines" | "outputBytes"> {
  const bytes = Buffer.byteLength(output);
  const lines = output === "" ? 0 : output.replace(/\n$/, "").split("\n").length;
  return { totalLines: lines, totalBytes: bytes, outputLines: lines, outputBytes: bytes };
}

/** What a reader sees: without escape sequences and the terminal's line ends. */
function plainText(shown: ClientOutput | undefined): string {
  return stripVTControlCharacters(shown?.output ?? "").replaceAll(/\r+\n/g, "\n");
}

async function release(terminal: ClientTerminal): Promise<void> {
  await waitAtMost(() => terminal.release(), CLIENT_TERMINAL_STOP_MS);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
