/** What a model reads about jobs: labels, ends, lists and cancellations. */
import { describe, expect, it } from "vitest";
import type { JobView } from "../src/jobs/job.ts";
import { cancelText, endedText, jobLabel, listLine, lostText, portsNote, startedText } from "../src/jobs/job-texts.ts";

const job = (more: Partial<JobView> = {}): JobView =>
  ({ id: "bg_1", type: "bash", state: "completed", label: "make", startedAtMs: 1_000, ...more }) as JobView;
const survivor = (more: object = {}) =>
  ({ pid: 7, command: "node server.js", ...more }) as NonNullable<JobView["survivors"]>[number];

describe("a label", () => {
  it.each([
    ["x".repeat(120), "x".repeat(120)],
    ["x".repeat(121), `${"x".repeat(117)}...`],
  ])("has at most 120 units: %s", (command, label) => {
    expect(jobLabel(command)).toBe(label);
  });
});

describe("the text of an ended job", () => {
  it.each<[string, Partial<JobView>, string]>([
    ["nothing else is known", {}, "Background job bg_1 completed: make"],
    ["it has an exit code", { exitCode: 0 }, "Background job bg_1 completed (exit code 0): make"],
    [
      "a signal ended it",
      { state: "failed", signal: "SIGKILL", endedAtMs: 1_350 },
      "Background job bg_1 failed (killed by SIGKILL, 350ms): make",
    ],
    ["it has a title", { title: "the build" }, "Background job bg_1 (the build) completed: make"],
    ["its host has gone", { state: "failed", isLost: true }, "Background job bg_1 lost: make"],
  ])("says how it ended where %s", (_, more, line) => {
    expect(endedText(job(more), "out\n", undefined)).toBe(`${line}\n\nout`);
  });

  it("says that there is no output", () => {
    expect(endedText(job(), "", "a1").split("\n").slice(1)).toEqual(["", "(no output)"]);
  });

  it("names what goes on, with its ports", () => {
    const survivors = [survivor({ ports: [5173, 80] }), survivor({ pid: 8, command: "y".repeat(100) })];

    expect(endedText(job({ survivors }), "out", undefined).split("\n").slice(2)).toEqual([
      "out",
      "",
      `Still running: 7 \`node server.js\` (listens on 5173, 80), 8 \`${"y".repeat(80)}\`. Cancel the job to end them.`,
    ]);
    expect(endedText(job({ survivors: [] }), "out", undefined)).not.toContain("Still running");
    expect(portsNote(survivor({ ports: Array.from({ length: 9 }, (_, at) => at) }))).toBe(
      " (listens on 0, 1, 2, 3, 4, 5, 6, 7)",
    );
  });

  it("is a preview where it is long, and names the whole where there is one", () => {
    const whole = `${"a".repeat(6_000)}${"b".repeat(6_000)}`;
    expect(endedText(job(), whole, "a1").endsWith(`\n\n${whole}`)).toBe(true);

    const long = endedText(job(), `${whole}b`, "a1").split("\n");
    expect(long.slice(2)).toEqual([
      "a".repeat(3_000),
      "[… 8001 characters left out …]",
      "b".repeat(1_000),
      "",
      "Full output: artifact://a1",
    ]);
    expect(endedText(job(), `${whole}b`, undefined)).not.toContain("Full output");
  });
});

describe("a line of a list", () => {
  it.each([
    [-5, "0ms"],
    [999, "999ms"],
    [1_000, "1.0s"],
    [59_949, "59.9s"],
    [60_000, "1m 0s"],
    [185_500, "3m 5s"],
    [3_599_999, "59m 59s"],
    [3_600_000, "1h 0m"],
    [7_320_000, "2h 2m"],
  ])("has how long it ran, of %i ms", (ms, text) => {
    expect(listLine(job({ endedAtMs: 1_000 + ms }), 0)).toBe(`bg_1 [bash] completed ${text} — make`);
    expect(listLine(job({ state: "running" }), 1_000 + ms)).toBe(`bg_1 [bash] running ${text} — make`);
  });
});

it.each([
  [undefined, 0, "Background job not found: bg_1"],
  [job(), 0, "Background job bg_1 is already completed."],
  [job(), 1, "Background job bg_1 is already completed. Its 1 remaining process was ended."],
  [job({ isLost: true }), 2, "Background job bg_1 is already lost. Its 2 remaining processes were ended."],
])("a cancellation says what it found", (found, stopped, text) => {
  expect(cancelText("bg_1", found, stopped)).toBe(text);
});

it("a lost job says where its output is, if it was saved", () => {
  expect(lostText(job())).toMatch(/not known\. Its output is lost\.$/);
  expect(lostText(job({ artifactId: "a1" }))).toMatch(/saved: artifact:\/\/a1\?tail=200$/);
  expect(startedText(job())).toMatch(/^Background job bg_1 started: make\n.*`poll: \["bg_1"\]`/);
});
