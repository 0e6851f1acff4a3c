/**
 * The chapters of the tour: what a shell for programs has to do, shown on commands anyone can read.
 *
 * Each opens a session of its own and closes it, whatever happens; each says what it found, so that a claim that fails
 * can be understood from the printed lines alone.
 */
import { setTimeout as pause } from "node:timers/promises";
import { Shell, type ShellRunResult } from "@pi-bash/natives";
import { GIBIBYTE, MEBIBYTE, watchHost } from "./host-watch.ts";

/** Where a chapter shows what it does. */
export interface Stage {
  /** A command that runs now. */
  command(text: string): void;
  /** What came of it. */
  shown(text: string): void;
  /** A sentence that has just been checked; `found` says what was there instead. */
  claim(sentence: string, holds: boolean, found: string): void;
}

/** One thing the engine can do. */
export interface Chapter {
  title: string;
  show(stage: Stage): Promise<void>;
}

/** Most memory the host may need on top for a gigabyte of output, in bytes. */
const MEMORY_BOUND_BYTES = 64 * MEBIBYTE;
/** Deadline of the command that ignores signals, in milliseconds. */
const DEADLINE_MS = 1_000;
/** Most time past that deadline until the call is over, in milliseconds: the promise of the engine. */
const GRACE_MS = 5_000;
/** Most time a process may still be seen after its session was closed, in milliseconds. */
const GONE_WITHIN_MS = 5_000;

async function withShell(use: (shell: Shell) => Promise<void>): Promise<void> {
  const shell = new Shell();
  try {
    await use(shell);
  } finally {
    await shell.close();
  }
}

/** Runs a command and shows it with its output. */
async function showRun(stage: Stage, shell: Shell, command: string): Promise<ShellRunResult> {
  stage.command(command);
  const result = await shell.run({ command, sink: {} });
  const text = result.output?.text ?? "";
  if (text !== "") stage.shown(text);
  return result;
}

async function persistentState(stage: Stage): Promise<void> {
  await withShell(async (shell) => {
    await showRun(stage, shell, 'cd / && place="the root" && where() { echo "in $place: $PWD, $# argument"; }');
    const second = await showRun(stage, shell, "where now");
    const text = second.output?.text ?? "";
    const holds = text === "in the root: /, 1 argument\n";
    stage.claim("the second command sees folder, variable and function of the first", holds, text);

    await showRun(stage, shell, "exit 3");
    const third = await showRun(stage, shell, "where again");
    const isSame = third.output?.text === text && !third.sessionReset;
    stage.claim("`exit` ends a command, not the session", isSame, third.output?.text ?? "no output");
  });
}

async function gigabyte(stage: Stage): Promise<void> {
  const command = `yes 'a line of output that no one will ever read to its end' | head -c ${GIBIBYTE}`;
  await withShell(async (shell) => {
    await shell.run({ command: "true", sink: {} }); // The session's start is not what is measured.
    stage.command(command);
    const watch = watchHost();
    const { output, wallTimeMs } = await shell.run({ command, sink: {} });
    const { grownBytes, longestPauseMs } = watch.stop();
    const rate = output ? output.totalBytes / GIBIBYTE / (wallTimeMs / 1000) : 0;
    stage.shown(
      `${output?.totalLines ?? 0} lines in ${(wallTimeMs / 1000).toFixed(2)} s, ${rate.toFixed(2)} GiB/s; ` +
        `the host needed ${Math.round(grownBytes / MEBIBYTE)} MiB more, its longest pause was ${longestPauseMs} ms`,
    );
    const total = output?.totalBytes ?? 0;
    stage.claim("every byte was counted", total === GIBIBYTE, `${total} of ${GIBIBYTE}`);
    const kept = Buffer.byteLength(output?.text ?? "");
    stage.claim("what a model would read is under 60 KiB", kept > 0 && kept < 60 * 1024, `${kept} bytes`);
    const found = `${Math.round(grownBytes / MEBIBYTE)} MiB`;
    stage.claim("the host's memory grew by less than 64 MiB", grownBytes < MEMORY_BOUND_BYTES, found);
  });
}

async function deadline(stage: Stage): Promise<void> {
  const command = "kept=yes; (trap '' INT TERM HUP; while :; do sleep 1; done)";
  await withShell(async (shell) => {
    await shell.run({ command: "true", sink: {} });
    stage.command(`${command}     # with a deadline of ${DEADLINE_MS / 1000} s`);
    const started = performance.now();
    const result = await shell.run({ command, timeoutMs: DEADLINE_MS, sink: {} });
    const tookMs = performance.now() - started;
    stage.shown(`ended after ${(tookMs / 1000).toFixed(2)} s`);
    stage.claim("it was ended by its deadline, though it ignores signals", result.timedOut, "it was not");
    const isBounded = tookMs < DEADLINE_MS + GRACE_MS;
    stage.claim("the call was over within its bound", isBounded, `${Math.round(tookMs)} ms`);

    const next = await showRun(stage, shell, 'echo "kept: $kept"');
    const text = next.output?.text ?? "";
    stage.claim("the session lives and has its state", text === "kept: yes\n" && !next.sessionReset, text);
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function daemon(stage: Stage): Promise<void> {
  let pid: number | undefined;
  await withShell(async (shell) => {
    const command = "(sleep 1000 > /dev/null 2>&1 &); echo started";
    const result = await showRun(stage, shell, command);
    const survivor = result.survivors.find((found) => found.command.includes("sleep 1000"));
    pid = survivor?.pid;
    for (const found of result.survivors) stage.shown(`survivor: process ${found.pid}, ${found.command}`);
    stage.claim("the result names the process that outlived its command", survivor !== undefined, "it names none");
    const living = pid !== undefined && isAlive(pid);
    stage.claim("it runs on while the session does", living, "it is gone");
  });
  const end = performance.now() + GONE_WITHIN_MS;
  while (pid !== undefined && isAlive(pid) && performance.now() < end) await pause(20);
  const isGone = pid !== undefined && !isAlive(pid);
  stage.claim("it is gone when the session is closed", isGone, `process ${pid} is there`);
}

/** In the order they are shown. */
export const CHAPTERS: readonly Chapter[] = [
  { title: "A session keeps its state", show: persistentState },
  { title: "A gigabyte of output", show: gigabyte },
  { title: "A command that ignores every polite signal", show: deadline },
  { title: "A process that wants to stay", show: daemon },
];
