/** What a model reads of tasks: reports, what is left out of them, and how they fit their room. */
import type { TaskAwaitEntry, TaskPort } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import {
  awaitText,
  bashReport,
  fenced,
  leftOutNote,
  listedLines,
  oneLine,
  portsText,
  sharedRoom,
  truncationOf,
  withoutMiddle,
} from "../../src/tasks/report.ts";
import { jobOf } from "../support/facts.ts";

const ROOM = { maxBytes: 10_000 };
const TICK = "`";

describe("a report", () => {
  it("says how its command stands, in a word", () => {
    const word = (more: Parameters<typeof jobOf>[0]) =>
      /status: (.*)/.exec(bashReport("bash:bg_1", jobOf(more), ""))?.[1];
    const endedAtMs = 2_000;
    expect(word({})).toBe("running");
    expect(word({ state: "completed", endedAtMs, exitCode: 0 })).toBe("exited");
    expect(word({ state: "failed", endedAtMs })).toBe("failed");
    expect(word({ state: "failed", endedAtMs, exitCode: 137, signal: "SIGKILL" })).toBe("killed");
    expect(word({ state: "cancelled", endedAtMs })).toBe("killed");
    expect(word({ state: "cancelled", endedAtMs, exitCode: 1 })).toBe("killed");
  });

  it("has the facts that there are, each on its line, and then the output", () => {
    expect(bashReport("bash:bg_1", jobOf(), "a\n")).toBe("### Bash task: bash:bg_1\nstatus: running\n\n```\na\n```");
    const all = {
      title: "the\ntests",
      endedAtMs: 2_000,
      exitCode: 1,
      signal: "SIGHUP",
      usage: { userMs: 1_000, systemMs: 0 },
      recordId: "rec",
    };
    expect(bashReport("bash:bg_1", jobOf(all), "").split("\n").slice(0, 6)).toStrictEqual([
      "### Bash task: bash:bg_1 (the tests)",
      "status: killed",
      "exitCode: 1",
      "signal: SIGHUP",
      "used: 1.00 s of processor time",
      "record: artifact://rec",
    ]);
  });
});

describe("a fence", () => {
  it.each([
    ["", "```\n(no output)\n```"],
    ["\n\n", "```\n(no output)\n```"],
    ["a\nb\n\n", "```\na\nb\n```"],
    ["a `b` c", "```\na `b` c\n```"],
    ["``` x", "````\n``` x\n````"],
  ])("around %j is longer than what is in it", (text, whole) => {
    expect(fenced(text)).toBe(whole);
  });

  it("is kept short by shortening what is very long", () => {
    const most = TICK.repeat(32);
    expect(fenced(most)).toBe(`${TICK.repeat(33)}\n${most}\n${TICK.repeat(33)}`);
    expect(fenced(TICK.repeat(40))).toContain(`\n${most}[8 more backticks]\n`);
  });
});

describe("the note on what is left out", () => {
  const whole = { text: "a", isIncomplete: false };
  const kept = jobOf({ artifactId: "abc" });

  it("is none of a whole text", () => {
    expect(leftOutNote(whole, kept, undefined)).toBeUndefined();
  });

  it.each([
    [{ leftOut: { startLine: 2, endLine: 5 } }, undefined, "Lines 2-5 are left out here: artifact://abc?lines=2-5"],
    [{}, undefined, "Some of it is left out here; all output: artifact://abc"],
    [{ matches: 7 }, "x", "Some of 7 matching lines are left out here; all output: artifact://abc"],
    [{}, "x", "Some of 0 matching lines are left out here; all output: artifact://abc"],
    [{ isUnfinished: true }, "x", "The filter has not seen all of the output yet; the next call goes on."],
    [
      { isUnfinished: true, leftOut: { startLine: 2, endLine: 5 } },
      "x",
      "Lines 2-5 are left out here: artifact://abc?lines=2-5 The filter has not seen all of the output yet; the next call goes on.",
    ],
  ])("of %j with the filter %s says where the rest is", (more, filter, note) => {
    expect(leftOutNote({ text: "", isIncomplete: true, ...more }, kept, filter)).toBe(note);
  });

  it("names no address where there is none", () => {
    const leftOut = { startLine: 2, endLine: 5 };
    expect(leftOutNote({ text: "", isIncomplete: true, leftOut }, jobOf(), undefined)).toBe(
      "Lines 2-5 are left out here.",
    );
    expect(leftOutNote({ text: "", isIncomplete: true }, jobOf(), undefined)).toBe("Some of it is left out here.");
  });

  it("is data, too", () => {
    expect(truncationOf(whole, "why")).toBeUndefined();
    expect(truncationOf({ text: "", isIncomplete: true }, undefined)).toStrictEqual({
      reason: "the beginning is left out",
      totalLines: 0,
    });
    const leftOut = { startLine: 2, endLine: 5 };
    expect(truncationOf({ text: "", isIncomplete: true, leftOut }, "why")).toStrictEqual({
      reason: "why",
      totalLines: 5,
    });
  });
});

