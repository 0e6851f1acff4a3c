/**
 * A storm of tool calls: many at once over several sessions, some aborted, some too slow, some in folders that vanish, on
 * a disk that is too small.
 *
 * Whatever happens to a call: it ends once, with its own output and nothing after it; a job's result is had once; an
 * artifact that a result names is there and whole; when all is over, no process is left.
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type BashDetails, DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { INLINE_SLACK_BYTES } from "@pi-bash/contract/internal";
import { ArtifactStore, createExecutor, type Executor, JobManager } from "@pi-bash/executor";
import { type BashTool, createBashTool, createJobTool, type JobTool, ToolAbortError, ToolError } from "@pi-bash/tool";
import { expect } from "vitest";
import { pause, until, within } from "../support/patience.ts";
import { pick, type Random, seededRandom } from "../support/random.ts";
import { scratchFolder } from "../support/scratch.ts";
import { newTag } from "../support/tag.ts";
import { backAt, settledCount } from "./process-count.ts";
import { smallDisk } from "./small-disk.ts";

/** How much of it. */
export interface Storm {
  rounds: number;
  /** At one time. */
  calls: number;
  sessions: number;
  seed: number;
}

/** What a call is about. */
const KINDS = [
  "plain",
  "failing",
  "long",
  "long",
  "tail",
  "timeout",
  "abort",
  "long-abort",
  "vanishing",
  "job",
  "long-job",
  "background",
  "kill-shell",
  "refused",
] as const;
type Kind = (typeof KINDS)[number];

/** Lines of a long output: some 300 KiB, so that a few of them fill the disk. */
const LONG_LINES = 20_000;
/** Longest time until a call is aborted, or its folder is removed, in milliseconds. */
const MOMENT_MS = 400;
/** Time in the foreground of sessions that send calls to the background, in milliseconds. */
const THRESHOLD_MS = 150;
/** Far more than a round takes on a busy machine. */
const ROUND_MS = 240_000;

/** One session of the storm, as a host has it. */
interface Session {
  bash: BashTool;
  jobs: JobTool;
  /** Ids of jobs, in the order they were delivered. */
  delivered: string[];
  manager: JobManager;
}

interface Call {
  number: number;
  kind: Kind;
  session: Session;
}

/** How a call ended. */
interface Ending {
  text: string;
  details: BashDetails;
  error?: "ToolError" | "ToolAbortError";
}

/** Runs the storm; throws with what did not hold. */
export async function soakToolStorm({ rounds, calls, sessions, seed }: Storm): Promise<void> {
  const random = seededRandom(seed);
  await storm(random, 10, sessions); // What is loaded or kept warm once is there before the first count.
  const before = await settledCount();
  for (let round = 0; round < rounds; round++) {
    await within(`round ${round} of seed ${seed}`, storm(random, calls, sessions), ROUND_MS);
  }
  await backAt(before);
}

async function storm(random: Random, calls: number, count: number): Promise<void> {
  const folder = scratchFolder();
  const tag = newTag();
  const disk = smallDisk(join(folder, "disk"), 3);
  const artifacts = new ArtifactStore({ folder: join(disk.folder, "artifacts") });
  const hostEnv = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder };
  const executor = createExecutor({}, { hostEnv, cwd: folder, usesSnapshot: false, artifacts });
  const sessions: Session[] = [];
  try {
    for (let number = 0; number < count; number++) sessions.push(await openSession(executor, folder, number));
    await Promise.all(
      Array.from({ length: calls }, async (_, number) => {
        const call = { number, kind: pick(KINDS, random), session: pick(sessions, random) };
        const moment = random() * MOMENT_MS;
        const ending = await make(call, { folder, moment, env: tag.env });
        await checkEnding(call, ending, executor);
        await checkJob(call, ending, random);
      }),
    );
    for (const { delivered } of sessions) expect(new Set(delivered).size).toBe(delivered.length);
  } finally {
    await Promise.all(sessions.map(({ manager }) => manager.dispose()));
    await executor.dispose();
    disk.free();
    rmSync(folder, { recursive: true, force: true });
  }
  await tag.gone();
}

