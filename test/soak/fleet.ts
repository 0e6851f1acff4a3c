/**
 * A fleet: many agents on one Slurm, each with a session, background jobs, a service that is reached and an abort, through the
 * same packages that a host uses. Some agents share jobs of Slurm, some have one each and wait in the queue for it.
 *
 * At the end an account of what ran where is printed, and nothing is left: no process, no job, no file, no descriptor.
 */
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { createExecutor, type Executor, JobManager } from "@pi-bash/executor";
import { type RemotePlace, slurm } from "@pi-bash/places";
import { type BashTool, createBashTool, createJobTool, type JobTool, ToolAbortError } from "@pi-bash/tool";
import { expect } from "vitest";
import { until, within } from "../support/patience.ts";
import { startPlaces, type TestPlaces } from "../support/places.ts";
import { SlurmPrograms } from "../support/slurm-jobs.ts";
import { processesWith } from "../support/tag.ts";
import { backAt, settledCount } from "./process-count.ts";

/** Jobs of Slurm that agents share. The lab has 16 processors: what these leave is for agents with a job each. */
const SHARED_JOBS = 8;
/** One agent in so many has a job of its own. */
const OWN_SHARE = 4;
/** Most time that an agent may take, its wait in the queue included, in milliseconds. */
const AGENT_MS = 600_000;
/** Most time for a step of an agent, in milliseconds. */
const STEP_MS = 120_000;

/** What an agent did, and where. */
export interface Account {
  readonly agent: string;
  /** Job and step of Slurm, and the node. */
  readonly job: string;
  readonly step: string;
  readonly node: string;
  /** Whether the job was this agent's alone. */
  readonly isOwn: boolean;
  /** Calls of the bash tool, background jobs among them. */
  readonly commands: number;
  /** From the first call to the end of the session, in seconds. */
  readonly wallSeconds: number;
  /** Of its session and of its background job, with all that they waited for, in seconds. */
  readonly cpuSeconds: number;
}

/** Runs `count` agents at once; returns what each of them did. */
export async function soakFleet(count: number): Promise<Account[]> {
  const places = await startPlaces("slurm");
  const programs = new SlurmPrograms(places.env);
  try {
    await run(1, places); // What is loaded or kept warm once is there before the count.
    const before = await settledCount();
    const { accounts, queued, folders } = await run(count, places);
    await until("no job to be there", () => programs.jobs().length === 0, STEP_MS);
    const cache = places.common.env["PI_HOST_CACHE"] ?? "";
    await until("no process to be there", () => processesWith(`PI_HOST_CACHE=${cache}`).length === 0, STEP_MS);
    expect(folders.filter((folder) => existsSync(folder))).toEqual([]);
    const files = readdirSync(cache, { recursive: true }).map(String);
    expect(files.filter((name) => !/^(?:hosts|pi-host-[0-9a-f]{64})$/.test(name))).toEqual([]);
    await backAt(before);
    print(accounts, queued, programs);
    return accounts;
  } finally {
    await places.stop();
  }
}

interface FleetRun {
  readonly accounts: Account[];
  /** Agents that the queue let wait. */
  readonly queued: number;
  /** Folders of the `pi-host`s. */
  readonly folders: string[];
}

async function run(count: number, places: TestPlaces): Promise<FleetRun> {
  const waited = new Set<string>();
  const shared = Array.from({ length: Math.min(SHARED_JOBS, count) }, () => slurm({ ...places.common, time: "30" }));
  const own = slurm({
    ...places.common,
    isolation: "job",
    time: "10",
    onQueue: (text, key = "") => {
      if (text.includes("waits in the queue")) waited.add(key);
    },
  });
  const placement = (key = ""): RemotePlace =>
    hasOwnJob(numberOf(key)) ? own : (shared[numberOf(key) % shared.length] ?? own);
  const executor = createExecutor({}, { placement, usesSnapshot: false });
  const manager = await JobManager.open({ artifacts: executor.artifacts, maxJobs: count * 2 });
  const folders: string[] = [];
  try {
    const agents = Array.from({ length: count }, (_, number) => new Agent(`agent-${number}`, executor, manager));
    const accounts = await Promise.all(
      agents.map((agent) => within(`the work of ${agent.key}`, agent.work(), AGENT_MS)),
    );
    for (const place of shared) folders.push((await place.open()).facts.folder);
    return { accounts, queued: waited.size, folders };
  } finally {
    await manager.dispose();
    await executor.dispose();
    await Promise.all([own, ...shared].map((place) => place.close()));
  }
}

function numberOf(key: string): number {
  return Number(key.split("-")[1] ?? 0);
}

function hasOwnJob(number: number): boolean {
  return number % OWN_SHARE === OWN_SHARE - 1;
}

/** One agent, as a host has it: the tools over a session of its own. */
class Agent {
  readonly key: string;
  readonly #executor: Executor;
  readonly #manager: JobManager;
  #commands = 0;
  #cpuSeconds = 0;

  constructor(key: string, executor: Executor, manager: JobManager) {
    this.key = key;
    this.#executor = executor;
    this.#manager = manager;
  }