describe("a room", () => {
  it("is shared in equal parts, of a line at least", () => {
    expect(sharedRoom({ maxBytes: 100 }, 3)).toStrictEqual({ maxBytes: 33, maxLines: undefined });
    expect(sharedRoom({ maxBytes: 100, maxLines: 10 }, 3)).toStrictEqual({ maxBytes: 33, maxLines: 3 });
    expect(sharedRoom({ maxBytes: 100, maxLines: 2 }, 3)).toStrictEqual({ maxBytes: 33, maxLines: 1 });
    expect(sharedRoom({ maxBytes: 100, maxLines: 10 }, 0)).toStrictEqual({ maxBytes: 100, maxLines: 10 });
  });

  it("has a text that fits as it is, to the byte and to the line", () => {
    expect(withoutMiddle("x".repeat(100), { maxBytes: 100 })).toBe("x".repeat(100));
    expect(withoutMiddle("a\nb\nc", { maxBytes: 100, maxLines: 3 })).toBe("a\nb\nc");
  });

  it("has the beginning and the end of a longer text, within its bytes", () => {
    const text = `head${"é".repeat(5_000)}tail`;
    const cut = withoutMiddle(text, { maxBytes: 900 });
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(900);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(890);
    expect(cut.split("\n")[0]).toBe(`head${"é".repeat(148)}`);
    expect(cut.split("\n")[1]).toBe(`[… ${10_008 - 900} bytes and more left out …]`);
    expect(cut.endsWith("tail")).toBe(true);
    const wide = withoutMiddle("x".repeat(20_000), { maxBytes: 9_000 });
    expect(wide.split("\n")[0]).toHaveLength(1_000);
    expect(withoutMiddle("abcdef", { maxBytes: 3 })).toBe("a\n[… 3 bytes and more left out …]\n");
  });

  it("has the first and the last lines of a longer text, and counts the others", () => {
    const lines = Array.from({ length: 200 }, (_, at) => `${at + 1}`);
    const cut = withoutMiddle(lines.join("\n"), { maxBytes: 10_000, maxLines: 9 }).split("\n");
    expect(cut).toEqual(["1", "2", "3", "[… 192 lines left out …]", "196", "197", "198", "199", "200"]);
    const wide = withoutMiddle(lines.join("\n"), { maxBytes: 10_000, maxLines: 100 }).split("\n");
    expect(wide).toHaveLength(100);
    expect(wide.slice(19, 22)).toEqual(["20", "[… 101 lines left out …]", "122"]);
  });

  it("has as many listed lines as fit, and says how many more there are", () => {
    const lines = ["aaaa", "bbbb", "cccc"];
    expect(listedLines(lines, { maxBytes: 15 })).toBe("aaaa\nbbbb\ncccc");
    expect(listedLines(lines, { maxBytes: 14 })).toBe("aaaa\nbbbb\n… and 1 more");
    expect(listedLines(lines, { maxBytes: 100, maxLines: 3 })).toBe("aaaa\nbbbb\ncccc");
    expect(listedLines(lines, { maxBytes: 100, maxLines: 1 })).toBe("aaaa\n… and 2 more");
    expect(listedLines([], { maxBytes: 0 })).toBe("");
  });
});

describe("what is read of a task", () => {
  it.each<[TaskAwaitEntry, string]>([
    [{ status: "completed", taskId: "a", reportMarkdown: "report" }, "report"],
    [{ status: "completed", taskId: "a", reportMarkdown: "report", note: "note" }, "report\n\nnote"],
    [
      { status: "not_found", taskId: "a\nb" },
      "Task not found: a b. It may have ended long ago, or the host was started again.",
    ],
    [{ status: "invalid_scope", taskId: "a" }, "Task a belongs to a workspace that is not below this one."],
    [{ status: "error", taskId: "a", error: "why" }, "Task a: why"],
    [{ status: "queued", taskId: "a" }, "### Task a: queued"],
    [{ status: "queued", taskId: "a", output: "x", note: "n" }, "### Task a: queued\n\n```\nx\n```\n\nn"],
    [{ status: "awaiting_report", taskId: "a", elapsed_ms: 1_250 }, "### Task a: awaiting_report for 1.3 s"],
    [{ status: "running", taskId: "a", elapsed_ms: 0, output: "" }, "### Task a: running for 0.0 s"],
    [
      { status: "running", taskId: "a", output: "x\n", note: "n", ports: [{ port: 80, address: "::" }] },
      "### Task a: running\nports: [::]:80\n\n```\nx\n```\n\nn",
    ],
  ])("%j is its facts before its output", (entry, text) => {
    expect(awaitText(entry, ROOM)).toBe(text);
  });

  it("has its screen, unless the reader knows it", () => {
    const screen = { cols: 80, rows: 24, row: 1, col: 2, alternate: true, text: "drawn" };
    const entry: TaskAwaitEntry = { status: "running", taskId: "a", screen };
    const head = "### Task a: full-screen program, cursor row 1 column 2, 80x24";
    expect(awaitText(entry, ROOM)).toBe(`${head}\n\n\`\`\`\ndrawn\n\`\`\``);
    expect(awaitText(entry, ROOM, true)).toBe(`${head}\n\nScreen unchanged.`);
  });
});

describe("the text about ports", () => {
  const port = (more: Partial<TaskPort> = {}): TaskPort => ({ port: 80, address: "127.0.0.1", ...more });

  it.each<[TaskPort, string]>([
    [port(), "127.0.0.1:80"],
    [port({ address: "::1" }), "[::1]:80"],
    [port({ program: "node" }), "127.0.0.1:80 (node)"],
    [port({ pid: 7 }), "127.0.0.1:80 (pid 7)"],
    [port({ program: "no\nde", pid: 7, inside: true }), "127.0.0.1:80 (no de, pid 7, inside its own network only)"],
  ])("has of %j what is known", (each, text) => {
    expect(portsText([each])).toBe(text);
  });

  it("names eight at most, and counts the others", () => {
    const ports = Array.from({ length: 10 }, (_, at) => port({ port: at + 1 }));
    expect(portsText(ports.slice(0, 8))).toMatch(/:8$/);
    expect(portsText(ports)).toMatch(/:8 and 2 more$/);
  });
});

it("a name is one line of at most 120 units", () => {
  expect(oneLine("a\nb")).toBe("a b");
  expect(oneLine("x".repeat(120))).toHaveLength(120);
  expect(oneLine("x".repeat(121))).toBe(`${"x".repeat(119)}…`);
});