async function openSession(executor: Executor, folder: string, number: number): Promise<Session> {
  const manager = await JobManager.open({
    artifacts: executor.artifacts,
    registryFolder: join(folder, `jobs-${number}`),
  });
  const delivered: string[] = [];
  const id = `session-${number}`;
  let isFirst = true;
  manager.subscribe(id, (batch) => {
    // A sink that fails once is tried again: still one delivery.
    if (isFirst) {
      isFirst = false;
      throw new Error("the sink is busy");
    }
    delivered.push(...batch.map(({ job }) => job.id));
  });
  const settings = {
    "async.enabled": true,
    "bash.autoBackground.enabled": number % 2 === 0,
    "bash.autoBackground.thresholdMs": THRESHOLD_MS,
  };
  const session = { cwd: folder, settings, executor, asyncJobManager: manager, getSessionId: () => id };
  return { bash: createBashTool(session), jobs: createJobTool(session), delivered, manager };
}

function own(number: number): string {
  return `own-${number}-`;
}

function longText(number: number): string {
  return Array.from({ length: LONG_LINES }, (_, at) => `${own(number)}${at + 1}\n`).join("");
}

function commandOf({ kind, number }: Call): string {
  const mark = `echo ${own(number)}`;
  const long = `seq -f '${own(number)}%.0f' 1 ${LONG_LINES}`;
  switch (kind) {
    case "plain":
    case "refused":
      return mark;
    case "failing":
      return `${mark}; (exit 3)`;
    case "long":
    case "long-abort":
    case "long-job":
      return long;
    case "tail":
      return `${long} | tail -2`;
    case "timeout":
    case "abort":
      return `${mark}; sleep 300`;
    case "vanishing":
      return `${mark}; sleep 0.1; ${mark}`;
    case "job":
      return `${mark}; sleep 0.2; ${mark}; exit 4`;
    case "background":
      return `(sleep 300; echo never) & ${mark}`;
    case "kill-shell":
      return `${mark}; kill -KILL $$`;
  }
}

interface Circumstances {
  folder: string;
  /** Milliseconds until the call is disturbed. */
  moment: number;
  /** Marks what it starts; given with the call, because a shell kept warm for the next session is no survivor. */
  env: Readonly<Record<string, string>>;
}

/** Makes the call, disturbs it, and takes note of how it ended. */
async function make(call: Call, { folder, moment, env }: Circumstances): Promise<Ending> {
  const { kind, number, session } = call;
  const controller = new AbortController();
  const isAborted = kind === "abort" || kind === "long-abort";
  if (isAborted) setTimeout(() => controller.abort(), moment);
  const cwd = join(folder, `cwd-${number}`);
  if (kind === "vanishing") {
    mkdirSync(cwd);
    setTimeout(() => rmSync(cwd, { recursive: true, force: true }), moment);
  }
  const params = {
    command: commandOf(call),
    ...(kind === "timeout" ? { timeout: 1 } : {}),
    ...(kind === "vanishing" ? { cwd } : {}),
    ...(kind === "job" || kind === "long-job" ? { async: true } : {}),
    env: kind === "refused" ? { "no name": "x" } : env,
  };
  let isSettled = false;
  let lateUpdates = 0;
  let jobId: string | undefined;
  const onUpdate = ({ details }: { details?: BashDetails | undefined }): void => {
    if (isSettled && details?.async?.jobId !== jobId) lateUpdates += 1;
  };
  const ending = await session.bash.execute(`call-${number}`, params, controller.signal, onUpdate).then(
    ({ content, details = {} }): Ending => ({ text: content.map(({ text }) => text).join(""), details }),
    (error: unknown): Ending => {
      if (error instanceof ToolError) return { text: error.message, details: error.details ?? {}, error: "ToolError" };
      if (error instanceof ToolAbortError) {
        return { text: error.message, details: error.details ?? {}, error: "ToolAbortError" };
      }
      throw error;
    },
  );
  isSettled = true;
  jobId = ending.details.async?.jobId;
  await pause(0);
  if (lateUpdates > 0 && jobId === undefined) throw new Error(`call ${number} (${kind}) was updated after its end`);
  return ending;
}

