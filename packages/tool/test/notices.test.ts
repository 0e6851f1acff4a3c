/** The lines after the output of a call: what each says, and where it says nothing. */
import { Settings, type SettingsInput, type Truncation } from "@pi-bash/contract";
import type { CommandResult } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import {
  type FolderNews,
  sessionNotices,
  sizeText,
  survivorsNotice,
  truncationNotice,
  truncationOf,
  usageText,
} from "../src/notices.ts";
import { resultOf } from "./support/facts.ts";

const HERE: FolderNews = { kind: "left", from: "/w" };

/** What is said of the session after a command with these facts. */
const said = (more: Partial<CommandResult>, folder: FolderNews = HERE): string[] =>
  sessionNotices(resultOf("", more), folder);

describe("a size", () => {
  it.each([
    [0, "0B"],
    [1_023, "1023B"],
    [1_024, "1.0KB"],
    [1_536, "1.5KB"],
    [1_024 ** 2 - 1, "1024.0KB"],
    [1_024 ** 2, "1.0MB"],
    [1_024 ** 3, "1.0GB"],
    [5 * 1_024 ** 4, "5120.0GB"],
  ])("of %d bytes is %s", (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });
});

describe("a truncation", () => {
  const cut = (more: Partial<CommandResult>, settings: SettingsInput = {}): Truncation | undefined =>
    truncationOf(
      resultOf("", { truncated: true, totalLines: 100, outputLines: 10, ...more }),
      Settings.parse(settings),
    );

  it("is none of a whole output", () => {
    expect(cut({ truncated: false })).toBeUndefined();
  });

  it("has the end of the lines where no head is kept", () => {
    const found = cut({ shownRange: { startLine: 91, endLine: 100 } });
    expect(found).toMatchObject({
      direction: "tail",
      truncatedBy: "bytes",
      shownRange: { startLine: 91, endLine: 100 },
    });
    expect(found).not.toHaveProperty("headRange");
    expect(found).not.toHaveProperty("artifactId");
    expect(found).not.toHaveProperty("maxLines");
  });

  it("has both ends where a head is kept, and lines of one are shown", () => {
    const settings = { "bash.outputHeadBytes": 1_000 };
    const shown = { shownRange: { startLine: 94, endLine: 100 } };
    expect(cut(shown, settings)).toMatchObject({ direction: "middle", headRange: { startLine: 1, endLine: 3 } });
    expect(cut(shown)).toMatchObject({ direction: "tail" });
    const tail = cut({ shownRange: { startLine: 91, endLine: 100 } }, settings);
    expect(tail).toMatchObject({ direction: "tail" });
    expect(tail).not.toHaveProperty("headRange");
    expect(cut({}, settings)).toMatchObject({ direction: "tail" });
  });

  it("names the bound, and where all of it is", () => {
    const found = cut({ truncatedBy: "lines", artifactId: "abc" }, { "bash.outputMaxLines": 10 });
    expect(found).toMatchObject({ truncatedBy: "lines", maxLines: 10, artifactId: "abc" });
    expect(found).not.toHaveProperty("shownRange");
  });

  const facts: Truncation = {
    direction: "tail",
    truncatedBy: "bytes",
    totalLines: 100,
    totalBytes: 5_000,
    outputLines: 10,
    outputBytes: 500,
    maxBytes: 2_048,
  };

  it.each<[string, Partial<Truncation>, string | undefined, string]>([
    ["without lines", {}, undefined, "[Showing the end of 100 lines (2.0KB limit).]"],
    [
      "with its lines",
      { shownRange: { startLine: 91, endLine: 100 } },
      undefined,
      "[Showing lines 91-100 of 100 (2.0KB limit).]",
    ],
    [
      "at a bound of lines",
      { truncatedBy: "lines", maxLines: 10, shownRange: { startLine: 91, endLine: 100 } },
      undefined,
      "[Showing lines 91-100 of 100 (10 lines limit).]",
    ],
    [
      "with a head",
      { headRange: { startLine: 1, endLine: 3 }, shownRange: { startLine: 94, endLine: 100 } },
      undefined,
      "[Showing lines 1-3 and 94-100 of 100 (2.0KB limit).]",
    ],
    [
      "of the lines themselves",
      { shownRange: { startLine: 1, endLine: 100 } },
      undefined,
      "[Long lines are shown in part.]",
    ],
    [
      "whose end is missing",
      { shownRange: { startLine: 1, endLine: 99 } },
      undefined,
      "[Showing lines 1-99 of 100 (2.0KB limit).]",
    ],
    [
      "whose first line is missing",
      { shownRange: { startLine: 2, endLine: 100 } },
      undefined,
      "[Showing lines 2-100 of 100 (2.0KB limit).]",
    ],
    [
      "that is kept",
      { artifactId: "abc" },
      "no reason",
      "[Showing the end of 100 lines (2.0KB limit). Full: artifact://abc]",
    ],
    [
      "that is not kept",
      {},
      "the disk\nis full",
      "[Showing the end of 100 lines (2.0KB limit). Full output is not kept: the disk is full]",
    ],
  ])("%s is one line", (_, more, error, line) => {
    expect(truncationNotice({ ...facts, ...more }, error)).toBe(line);
  });
});

