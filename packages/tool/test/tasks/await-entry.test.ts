/** What is said of one awaited command: from what was read of it, while it runs and after its end. */
import type { FollowReport, JobManager, LogText } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import type { AgentReport, AgentTask, AgentTasks } from "../../src/tasks/agent-tasks.ts";
import { type AwaitOptions, type EntryOptions, entryOf, plain, waitForTask } from "../../src/tasks/await-wait.ts";
import type { ScopedTask } from "../../src/tasks/scope.ts";
import { jobOf } from "../support/facts.ts";
import { playedTerminal, SCREEN } from "../support/played-terminal.ts";

const OPTIONS: EntryOptions = { terminal: undefined, filter: undefined, maxBytes: 1_000, maxLines: undefined };
const NEW: LogText = { text: "new\n", isIncomplete: false };
const NONE: LogText = { text: "", isIncomplete: false };

function reportOf(more: Partial<FollowReport> = {}): FollowReport {
  return { job: jobOf(), output: NEW, commit: () => undefined, release: () => undefined, ...more };
}

const ENDED = jobOf({ state: "completed", endedAtMs: 3_500, exitCode: 0, artifactId: "abc" });

const entry = (report: Partial<FollowReport>, options: Partial<EntryOptions> = {}) =>
  entryOf("bash:bg_1", reportOf(report), { ...OPTIONS, ...options }, 6_000);

/** The lines in the fence of an ended one's report. */
function fencedLines(report: Partial<FollowReport>, options: Partial<EntryOptions> = {}): string[] {
  const found = entry({ job: ENDED, output: NONE, ...report }, options);
  const lines = found.status === "completed" ? found.reportMarkdown.split("\n") : [];
  return lines.slice(lines.indexOf("```") + 1, -1);
}

describe("one that runs", () => {
  it("has what is new, and since when it runs", () => {
    expect(entry({})).toStrictEqual({ status: "running", taskId: "bash:bg_1", output: "new\n", elapsed_ms: 5_000 });
    expect(entry({ job: jobOf({ startedAtMs: 9_000 }) })).toMatchObject({ elapsed_ms: 0 });
  });

  it("says what is left out and why", () => {
    const output = { text: "", isIncomplete: true };
    expect(entry({ output, problem: "no disk" })).toMatchObject({
      note: "Some of it is left out here.\nThe whole output cannot be read: no disk",
    });
    expect(entry({ output: { ...output, matches: 3 } }, { filter: "x" })).toMatchObject({
      note: "Some of 3 matching lines are left out here.",
    });
  });

  it("has its screen in place of the lines where it has drawn one among them", () => {
    const drawn = playedTerminal({ isDrawn: true }).terminal;
    expect(entry({}, { terminal: drawn })).toMatchObject({ output: "", screen: SCREEN });
    const plainOne = playedTerminal().terminal;
    expect(entry({}, { terminal: plainOne, wantsScreen: true })).toMatchObject({ output: "new\n", screen: SCREEN });
    expect(entry({}, { terminal: plainOne })).not.toHaveProperty("screen");
    const full = playedTerminal({ isDrawn: true, screen: () => ({ ...SCREEN, alternate: true }) }).terminal;
    expect(entry({}, { terminal: full })).toMatchObject({ output: "new\n", screen: { alternate: true } });
  });
});

describe("one that has ended", () => {
  it("has its facts, what is new, and the same as a report", () => {
    expect(entry({ job: ENDED, text: "old\nnew\n" })).toStrictEqual({
      status: "completed",
      taskId: "bash:bg_1",
      reportMarkdown: "### Bash task: bash:bg_1\nstatus: exited\nexitCode: 0\n\n```\nnew\n```",
      output: "new\n",
      elapsed_ms: 2_500,
      exitCode: 0,
    });
    const usage = { userMs: 1, systemMs: 1 };
    const { exitCode: _, ...unknown } = ENDED;
    const more = entry({ job: { ...unknown, title: "tests", usage } });
    expect(more).toMatchObject({ title: "tests", usage });
    expect(more).not.toHaveProperty("exitCode");
  });

  it("is given again to a late reader, who is notified of that", () => {
    const again = "There is no newer output; this is the end of the result.";
    expect(fencedLines({ text: "old\nnew\n" })).toEqual(["old", "new"]);
    expect(entry({ job: ENDED, output: NONE, text: "old\n" })).toMatchObject({
      output: "",
      note: `${again} All of it: artifact://abc`,
    });
    const { artifactId: _, ...unkept } = ENDED;
    expect(entry({ job: unkept, output: NONE, text: "old\n" })).toMatchObject({ note: again });
    expect(entry({ job: ENDED, output: NONE, text: " \n" })).not.toHaveProperty("note");
    expect(entry({ job: ENDED, output: NONE })).not.toHaveProperty("note");
  });

  it("shows a reader with a filter only what matches", () => {
    expect(fencedLines({ text: "old\n" }, { filter: "x" })).toEqual(["(no output)"]);
    expect(entry({ job: ENDED, output: NONE, text: "old\n" }, { filter: "x" })).not.toHaveProperty("note");
  });

  it.each([
    ["[Command timed out after 5 seconds]\nx\n", "[Command timed out after 5 seconds]"],
    ["[Command cancelled]\nx\n", "[Command cancelled]"],
    ["x\n[Command cancelled]\n", undefined],
    ["[Command failed]\n", undefined],
  ])("that was stopped has the line that says so: %j", (text, note) => {
    const found = entry({ job: ENDED, text });
    expect("note" in found ? found.note : undefined).toBe(note);
  });

  it("says what is left out, as data, too", () => {
    const output = { text: "z\n", isIncomplete: true, leftOut: { startLine: 1, endLine: 9 } };
    const reason = "Lines 1-9 are left out here: artifact://abc?lines=1-9";
    expect(entry({ job: ENDED, output, problem: "no disk" })).toMatchObject({
      note: `${reason}\nThe whole output cannot be read: no disk`,
      truncated: { reason, totalLines: 9 },
    });
  });

  it("is given again within its bytes, from the beginning of a line", () => {
    const text = "first line\nsecond line\nthird line\n";
    expect(fencedLines({ text }, { maxBytes: Buffer.byteLength(text) })).toHaveLength(3);
    expect(fencedLines({ text }, { maxBytes: 30 })).toEqual(["second line", "third line"]);
    expect(fencedLines({ text }, { maxBytes: 13 })).toEqual(["third line"]);
    expect(fencedLines({ text }, { maxLines: 2 })).toEqual(["third line"]);
    expect(fencedLines({ text: text.trimEnd() }, { maxLines: 2 })).toEqual(["second line", "third line"]);
    const long = `short\n${"x".repeat(100)}`;
    expect(fencedLines({ text: `${long}\ny` }, { maxBytes: 60 })).toEqual(["x".repeat(58), "y"]);
    expect(fencedLines({ text: long }, { maxBytes: 50 })).toEqual(["x".repeat(50)]);
  });
});

