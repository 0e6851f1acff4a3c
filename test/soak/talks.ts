/**
 * Tasks on terminals in large numbers: started, typed to, taken by a person and ended at random moments, recorded as well.
 *
 * Whatever happens to one: each call is answered within its bound, with an answer or an error that the tools know; the task
 * ends; and when all is over no process, descriptor, pseudoterminal and temporary file is left.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ArtifactStore, createExecutor, JobManager, type TaskTerminal } from "@pi-bash/executor";
import { createTaskTools, ToolAbortError, ToolError } from "@pi-bash/tool";
import { expect } from "vitest";
import { pause, until, within } from "../support/patience.ts";
import { pick, type Random, seededRandom } from "../support/random.ts";
import { scratchFolder } from "../support/scratch.ts";
import { newTag, type Tag } from "../support/tag.ts";
import { inLanes } from "./lanes.ts";
import { backAt, settledCount } from "./process-count.ts";

/** Tasks at one time. */
const LANES = 24;
/** Most steps between a start and an end. */
const MOST_STEPS = 4;
/** Longest pause between two of them, in milliseconds. */
const MOMENT_MS = 120;
/** Far more than one call takes on a busy machine. */
const CALL_MS = 60_000;
/** Longest time that a call may wait for a program, in seconds. */
const WAIT_SECS = 1;
/**
 * What the host may hold more at the end than at the beginning, in bytes: compiled code and caches of what was loaded, and for
 * each task: its last 2,000 lines are kept for an hour, 12 KiB of a flood. A screen that stays takes from 256 KiB to 4 MiB.
 * 15 KiB a task were measured, what is loaded included.
 */
const HELD_BYTES = 24 * 1024 * 1024;
const HELD_BYTES_PER_TASK = 16 * 1024;

/** Programs that ask, draw, write without end, end by themselves, or do not want to end. */
const PROGRAMS = [
  "read -rp 'Name: ' n; echo \"hello $n\"",
  "read -rsp 'Token: ' t; echo; read -rp 'more? ' x",
  "cat",
  "bash --norc --noprofile -i",
  "exit 3",
  "yes flood",
  "seq 1 20000; read -rp '? ' x",
  "printf '\\033[?1049h\\033[5;5Hdrawn'; read -rsn1 key; printf '\\033[?1049l'",
  "trap '' INT TERM HUP; while :; do read -t 1 -r line; done",
  "setsid sleep 300 & read -rp 'left one: ' x",
  "kill -STOP $$",
] as const;

const KEYS = ["Enter", "Escape", "Up", "Ctrl-C", "Ctrl-D", "Ctrl-Z", "F5", "Alt-x"] as const;
const SIGNALS = ["INT", "TERM", "WINCH", "CONT", "USR1"] as const;

/** What happens to a task after its start. */
const STEPS = ["text", "keys", "signal", "size", "long", "person", "secret", "await", "pause", "abort"] as const;

/** Counts of one soak, for whoever reads its output. */
export interface TalkCounts {
  readonly starts: number;
  readonly sends: number;
  readonly refused: number;
  /** What the collector leaves, more than before. */
  readonly heldBytes: number;
  /** Memory that the system counts, more than before: an allocator keeps pages of what was freed. */
  readonly residentBytes: number;
}

/** Runs the soak; throws with what did not hold. */
export async function soakTalks(count: number, seed: number): Promise<TalkCounts> {
  const random = seededRandom(seed);
  // What is loaded or kept warm once is there before the first count.
  await talks(30, random);
  const heldBefore = heldBytes();
  const before = await settledCount();
  const counts = await talks(count, random);
  await backAt(before);
  const grown = heldBytes() - heldBefore;
  expect(grown).toBeLessThan(HELD_BYTES + count * HELD_BYTES_PER_TASK);
  const residentBytes = (await settledCount()).residentBytes - before.residentBytes;
  return { ...counts, heldBytes: grown, residentBytes };
}

/** Bytes on the heap and in buffers, after the collector has run. */
function heldBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  // A collection frees what the one before it has finalized.
  for (let times = 0; times < 4; times += 1) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What the tasks of a soak share. */
interface Scene {
  readonly tools: ReturnType<typeof createTaskTools>;
  readonly manager: JobManager;
  readonly tag: Tag;
  readonly random: Random;
  sends: number;
  refused: number;
}