describe("the line about what still runs", () => {
  const process = (pid: number) => ({ pid, command: `sleep ${pid}`, startedAtMs: 1 });

  it("is none where nothing does", () => {
    expect(survivorsNotice(resultOf(""))).toEqual([]);
    expect(survivorsNotice(resultOf("", { survivors: [] }))).toEqual([]);
  });

  it("names five at most, and counts the others", () => {
    const five = [1, 2, 3, 4, 5].map(process);
    expect(survivorsNotice(resultOf("", { survivors: five }))).toStrictEqual([
      "Still running: 1 `sleep 1`, 2 `sleep 2`, 3 `sleep 3`, 4 `sleep 4`, 5 `sleep 5`. They end with the session.",
    ]);
    const [line] = survivorsNotice(resultOf("", { survivors: [...five, process(6), process(7)] }));
    expect(line).toContain("5 `sleep 5` and 2 more. They end");
    expect(line).not.toContain("sleep 6");
  });

  it("says where they write to, and where they listen", () => {
    const survivors = [{ ...process(1), ports: [80, 81] }];
    expect(survivorsNotice(resultOf("", { survivors, artifactId: "abc" }))).toStrictEqual([
      "Still running: 1 `sleep 1` (listens on 80, 81). They end with the session. What they write goes to artifact://abc.",
    ]);
  });
});

describe("the lines about the session", () => {
  it("are none where nothing happened to it", () => {
    expect(said({})).toEqual([]);
    expect(said({ workingDir: "/w" })).toEqual([]);
    expect(said({ withheldNames: [], notices: [], lostWithShell: [], sessionReset: false })).toEqual([]);
  });

  it("say where it is now, or where the command left it", () => {
    expect(said({ workingDir: "/x" }, { kind: "moved", to: "/x" })).toEqual(["Now in /x."]);
    expect(said({ workingDir: "/x" })).toEqual(["The command ended in /x; pass `cwd` to run the next one there."]);
    expect(said({ workingDir: "/x", sessionReset: true })).toStrictEqual([
      "The shell was replaced; what was set in it may be gone.",
    ]);
  });

  it("say that it ran in a copy, and then nothing of its folder", () => {
    const copy = "Another command has the shell, so this one ran in a copy: what it set in the shell is gone.";
    expect(said({ isIsolated: true, workingDir: "/x" })).toEqual([copy]);
    expect(said({ isIsolated: true }, { kind: "moved", to: "/x" })).toEqual([copy]);
  });

  it.each<[Partial<CommandResult>, string]>([
    [
      { lostWithShell: ["jobs"] },
      "The shell was replaced: what was set in it is kept, its job table (`jobs`, `wait`, `%1`) is gone.",
    ],
    [
      { lostWithShell: ["descriptors"] },
      "The shell was replaced: what was set in it is kept, the descriptors that were opened in it are gone.",
    ],
    [
      { lostWithShell: ["jobs", "descriptors"] },
      "The shell was replaced: what was set in it is kept, its job table (`jobs`, `wait`, `%1`) and the descriptors that were opened in it are gone.",
    ],
    [
      { sessionReset: true, lostWithShell: ["jobs"] },
      "The shell was replaced; what was set in it may be gone, with its job table (`jobs`, `wait`, `%1`).",
    ],
  ])("say what a new shell does not have: %j", (facts, line) => {
    expect(said(facts)).toEqual([line]);
  });

  it("name five variables that were withheld at most", () => {
    const names = ["A", "B", "C", "D", "E"];
    const line = "Not passed to commands (bash.environment.withhold): A, B, C, D, E";
    expect(said({ withheldNames: names })).toEqual([`${line}.`]);
    expect(said({ withheldNames: [...names, "F"] })).toEqual([`${line} and 1 more.`]);
  });

  it("name five secrets that were masked at most", () => {
    const names = ["A", "B", "C", "D", "E"];
    expect(said({ masked: { count: 1, names: ["A"] } })).toEqual(["Masked 1 secret (secrets.mask): A."]);
    expect(said({ masked: { count: 9, names } })).toEqual(["Masked 9 secrets (secrets.mask): A, B, C, D, E."]);
    expect(said({ masked: { count: 9, names: [...names, "F", "G"] } })).toStrictEqual([
      "Masked 9 secrets (secrets.mask): A, B, C, D, E and 2 more.",
    ]);
  });

  it("repeat five notices of the executor at most, each on one line", () => {
    const notices = Array.from({ length: 7 }, (_, at) => ({ kind: "snapshot" as const, text: `n\n${at}` }));
    expect(said({ notices })).toEqual(["n 0", "n 1", "n 2", "n 3", "n 4"]);
  });
});

it("the line about what a command used adds both times and counts memory in MiB", () => {
  expect(usageText({ userMs: 1_000, systemMs: 500, peakMemoryBytes: 3 * 1024 * 1024 })).toBe(
    "1.50 s of processor time, at most 3.0 MiB of memory in one process",
  );
});