it.each([
  [{ status: "completed", taskId: "a", reportMarkdown: "" }, true],
  [{ status: "error", taskId: "a", error: "" }, true],
  [{ status: "running", taskId: "a" }, false],
  [{ status: "not_found", taskId: "a" }, false],
] as const)("a task of which nothing was read is ready where it is over: %j", (of, isReady) => {
  expect(plain(of).isReady).toBe(isReady);
});

describe("an agent that is waited for", () => {
  const AGENT: AgentTask = { taskId: "a", workspaceId: "a", status: "running", depth: 1, createdAtMs: 4_000 };
  const WAIT: AwaitOptions = {
    reader: "",
    filter: undefined,
    filterExclude: false,
    timeoutMs: 20_000,
    wakesOnOutput: true,
    maxBytes: 1_000,
    maxLines: undefined,
  };

  async function wait(
    agent: Partial<AgentTask>,
    agents: Partial<AgentTasks> | undefined,
    { options = {}, stop = new AbortController().signal }: { options?: Partial<AwaitOptions>; stop?: AbortSignal } = {},
  ) {
    const task: ScopedTask = { kind: "agent", taskId: "a", agent: { ...AGENT, ...agent } };
    const ports = {
      // An agent has no jobs.
      manager: {} as JobManager,
      agents: agents === undefined ? undefined : ({ reportOf: () => undefined, ...agents } as AgentTasks),
      now: () => 6_000,
    };
    return (await waitForTask(task, { ...WAIT, ...options }, stop, ports)).entry;
  }
  const never = () => new Promise<AgentReport>(() => undefined);

  it("has its report, with a title and a note where there are some", async () => {
    const report = { reportMarkdown: "done" };
    const completed = { status: "completed", taskId: "a", reportMarkdown: "done", elapsed_ms: 2_000 };
    expect(await wait({}, { reportOf: () => report })).toStrictEqual(completed);
    expect(await wait({ title: "of the task" }, { waitForReport: async () => report })).toStrictEqual({
      ...completed,
      title: "of the task",
    });
    const more = { ...report, title: "of the report", note: "note" };
    expect(await wait({ title: "of the task", createdAtMs: 9_000 }, { reportOf: () => more })).toStrictEqual({
      ...completed,
      title: "of the report",
      note: "note",
      elapsed_ms: 0,
    });
  });

  it("is said to go on where the time is over, and where no waiting was wanted", async () => {
    const running = { status: "running", taskId: "a", elapsed_ms: 2_000 };
    let asked = 0;
    const waitForReport = () => {
      asked += 1;
      return never();
    };
    expect(await wait({}, { waitForReport }, { options: { timeoutMs: 0 } })).toStrictEqual(running);
    expect(await wait({}, undefined)).toStrictEqual(running);
    expect(asked).toBe(0);
    expect(await wait({}, { waitForReport }, { options: { timeoutMs: 1 } })).toStrictEqual(running);
    expect(await wait({}, { waitForReport }, { stop: AbortSignal.abort() })).toStrictEqual(running);
    const { createdAtMs: _, ...unknown } = AGENT;
    expect(
      (
        await waitForTask({ kind: "agent", taskId: "a", agent: unknown }, WAIT, AbortSignal.abort(), {
          manager: {} as JobManager,
          agents: undefined,
          now: () => 6_000,
        })
      ).entry,
    ).toStrictEqual({ status: "running", taskId: "a" });
  });

  it("is an error where its report is gone, and where its host fails", async () => {
    const fails = (why: unknown) => Promise.reject(why);
    expect(await wait({ status: "reported" }, {})).toStrictEqual({
      status: "error",
      taskId: "a",
      error: "The task has ended and its report is gone.",
    });
    expect(await wait({}, { reportOf: () => fails(new Error("no host")) })).toMatchObject({ error: "no host" });
    expect(await wait({}, { waitForReport: () => fails("no report") })).toMatchObject({ error: "no report" });
  });
});
