/** Facts of jobs, whole: what is known is there, and of what is not known there is not even the name. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ArtifactAllocation, SandboxReport } from "@pi-bash/contract";
import { describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import type { CommandResult } from "../src/command-result.ts";
import type { Executor } from "../src/executor.ts";
import { bashWork } from "../src/jobs/bash-work.ts";
import type { JobContext, JobEnd } from "../src/jobs/job.ts";
import { newEntry, settledView } from "../src/jobs/job-entry.ts";
import { JobNews } from "../src/jobs/job-news.ts";
import { JobRegistry } from "../src/jobs/job-registry.ts";
import { watchJob } from "../src/jobs/job-watch.ts";
import { hintsIn, outcomeOf } from "../src/refusals.ts";
import { terminalWork } from "../src/tty/terminal-work.ts";
import { storeIn } from "./support/artifacts.ts";
import { job } from "./support/entry.ts";
import { followed } from "./support/follow-entry.ts";
import { writtenJob } from "./support/log-file.ts";

const BARE: CommandResult = {
  output: "out\n",
  cancelled: false,
  truncated: false,
  totalBytes: 4,
  totalLines: 1,
  outputBytes: 4,
  outputLines: 1,
};
const USAGE = { cpu_ms: 1 } as unknown as NonNullable<CommandResult["usage"]>;
const SURVIVORS = [{ pid: 9, command: "sleep", startedAtMs: 1 }];
const TOTALS = { bytes: 4, lines: 1 };

/** The context of a job that is in the background. */
function contextOf() {
  const backgrounded = new AbortController();
  backgrounded.abort();
  return {
    runKey: "run-1",
    signal: new AbortController().signal,
    backgrounded: backgrounded.signal,
    setArtifact: vi.fn(),
  };
}

/** How a command ends that has this result, with `ID` for the artifact that it was given; `write` writes its file. */
function endOf(
  result: Partial<CommandResult>,
  isOnTerminal: boolean,
  context = contextOf(),
  write: (path: string) => void = () => undefined,
): Promise<JobEnd> {
  const { store } = storeIn();
  const run = async (_: string, { artifact }: { artifact?: ArtifactAllocation } = {}): Promise<CommandResult> => {
    write(artifact?.path ?? "");
    const own = Object.entries(result).map(([name, value]) => [name, value === "ID" ? artifact?.id : value]);
    return { ...BARE, ...Object.fromEntries(own) };
  };
  const executor = {
    artifacts: store,
    executeBash: run,
    runOnTerminal: run,
    secretMask: async () => undefined,
  } as unknown as Executor;
  const given = context as unknown as JobContext;
  const options = { cwd: "/", timeoutMs: 1, maxBytes: 1, onOpen: () => undefined };
  return isOnTerminal
    ? terminalWork(executor, "ls", { ...options, describe: ({ output }) => output })(given)
    : bashWork(executor, "ls", { session: "shared" })(given);
}

describe.each([
  ["a command", false],
  ["a command on a terminal", true],
])("the end of %s as the work of a job", (_, isOnTerminal) => {
  it("has nothing that its result has not", async () => {
    expect(await endOf({}, isOnTerminal)).toStrictEqual({ text: "out\n", totals: TOTALS });
  });

  it("has every fact of its result", async () => {
    const result = { exitCode: 3, signal: "SIGTERM", timedOut: true, artifactId: "ID", usage: USAGE };
    const end = await endOf(isOnTerminal ? result : { ...result, survivors: SURVIVORS }, isOnTerminal);

    expect(end).toStrictEqual({
      text: "out\n",
      exitCode: 3,
      signal: "SIGTERM",
      stopped: "deadline",
      artifactId: expect.any(String),
      usage: USAGE,
      totals: TOTALS,
      ...(isOnTerminal ? {} : { survivors: SURVIVORS }),
    });
  });

  it("can be read from its file while it runs", async () => {
    const context = contextOf();
    await endOf({ artifactId: "ID" }, isOnTerminal, context, (path) => writeFileSync(path, "four"));
    const [id, path, secrets, open] = context.setArtifact.mock.calls[0] ?? [];
    expect([typeof id, typeof path, secrets]).toEqual(["string", "string", undefined]);
    // A terminal's lines are read from its screen.
    if (isOnTerminal) return expect(open).toBeUndefined();
    const { file, size } = await open();
    await file.close();
    expect(size).toBe(4);
  });

  it("was not stopped where its result says that it was not", async () => {
    expect(await endOf({ timedOut: false }, isOnTerminal)).not.toHaveProperty("stopped");
  });
});

