/** What a result shows of its output: cut to lines, and swapped for the minimizer's text where that is worth it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputWindow } from "@pi-bash/contract";
import { describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { type CommandResult, countLines } from "../src/command-result.ts";
import { type MinimizeRequest, minimizeResult } from "../src/minimize.ts";
import { isOverLines, withinLines } from "../src/output/line-window.ts";
import { openTextWindow } from "../src/output/text-window.ts";
import { wordMask } from "./support/log-file.ts";

const window = (more: Partial<OutputWindow> = {}) => ({ maxBytes: 1_000, headBytes: 0, ...more }) as OutputWindow;
function resultOf(output: string, more: Partial<CommandResult> = {}): CommandResult {
  const [bytes, lines] = [Buffer.byteLength(output), countLines(output)];
  return {
    output,
    exitCode: 0,
    cancelled: false,
    truncated: false,
    totalBytes: bytes,
    totalLines: lines,
    outputBytes: bytes,
    outputLines: lines,
    shownRange: { startLine: 1, endLine: lines },
    ...more,
  };
}
const numbered = (count: number, end = "\n") => Array.from({ length: count }, (_, at) => `${at + 1}`).join("\n") + end;

describe("an output that is cut to lines", () => {
  it.each([
    ["3 of 3", 3, "1\n2\n3\n", false],
    ["2 of 3", 2, "1\n2\n3\n", true],
    ["3 of 3 without an end", 3, "1\n2\n3", false],
    ["any number", undefined, "1\n2\n3\n", false],
    ["1 of none", 1, "", false],
  ])("is over its lines or is not: %s", (_, maxLines, text, isOver) => {
    expect(isOverLines(text, window(maxLines === undefined ? {} : { maxLines }))).toBe(isOver);
  });

  it("is as it was where it fits", () => {
    const result = resultOf(numbered(3));
    expect(withinLines(result, window())).toBe(result);
    expect(withinLines(result, window({ maxLines: 3 }))).toBe(result);
    expect(withinLines(result, window({ maxLines: 3 }), 1)).toBe(result);
  });

  it.each<[string, string, Partial<OutputWindow>, number, Partial<CommandResult>]>([
    [
      "its end",
      numbered(9),
      { maxLines: 2 },
      0,
      { output: "8\n9\n", outputLines: 2, outputBytes: 4, shownRange: { startLine: 8, endLine: 9 } },
    ],
    [
      "its end without a newline",
      numbered(9, ""),
      { maxLines: 2 },
      0,
      { output: "8\n9", outputLines: 2, outputBytes: 3 },
    ],
    [
      "a line before it that is not its own",
      `[x]\n${numbered(9)}`,
      { maxLines: 2 },
      1,
      { output: "[x]\n8\n9\n", outputLines: 2 },
    ],
    [
      "its beginning, at most half, and its end",
      numbered(9),
      { maxLines: 5, headBytes: 100 },
      0,
      {
        output: "1\n2\n[… 5 lines elided …]\n8\n9\n",
        outputLines: 4,
        outputBytes: 8,
        shownRange: { startLine: 8, endLine: 9 },
      },
    ],
    [
      "fewer lines of its beginning where that is said",
      numbered(9),
      { maxLines: 5, headBytes: 100, headLines: 1 },
      0,
      { output: "1\n[… 5 lines elided …]\n7\n8\n9\n", outputLines: 4 },
    ],
    [
      "as much of its beginning as fits its bytes exactly",
      numbered(9),
      { maxLines: 7, headBytes: 4 },
      0,
      { output: "1\n2\n[… 3 lines elided …]\n6\n7\n8\n9\n", outputLines: 6 },
    ],
    [
      "no line of its beginning that does not fit",
      numbered(9),
      { maxLines: 7, headBytes: 3 },
      0,
      { output: "1\n[… 3 lines elided …]\n5\n6\n7\n8\n9\n" },
    ],
    ["no beginning where there is no room for one", numbered(9), { maxLines: 1, headBytes: 100 }, 0, { output: "9\n" }],
  ])("has %s", (_, output, bounds, annotations, expected) => {
    const lines = countLines(output) - annotations;
    const result = resultOf(output, { totalLines: lines, shownRange: { startLine: 1, endLine: lines } });
    expect(withinLines(result, window(bounds), annotations)).toMatchObject({
      ...expected,
      truncated: true,
      truncatedBy: "lines",
    });
  });

  it("that the sink cut before keeps its beginning, and counts all that is missing", () => {
    const output = "1\n2\n[… 90 lines elided …]\n93\n94\n95\n96\n";
    const result = resultOf(output, {
      truncated: true,
      totalLines: 96,
      outputLines: 6,
      shownRange: { startLine: 93, endLine: 96 },
    });
    expect(withinLines(result, window({ maxLines: 5, headBytes: 10 })).output).toBe(
      "1\n2\n[… 92 lines elided …]\n95\n96\n",
    );
  });

  it("that the sink cut to its end has no beginning, whatever the window wants", () => {
    const result = resultOf("93\n94\n95\n96\n", {
      truncated: true,
      totalLines: 96,
      shownRange: { startLine: 93, endLine: 96 },
    });
    expect(withinLines(result, window({ maxLines: 3, headBytes: 10 }))).toMatchObject({
      output: "94\n95\n96\n",
      shownRange: { startLine: 94, endLine: 96 },
    });
  });

  it("without a range is counted by its lines", () => {
    const { shownRange: _, ...result } = resultOf(numbered(9), { truncated: true });
    expect(withinLines(result, window({ maxLines: 2 }))).toMatchObject({
      output: "8\n9\n",
      shownRange: { startLine: 8, endLine: 9 },
    });
  });
});

describe("a window on raw text", () => {
  it.each([
    ["all of its lines", numbered(3), 3, "1\n2\n3\n", false],
    ["the last ones", numbered(3), 2, "2\n3\n", true],
    ["the last ones without an end", numbered(3, ""), 2, "2\n3", true],
    ["any number of them", numbered(3), undefined, "1\n2\n3\n", false],
  ])("has %s", async (_, raw, maxLines, text, truncated) => {
    const opened = await openTextWindow({ maxBytes: 1_000, maxLines });
    opened.push(Buffer.from(raw));
    const found = opened.finish();
    expect(found).toMatchObject({ text, truncated, outputLines: countLines(text), outputBytes: text.length });
    expect(found.shownRange).toEqual({ startLine: 4 - countLines(text), endLine: 3 });
  });
});

describe("a minimized text", () => {
  const RAW = "x".repeat(1_000);
  function request(minimized: string | null, more: Partial<MinimizeRequest> = {}) {
    const minimize = vi.fn(async (..._: unknown[]) => (minimized === null ? null : { filter: "f", text: minimized }));
    const saveOriginal = vi.fn(async (): Promise<string | undefined> => "saved");
    const settings = {
      "shellMinimizer.enabled": true,
      "shellMinimizer.only": [] as string[],
      "shellMinimizer.except": ["e"],
      "shellMinimizer.maxCaptureBytes": 5_000,
      "shellMinimizer.sourceOutlineLevel": "off" as const,
    };
    const given: MinimizeRequest = {
      natives: { minimizeOutputAsync: minimize },
      settings,
      ruleFiles: async () => ({ texts: [], problems: [] }),
      command: "make all",
      result: resultOf(RAW),
      spillPath: undefined,
      saveOriginal,
      window: window(),
      ...more,
    };
    return { run: () => minimizeResult(given), minimize, saveOriginal, given, settings };
  }

  it("replaces the output, and points to the original", async () => {
    const { run, minimize } = request("short");
    const result = await run();
    expect(result).toMatchObject({
      output: "short\n[raw output: artifact://saved]",
      truncated: false,
      outputBytes: 5,
      outputLines: 1,
      originalArtifactId: "saved",
      minimized: { filter: "f", inputBytes: 1_000, outputBytes: 5 },
    });
    expect(result).not.toHaveProperty("shownRange");
    expect(minimize.mock.calls[0]).toEqual([
      { argv: ["make", "all"] },
      RAW,
      0,
      { enabled: true, except: ["e"], maxCaptureBytes: 5_000 },
    ]);
  });

  it.each([
    ["", "[raw output: artifact://saved]"],
    ["a\n", "a\n[raw output: artifact://saved]"],
    ["a", "a\n[raw output: artifact://saved]"],
  ])("%j stands before the pointer on lines of its own", async (text, output) => {
    expect((await request(text).run()).output).toBe(output);
  });

  it("is asked for with what the settings and the rule files say", async () => {
    const base = request("short");
    const { run, minimize } = request("short", {
      settings: { ...base.settings, "shellMinimizer.only": ["o"], "shellMinimizer.sourceOutlineLevel": "default" },
      ruleFiles: async () => ({ texts: ["rules"], problems: [] }),
    });
    await run();
    expect(minimize.mock.calls[0]?.[3]).toMatchObject({
      only: ["o"],
      sourceOutlineLevel: "default",
      ruleFiles: ["rules"],
    });
  });

  it.each<[string, string | null, Partial<MinimizeRequest>, boolean]>([
    ["the output has 999 units", "a", { result: resultOf("x".repeat(999)) }, false],
    ["the output has 1,000", "a", {}, true],
    ["there is none", null, {}, false],
    ["it saves no more than the pointer costs", "a".repeat(960), {}, false],
    ["it saves one byte more", "a".repeat(959), {}, true],
    ["it is longer than what is read", "a".repeat(101), { window: window({ maxBytes: 100 }) }, false],
    ["it is as long", "a".repeat(100), { window: window({ maxBytes: 100 }) }, true],
    ["it has more lines than are read", "a\nb\n", { window: window({ maxLines: 1 }) }, false],
    ["the command did not end by itself", "a", { result: (({ exitCode: _, ...rest }) => rest)(resultOf(RAW)) }, false],
    ["more was written than is looked at", "a", { result: resultOf(RAW, { totalBytes: 5_001 }) }, false],
    ["as much was written as is looked at", "a", { result: resultOf(RAW, { totalBytes: 5_000 }) }, true],
    ["the command is a pipe", "a", { command: "make | cat" }, false],
    ["the command is none", "a", { command: "make (" }, false],
    ["the original cannot be kept", "a", { saveOriginal: async () => undefined }, false],
    ["the runtime has none", "a", { natives: {} }, false],
    ["the rule files cannot be read", "a", { ruleFiles: () => Promise.reject(new Error("no")) }, false],
  ])("is taken or not where %s", async (_, text, more, isTaken) => {
    const { run, given } = request(text, more);
    const result = await run();
    expect("minimized" in result).toBe(isTaken);
    if (!isTaken) expect(result).toBe(given.result);
  });

  it("is off where the settings say so", async () => {
    const base = request("a");
    const off = request("a", { settings: { ...base.settings, "shellMinimizer.enabled": false } });
    expect(await off.run()).toBe(off.given.result);
    expect(off.minimize).not.toHaveBeenCalled();
  });

  it("of a truncated output is made of its file, masked, and needs no other artifact", async () => {
    const spillPath = join(scratchFolder(), "raw");
    writeFileSync(spillPath, `secret ${RAW}`);
    const result = resultOf("end", { truncated: true, artifactId: "a1" });
    const { run, minimize, saveOriginal } = request("short", { result, spillPath, mask: wordMask().mask });
    expect(await run()).toMatchObject({ originalArtifactId: "a1", artifactId: "a1" });
    expect(minimize.mock.calls[0]?.[1]).toBe(`****** ${RAW}`);
    expect(saveOriginal).not.toHaveBeenCalled();
    for (const more of [{ spillPath: undefined }, { result: resultOf("end", { truncated: true }) }]) {
      const without = request("short", { result, spillPath, ...more });
      await without.run();
      expect(without.minimize).not.toHaveBeenCalled();
    }
    const plain = request("short", { result, spillPath });
    await plain.run();
    expect(plain.minimize.mock.calls[0]?.[1]).toBe(`secret ${RAW}`);
  });
});
