/**
 * A host as a process: takes its folder, serves until it is to end, and leaves nothing behind.
 *
 * Also how one is started in the background. What a host keeps ends with it, however it went: each session's supervisor
 * sees the end of its socket.
 */
import { spawn } from "node:child_process";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { unlink } from "node:fs/promises";
import { settlesWithin } from "@pi-bash/contract/internal/wait";
import { listenForInterrupt } from "../interrupt.ts";
import { keepsState } from "../kept-state.ts";
import { askOnce } from "./host-client.ts";
import { HostError } from "./host-error.ts";
import { type HostFolder, makeHostFolder } from "./host-folder.ts";
import { lockFolder } from "./host-lock.ts";
import { HostServer } from "./host-server.ts";
import { KeptSessions } from "./kept-sessions.ts";

/** Most time that the sessions may take to end, in milliseconds. */
const CLOSE_BOUND_MS = 20_000;
/** Time that last words have on their way to the clients, in milliseconds. */
const LAST_WORDS_MS = 1_000;
/** Most time until a host in the background answers, in milliseconds. */
const START_BOUND_MS = 30_000;
/** Time between two looks for it, in milliseconds. */
const LOOK_MS = 50;
/** Most of a log that is repeated, in characters. */
const MAX_LOG_CHARS = 4_000;
/** Left by a host in the background; a new one begins it again. */
const LOG_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

/** How a host keeps. */
export interface HostOptions {
  /** End a session that for so long has neither client nor work, in milliseconds. Absent: sessions stay. */
  readonly idleMs?: number;
}

/**
 * Runs a host in this process until a signal or a client ends it. Resolves with the exit status.
 *
 * @throws HostError `PI_HOST_RUNS` where there is one, `PI_HOST_FOLDER` where its folder cannot be trusted, and
 * `PI_NO_SESSIONS` where commands have no sessions that could be kept
 */
export async function runHost(folder: HostFolder, { idleMs }: HostOptions): Promise<number> {
  await keepsState(true);
  await makeHostFolder(folder);
  const lock = await lockFolder(folder.folder);
  if (!lock.isHeld) throw alreadyRuns(folder, lock.holder);
  // A host that is seen by no number of this system's, e.g. of another container, holds its socket all the same.
  if (await answers(folder)) throw alreadyRuns(folder, undefined);
  const sessions = new KeptSessions(idleMs);
  const interrupt = listenForInterrupt(() => undefined);
  const stopped = new AbortController();
  const server = new HostServer({
    sessions,
    onStop: () => stopped.abort(),
    onError: ({ message }) => process.stderr.write(`pi-bash: ${message}\n`),
  });
  try {
    await server.listen(folder.socket);
    process.stderr.write(`pi-bash: keeps sessions at ${folder.socket} (process ${process.pid})\n`);
    await aborted(AbortSignal.any([interrupt.signal, stopped.signal]));
    server.stopListening();
    await settlesWithin(sessions.close(), CLOSE_BOUND_MS);
    await settlesWithin(server.whenEmpty(), LAST_WORDS_MS);
    // What it had to say is of no use after an orderly end.
    await unlink(folder.log).catch(() => undefined);
    return interrupt.status ?? 0;
  } finally {
    server.stopListening();
    server.cut();
    interrupt.release();
  }
}

/** Starts a host in a session of its own, and resolves when it answers; false: one runs already. */
export async function startHost(folder: HostFolder, words: readonly string[]): Promise<boolean> {
  await makeHostFolder(folder);
  if (await answers(folder)) return false;
  await unlink(folder.log).catch(() => undefined);
  const log = openSync(folder.log, LOG_FLAGS, 0o600);
  // The program that this one is: how it was started, so that a bundle starts itself.
  const [, program = ""] = process.argv;
  const child = spawn(process.execPath, [program, "host", ...words], {
    cwd: "/",
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  const giveUp = performance.now() + START_BOUND_MS;
  while (performance.now() < giveUp) {
    // Another one may have been quicker: then ours has ended, and that one answers.
    const hasEnded = await settlesWithin(ended, LOOK_MS);
    if (await answers(folder)) {
      child.unref();
      return !hasEnded;
    }
    if (hasEnded) throw new HostError("PI_HOST_ENDED", `the host ended at its start: ${lastWords(folder)}`);
  }
  child.kill();
  throw new HostError(
    "PI_HOST_ENDED",
    `the host did not answer within ${START_BOUND_MS / 1_000} s; see \`${folder.log}\``,
  );
}

async function answers(folder: HostFolder): Promise<boolean> {
  try {
    await askOnce({ ask: "status" }, folder);
    return true;
  } catch (error) {
    if (error instanceof HostError && error.code === "PI_NO_HOST") return false;
    throw error;
  }
}

function alreadyRuns({ socket }: HostFolder, holder: number | undefined): HostError {
  const who = holder === undefined ? "" : ` (process ${holder})`;
  return new HostError(
    "PI_HOST_RUNS",
    `a host runs for this user already, at \`${socket}\`${who}; \`pi-bash host --stop\` ends it`,
  );
}

function lastWords({ log }: HostFolder): string {
  try {
    return readFileSync(log, "utf8").trim().slice(-MAX_LOG_CHARS) || `\`${log}\` is empty`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