async function checkEnding({ kind, number }: Call, ending: Ending, executor: Executor): Promise<void> {
  const { text, details, error } = ending;
  const about = `call ${number} (${kind}): ${JSON.stringify(ending).slice(0, 400)}`;
  expect(Buffer.byteLength(text), about).toBeLessThanOrEqual(DEFAULT_MAX_BYTES + INLINE_SLACK_BYTES);
  // Who waited long is reported what had the shell: another call's command.
  const said = text.replaceAll(/^Waited .* for the shell, which .* had\.$/gm, "");
  const others = (said.match(/own-\d+-/g) ?? []).filter((word) => word !== own(number));
  expect(others, about).toEqual([]);
  for (const [address] of text.matchAll(/(?<=Full: |kept in |goes to )artifact:\/\/[a-z0-9]+/g)) {
    await checkArtifact(address, { kind, number }, error !== undefined, executor, about);
  }
  if (details.async !== undefined) return;
  const codes: Partial<Record<Kind, number>> = { failing: 3, "kill-shell": 137 };
  const mayFail = kind === "abort" || kind === "long-abort" || kind === "vanishing";
  if (kind === "refused") expect(text, about).toBe("Invalid bash env name: no name");
  else if (kind === "timeout") expect(text, about).toMatch(/^\[Command timed out after 1 second\]/);
  else if (!mayFail) expect([error, details.exitCode], about).toEqual([undefined, codes[kind]]);
  if (error === "ToolAbortError") expect(mayFail, about).toBe(true);
  if (kind === "abort") expect(error, about).toBe("ToolAbortError");
  if (kind === "vanishing" && error === "ToolError") {
    expect(text, about).toMatch(/^Working directory does not exist|working directory/);
  }
}

/** A named artifact is there and has every byte; that of a command that was stopped has the first ones. */
async function checkArtifact(
  address: string,
  { kind, number }: Pick<Call, "kind" | "number">,
  isStopped: boolean,
  executor: Executor,
  about: string,
): Promise<void> {
  const { text } = await executor.artifacts.read(address);
  if (kind === "background") expect(text, about).toBe(`${own(number)}\n`);
  else if (isStopped) expect(longText(number).startsWith(text), about).toBe(true);
  else expect(text === longText(number), `${about}: ${address} has ${text.length} characters`).toBe(true);
}

/** Takes the result of a job, ends it, or leaves it to be delivered: it is had once, whichever comes first. */
async function checkJob({ number, kind, session }: Call, { details }: Ending, random: Random): Promise<void> {
  const id = details.async?.jobId;
  if (id === undefined) return;
  const { jobs, delivered } = session;
  const isDelivered = (): boolean => delivered.includes(id);
  // An abort ends no job, and this one would sleep for minutes.
  const choice = kind === "abort" ? "cancel" : pick(["poll", "cancel", "leave"] as const, random);
  if (choice === "leave") {
    await until(`job ${id} of call ${number} (${kind}) is delivered`, isDelivered, ROUND_MS / 2);
    return;
  }
  const { content } = await jobs.execute("job", choice === "poll" ? { poll: [id] } : { cancel: [id] });
  const text = content.map((part) => part.text).join("");
  if (choice === "poll") {
    if (text.includes("Its result was taken before")) await until(`job ${id} is delivered`, isDelivered);
    else expect(isDelivered(), `job ${id} was polled and delivered`).toBe(false);
    const again = await jobs.execute("job", { poll: [id] });
    expect(again.content[0]?.text).toMatch(/Its result was taken before|not found/);
    return;
  }
  if (!text.startsWith("Cancelled ")) {
    // It had ended, so its result was under way, unless the text says that what it left was ended.
    await until(`job ${id}, which had ended, is delivered`, isDelivered, ROUND_MS / 2);
  }
}