async function talks(count: number, random: Random): Promise<Pick<TalkCounts, "starts" | "sends" | "refused">> {
  const folder = scratchFolder();
  const tag = newTag();
  const artifacts = new ArtifactStore({
    folder: join(folder, "artifacts"),
    quotaBytes: 64 * 1024 * 1024,
    maxBytes: 1024 * 1024,
  });
  const hostEnv = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder, ...tag.env };
  const settings = { "tty.record": true } as const;
  const executor = createExecutor(settings, { hostEnv, cwd: folder, usesSnapshot: false, artifacts });
  const manager = await JobManager.open({ artifacts, maxJobs: 100 });
  const session = { cwd: folder, settings, executor, asyncJobManager: manager, getSessionId: () => "soak" };
  const scene: Scene = { tools: createTaskTools(session), manager, tag, random, sends: 0, refused: 0 };
  try {
    await inLanes(count, LANES, (index) => within(`task ${index}`, one(scene), CALL_MS * MOST_STEPS));
    expect(manager.runningCount).toBe(0);
    const open = readdirSync("/proc/self/fd").length;
    expect(open).toBeLessThan(1_000);
  } finally {
    await manager.dispose();
    await executor.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
  await tag.gone();
  return { starts: count, sends: scene.sends, refused: scene.refused };
}

/** One task, from its start to its end. */
async function one(scene: Scene): Promise<void> {
  const { tools, manager, random } = scene;
  const start = new AbortController();
  const isAborted = random() < 0.05;
  if (isAborted) setTimeout(() => start.abort(), random() * MOMENT_MS);
  const script = pick(PROGRAMS, random);
  const params = { kind: "bash", script, timeout_secs: 120, display_name: "soak", tty: true } as const;
  // A program that never waits keeps its call for ten seconds: most are sent to the background.
  const more = { run_in_background: random() < 0.93 };
  const begun = await known(scene, tools.task.execute("call", { ...params, ...more }, start.signal));
  const taskId = begun?.details.taskId;
  // Aborted before it had an id, its program is ended; the count at the end says so.
  if (taskId === undefined) return;
  const jobId = taskId.slice("bash:".length);
  const steps = Math.floor(random() * (MOST_STEPS + 1));
  for (let at = 0; at < steps; at += 1) await step(scene, taskId, manager.terminal(jobId));
  await pause(random() * MOMENT_MS);
  const ended = await known(scene, tools.task_terminate.execute("call", { task_ids: [taskId] }));
  expect(ended?.details.results[0]?.status, script).toMatch(/^(?:terminated|already_completed|completed|not_found)$/);
  await until(`the end of ${script}`, () => manager.find(jobId)?.job.endedAtMs !== undefined, CALL_MS);
}

async function step(scene: Scene, taskId: string, terminal: TaskTerminal | undefined): Promise<void> {
  const { random, tools } = scene;
  const send = async (params: object, signal?: AbortSignal): Promise<void> => {
    scene.sends += 1;
    const call = { task_id: taskId, wait_secs: random() < 0.5 ? WAIT_SECS : 0.05, ...params };
    await known(scene, tools.task_send.execute("call", call, signal));
  };
  switch (pick(STEPS, random)) {
    case "text":
      return send({ text: pick(["y", "", "hello $(true)", "two\nlines", "é宽🙂"], random), enter: random() < 0.8 });
    case "keys":
      return send({ keys: Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(KEYS, random)) });
    case "signal":
      return send({ signal: pick(SIGNALS, random) });
    case "size":
      return send({ size: { cols: Math.floor(random() * 500), rows: Math.floor(random() * 300) } });
    case "long":
      return send({ text: "x".repeat(Math.floor(random() * 6_000)) });
    case "person":
      return sit(terminal, random);
    case "secret":
      await Promise.race([terminal?.sendSecret("correct horse 7"), pause(random() * MOMENT_MS)]);
      return;
    case "await":
      await known(
        scene,
        tools.task_await.execute("call", { task_ids: [taskId], timeout_secs: WAIT_SECS, screen: true }),
      );
      return;
    case "pause":
      return pause(random() * MOMENT_MS);
    case "abort": {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), random() * MOMENT_MS);
      return send({ text: "aborted" }, stop.signal);
    }
  }
}

/** A person takes the terminal, types, and goes: by handing it back, or by forgetting it. */
async function sit(terminal: TaskTerminal | undefined, random: Random): Promise<void> {
  if (terminal === undefined || terminal.isOver || terminal.holder === "person") return;
  const seat = terminal.take({});
  try {
    seat.redraw();
    seat.resize(80, 24);
    for (const key of "a person\r") {
      if (!terminal.isOver) seat.write(key);
    }
  } catch (error) {
    // The program ended meanwhile, or reads nothing: both are said by an error with a code.
    if (
      !(error instanceof Error) ||
      !/handed back|PI_PTY|takes no more|not running/i.test(`${"code" in error ? error.code : ""} ${error.message}`)
    )
      throw error;
  }
  await pause(random() * MOMENT_MS);
  seat.handBack();
}

/** What a call answers; undefined where it was refused with an error that the tools know. */
async function known<T>(scene: Scene, call: Promise<T>): Promise<T | undefined> {
  try {
    return await within("a call", call, CALL_MS);
  } catch (error) {
    if (!(error instanceof ToolError || error instanceof ToolAbortError)) throw error;
    scene.refused += 1;
    return undefined;
  }
}