describe("the view of a job", () => {
  const options = { command: "make  all", work: async () => ({ text: "" }) };
  it("has at its begin an owner and a title where there are some", () => {
    const begun = { id: "", type: "bash", state: "running", label: "make all", startedAtMs: 5 };
    expect(newEntry(options, 5).view).toStrictEqual(begun);
    expect(newEntry({ ...options, owner: "me", title: "t" }, 5).view).toStrictEqual({
      ...begun,
      owner: "me",
      title: "t",
    });
  });

  it("has at its end what is known of that", () => {
    const view = { id: "bg_1", type: "bash", label: "make all", startedAtMs: 1_000, owner: "me", title: "the build" };
    const { entry } = job({ artifactId: "early" });
    expect(settledView(entry, { text: "" }, 2_000)).toStrictEqual({ ...view, state: "failed", endedAtMs: 2_000 });
    expect(settledView(entry, undefined, 2_000)).toStrictEqual({ ...view, state: "failed", endedAtMs: 2_000 });
    const end: JobEnd = {
      text: "",
      exitCode: 0,
      signal: "SIGHUP",
      stopped: "deadline",
      artifactId: "a",
      survivors: SURVIVORS,
      usage: USAGE,
    };
    expect(settledView(entry, end, 2_000)).toStrictEqual({
      ...view,
      state: "completed",
      endedAtMs: 2_000,
      exitCode: 0,
      signal: "SIGHUP",
      stopped: "deadline",
      artifactId: "a",
      survivors: SURVIVORS,
      usage: USAGE,
    });
  });

  it("is read from disk as it was written, without what has another type", async () => {
    const folder = join(scratchFolder(), "jobs");
    mkdirSync(folder, { mode: 0o700 });
    const view = { id: "bg_1", type: "bash", label: "make", state: "completed", startedAtMs: 5, endedAtMs: 9 };
    const whole = {
      version: 1,
      deliveryId: "d",
      job: view,
      delivery: "none",
      text: "x",
      host: { pid: 1, startTime: "7", instance: "a" },
    };
    const wrong = { owner: 1, title: {}, signal: 9, stopped: "gone", isLost: "yes", survivors: [{ pid: "x" }] };
    for (const more of [{}, wrong]) {
      const text = JSON.stringify({ ...whole, more: 1, job: { ...view, ...more }, host: { ...whole.host, more: 1 } });
      writeFileSync(join(folder, "bg_1.json"), text, { mode: 0o600 });
      expect(await new JobRegistry(folder).load()).toStrictEqual([whole]);
    }
  });
});

describe("a look at a job", () => {
  const LOOK = { reader: "person", timeoutMs: 0, wakesOnOutput: true, maxBytes: 1_000 };

  it("has its new output and nothing else, takes no result, and says when it is over", async () => {
    const { entry, write, end } = writtenJob();
    const released = vi.fn();
    const watched = watchJob(entry, released);
    write("one\n");
    expect(await watched.look(LOOK)).toStrictEqual({
      job: entry.view,
      output: { text: "one\n", isIncomplete: false },
    });
    end();
    expect(await watched.look(LOOK)).toStrictEqual({ job: entry.view, output: { text: "", isIncomplete: false } });
    expect([entry.delivery, released.mock.calls.length, watched.job === entry.view]).toEqual(["none", 2, true]);
  });

  it("has the newest output and the reason where its file cannot be read", async () => {
    const { entry, log } = writtenJob();
    log.open = () => Promise.reject(new Error("the place is gone"));
    entry.tail = "one\n";
    log.grow({ bytes: 4, lines: 1 });

    expect(await watchJob(entry, () => undefined).look(LOOK)).toStrictEqual({
      job: entry.view,
      output: { text: "one\n", isIncomplete: false },
      problem: "the place is gone",
    });
    log.open = () => Promise.reject("odd");
    expect(await watchJob(entry, () => undefined).look({ ...LOOK, reader: "b" })).toMatchObject({ problem: "odd" });
  });
});

describe("what a reader of a job is given", () => {
  it("has the text of an ended one, and the reason where its file could not be read, and only then", async () => {
    const { follow, write, end, log } = followed();
    write("one\n");
    const running = await follow();
    running.release();
    expect(Object.keys(running).sort()).toEqual(["commit", "job", "output", "release"]);
    end();
    const ended = await follow();
    ended.release();
    expect(Object.keys(ended).sort()).toEqual(["commit", "job", "output", "release", "text"]);
    log.open = () => Promise.reject(new Error("gone"));
    const failed = await follow();
    failed.release();

    expect([failed.problem, failed.text, failed.output.text]).toEqual(["gone", "one\n", ""]);
  });
});

it("news of a job that were taken leave those that were not", () => {
  const { entry } = job();
  const jobs = new Map([["bg_1", entry]]);
  const news = new JobNews();
  for (const key of ["a", "b", "c"]) news.put("bg_1", { key, text: key });
  const [first, second] = news.pending("me", jobs);
  if (first === undefined || second === undefined) throw new Error("nothing is pending");
  news.mark(second, "sending");
  news.mark(first, "delivered");
  expect(news.pending("me", jobs).map(({ text }) => text)).toEqual(["c"]);
  news.mark(second, "queued");

  expect(news.pending("me", jobs).map(({ text }) => text)).toEqual(["b", "c"]);
});

describe("a refusal", () => {
  const report: SandboxReport = { mode: "workspace-write", backend: "bubblewrap", network: false, degraded: [] };
  const profile = { report, writablePaths: ["/w"], cwd: "/w", isRoot: false };

  it("has a path where its line names one, and a rule where one refused it", async () => {
    expect(await hintsIn("write EPERM", profile)).toStrictEqual([{ kind: "system-call", evidence: "write EPERM" }]);
    expect(await hintsIn("a: '/x': EROFS", profile)).toStrictEqual([
      { kind: "read-only-path", path: "/x", evidence: "a: '/x': EROFS" },
    ]);
    expect(await hintsIn("EROFS", profile)).toStrictEqual([{ kind: "read-only-path", evidence: "EROFS" }]);
    const refused = { target: "a:443", reason: "no rule allows" };
    const outcome = outcomeOf({ ...report, networkRefusals: [refused, { ...refused, rule: "b" }] });
    const evidence = "`a:443`, which no rule allows";
    expect(outcome.refusals).toStrictEqual([
      { kind: "network", target: "a:443", evidence },
      { kind: "network", target: "a:443", rule: "b", evidence },
    ]);
    expect(outcomeOf({ ...report })).toStrictEqual(report);
  });

  it("says no more of the proxy than 200 units", () => {
    const networkRefusals = [{ target: "t".repeat(300), reason: "is long" }];
    expect(outcomeOf({ ...report, networkRefusals }).refusals?.[0]?.evidence).toBe(`\`${"t".repeat(199)}`);
  });
});