  async work(): Promise<Account> {
    const { key } = this;
    // Rejects where the place cannot be had; an agent with a job of its own waits for it here.
    const place = await this.#executor.placeOf(key);
    const startedAt = performance.now();
    const session = {
      cwd: place?.cwd ?? "",
      settings: { "async.enabled": true },
      executor: this.#executor,
      place,
      asyncJobManager: this.#manager,
      getSessionId: () => key,
    };
    const [bash, jobs] = [createBashTool(session), createJobTool(session)];
    const where = await this.#run(bash, `AGENT=${key}; echo "$SLURM_JOB_ID $SLURM_STEP_ID $SLURMD_NODENAME"`);
    const [job = "", step = "", node = ""] = (where.split("\n")[0] ?? "").split(" ");
    expect(job).toMatch(/^\d+$/);

    const counting = await this.#start(bash, 'for i in 1 2 3; do echo "line $i"; sleep 0.1; done; times');
    const service = await this.#start(bash, "exec python3 -u -m http.server --bind 127.0.0.1 0");
    const port = await this.#portOf(service);
    const request = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'HEAD / HTTP/1.0\\r\\n\\r\\n' >&3; head -n 1 <&3; exec 3>&-`;
    expect(await this.#run(bash, request)).toContain(" 200 OK");
    await this.#abort(bash);

    const counted = await this.#poll(jobs, counting);
    expect(counted).toContain("line 1\nline 2\nline 3\n");
    this.#cpuSeconds += secondsIn(counted);
    // The abort has cost the session nothing.
    const last = await this.#run(bash, 'echo "I am $AGENT"; times');
    expect(last).toContain(`I am ${key}\n`);
    this.#cpuSeconds += secondsIn(last);
    await jobs.execute("job", { cancel: [service] });
    await until(`the service of ${key} to be gone`, () => isClosed(port), STEP_MS);
    await this.#executor.closeSession(key);
    const wallSeconds = (performance.now() - startedAt) / 1_000;
    const [commands, cpuSeconds] = [this.#commands, this.#cpuSeconds];
    return { agent: key, job, step, node, isOwn: hasOwnJob(numberOf(key)), commands, wallSeconds, cpuSeconds };
  }

  /** A command in the foreground; its text. */
  async #run(bash: BashTool, command: string): Promise<string> {
    this.#commands += 1;
    const { content } = await bash.execute(`${this.key}-${this.#commands}`, { command });
    return content.map(({ text }) => text).join("");
  }

  /** A command in the background; the job's id. */
  async #start(bash: BashTool, command: string): Promise<string> {
    this.#commands += 1;
    const { details } = await bash.execute(`${this.key}-${this.#commands}`, { command, async: true });
    const id = details?.async?.jobId;
    if (id === undefined) throw new Error(`${this.key}: no job was started`);
    return id;
  }

  /** The result of a job, when it has ended. */
  async #poll(jobs: JobTool, id: string): Promise<string> {
    const { content } = await jobs.execute("job", { poll: [id] });
    return content.map(({ text }) => text).join("");
  }

  /** The port that a service says it listens on. */
  async #portOf(id: string): Promise<number> {
    let port: number | undefined;
    await until(
      `the service of ${this.key} to listen`,
      () => {
        const text = this.#manager.read(id, this.key)?.text ?? "";
        port = Number(/ port (\d+) /.exec(text)?.[1] ?? Number.NaN);
        return !Number.isNaN(port);
      },
      STEP_MS,
    );
    return port ?? 0;
  }

  async #abort(bash: BashTool): Promise<void> {
    this.#commands += 1;
    const abort = new AbortController();
    const call = bash.execute(
      `${this.key}-abort`,
      { command: "echo begun; sleep 300" },
      abort.signal,
      ({ content }) => {
        if (content.some(({ text }) => text.includes("begun"))) abort.abort();
      },
    );
    const end = await within(
      `the abort of ${this.key}`,
      call.catch((error: unknown) => error),
      STEP_MS,
    );
    expect(end).toBeInstanceOf(ToolAbortError);
  }
}

/** Seconds of the four times that bash's `times` prints. */
function secondsIn(text: string): number {
  const times = [...text.matchAll(/(\d+)m(\d+[.,]\d+)s/g)];
  expect(times.length).toBe(4);
  return times.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds?.replace(",", ".")),
    0,
  );
}

/** Whether nothing listens on a port of this machine, where the lab is. */
async function isClosed(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return false;
  } catch {
    return true;
  } finally {
    socket.destroy();
  }
}

/** Prints the account: each job of Slurm with its agents, from their results and from what Slurm still knows. */
function print(accounts: readonly Account[], queued: number, programs: SlurmPrograms): void {
  const rows = accounts.map(({ agent, job, step, node, isOwn, commands, wallSeconds, cpuSeconds }) =>
    [
      agent,
      `${job}.${step}`,
      isOwn ? "own" : "shared",
      node,
      commands,
      wallSeconds.toFixed(1),
      cpuSeconds.toFixed(2),
    ].join("\t"),
  );
  const jobs = [...new Set(accounts.map(({ job }) => job))].map((job) =>
    [
      job,
      programs.memberOf(job, "JobState"),
      programs.memberOf(job, "RunTime"),
      accounts.filter((each) => each.job === job).length,
    ].join("\t"),
  );
  const sum = (of: (account: Account) => number): number => accounts.reduce((all, account) => all + of(account), 0);
  const total = `${accounts.length} agents, ${jobs.length} jobs of Slurm, ${queued} agents waited in the queue, ${sum((each) => each.commands)} commands, ${sum((each) => each.cpuSeconds).toFixed(1)} s of CPU`;
  const lines = [
    ["agent", "job.step", "job is", "node", "commands", "wall s", "CPU s"].join("\t"),
    ...rows,
    ["job", "state", "run time", "agents"].join("\t"),
    ...jobs,
    total,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
