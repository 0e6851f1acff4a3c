/** What is said of a kept stream: only where something was hidden, with its size, and whether all of it is there. */
import { appendFileSync, existsSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { type KeptStreamStore, keepTrailingStreams } from "../src/kept-stream.ts";

/** A store of one artifact in a folder of its own, and what was decided about it. */
function storeOf(maxBytes = 1_000_000) {
  const path = join(scratchFolder(), "copy");
  const verdicts: string[] = [];
  const store: KeptStreamStore = {
    maxBytes,
    allocate: async () => ({ id: "abc", path }),
    settle: async (id, verdict) => void verdicts.push(`${id} ${verdict}`),
  };
  return { path, verdicts, store };
}

/** What is said of a command whose pipe has read `text`. */
async function said(command: string, text: string, complaint = ""): Promise<string | undefined> {
  const { path, store, verdicts } = storeOf();
  const kept = await keepTrailingStreams(command, store);
  appendFileSync(path, text);
  if (complaint !== "") appendFileSync(`${path}.tee`, complaint);
  const notice = await kept?.finish();
  expect(verdicts).toEqual([notice?.includes("kept in") === true ? "abc keep" : "abc discard"]);
  expect(existsSync(`${path}.tee`)).toBe(false);
  return notice;
}

const lines = (count: number): string => "x\n".repeat(count);

describe("a stream", () => {
  it("is not kept of a command that hides nothing", async () => {
    expect(await keepTrailingStreams("ls -l", storeOf().store)).toBeUndefined();
  });

  it.each([
    ["x | head", 10],
    ["x | tail", 10],
    ["x | head -3", 3],
    ["x | tail -n 4", 4],
    ["x | head -n4", 4],
    ["x | head --lines=5", 5],
    ["x | head --lines 5", 5],
    ["x | head -q", 10],
    ["x | head -qv", 10],
    ["x | head -n 12", 12],
    ["x | head  -n  4", 4],
    ["x |head -3", 3],
    ["x |& tail -3", 3],
  ])("of `%s` is kept once it has more than %d lines", async (command, limit) => {
    expect(await said(command, lines(limit))).toBeUndefined();
    expect(await said(command, lines(limit + 1))).toMatch(
      new RegExp(`^\`.*\` read ${limit + 1} lines \\(\\d+B\\), kept in artifact://abc$`),
    );
  });

  it.each([
    "x | head -c 100",
    "x | head --bytes 100",
    "x | head -n 3k",
    "x | head -9 -n 4",
    "x | head -c5",
    "x | head --bytes=5",
  ])("of `%s` is kept whatever it has, since how many lines were shown is not known", async (command) => {
    expect(await said(command, "x\n")).toMatch(/ read 1 line \(2B\), kept in artifact:\/\/abc$/);
  });

  it("counts a line without an end, and says nothing of an empty one", async () => {
    expect(await said("x | head -1", "a\nb")).toBe("`| head -1` read 2 lines (3B), kept in artifact://abc");
    expect(await said("x | head -c 1", "ab")).toBe("`| head -c 1` read 1 line (2B), kept in artifact://abc");
    expect(await said("x | head -1", "")).toBeUndefined();
  });

  it("of several pipes is measured by the one that shows least", async () => {
    expect(await said("x | head -5; y | tail -2", lines(3))).toMatch(/^`\| head -5`, `\| tail -2` read 3 lines/);
    expect(await said("x | head -5; y | tail -2", lines(2))).toBeUndefined();
    expect(await said("x | head -9; x | tail -8; x | head -7; x | tail -6", lines(7))).toMatch(
      /^`\| head -9`, `\| tail -8`, `\| head -7` and others read 7 lines/,
    );
    expect(await said("x | head -9; x | tail -8; x | head -7", lines(8))).toMatch(
      /^`\| head -9`, `\| tail -8`, `\| head -7` read 8 lines/,
    );
  });

  it("is not kept where `tee` complained, and the reason is the first it gave", async () => {
    expect(await said("x | head -1", lines(9), "tee: '/a: b': No space left on device\ntee: again: no")).toBe(
      "What `| head -1` read is not kept: No space left on device",
    );
    expect(await said("x | head -1", lines(9), `tee: ${"y".repeat(200)}`)).toBe(
      `What \`| head -1\` read is not kept: ${"y".repeat(120)}`,
    );
    expect(await said("x | head -1", lines(9), "odd")).toBe("What `| head -1` read is not kept: odd");
  });

  it("is named by the beginning of a long pipe", async () => {
    expect(await said(`x | head -n ${"0".repeat(60)}1`, lines(2))).toMatch(/^`\| head -n 0{30}` read 2 lines/);
  });

  it("of more than 64 MiB is measured in bytes alone", async () => {
    for (const [more, amount] of [
      [0, "1 line (64.0MB)"],
      [1, "64.0MB"],
    ] as const) {
      const { path, store } = storeOf(1_000_000_000);
      const kept = await keepTrailingStreams("x | head -c 1", store);
      truncateSync(path, 64 * 1024 * 1024 + more);
      expect(await kept?.finish()).toBe(`\`| head -c 1\` read ${amount}, kept in artifact://abc`);
    }
  });

  it("is written to files that only the user can read", async () => {
    const { path, store } = storeOf();
    const kept = await keepTrailingStreams("x | head -1", store);
    for (const file of [path, `${path}.tee`]) expect(statSync(file).mode & 0o777).toBe(0o600);
    await kept?.finish();
  });

  it("is nothing where the copy itself is gone", async () => {
    const { path, store, verdicts } = storeOf();
    const kept = await keepTrailingStreams("x | head -1", store);
    rmSync(path);
    expect(await kept?.finish()).toBeUndefined();
    expect(verdicts).toEqual(["abc discard"]);
  });

  it("is not kept where its folder is gone", async () => {
    const { path, store, verdicts } = storeOf();
    const kept = await keepTrailingStreams("x | head -1", store);
    rmSync(join(path, ".."), { recursive: true });
    expect(await kept?.finish()).toBe("What `| head -1` read is not kept: its folder is gone");
    expect(verdicts).toEqual(["abc discard"]);
  });

  it("is kept up to the bound, to the byte", async () => {
    const at = storeOf(10);
    const kept = await keepTrailingStreams("x | head -1", at.store);
    writeFileSync(at.path, lines(5));
    expect(await kept?.finish()).toBe("`| head -1` read 5 lines (10B), kept in artifact://abc");
    const over = storeOf(10);
    const more = await keepTrailingStreams("x | head -1", over.store);
    writeFileSync(over.path, `${lines(5)}y`);
    expect(await more?.finish()).toBe("What `| head -1` read is not kept: it is over 10B");
    expect(over.verdicts).toEqual(["abc discard"]);
  });

  it("that was over the bound once stays not kept, and is cut while it grows", async () => {
    const { path, store } = storeOf(10);
    const kept = await keepTrailingStreams("x | head -1", store);
    for (const count of [50, 60]) {
      writeFileSync(path, lines(count));
      await expect.poll(() => statSync(path).size, { timeout: 10_000 }).toBe(0);
    }
    expect(await kept?.finish()).toBe("What `| head -1` read is not kept: it is over 10B");
  });

  it("is not kept where there is no file for it, and leaves none", async () => {
    const { store } = storeOf();
    const fails: KeptStreamStore = { ...store, allocate: () => Promise.reject(new Error("no disk")) };
    expect(await keepTrailingStreams("x | head -1", fails)).toBeUndefined();
    const taken = storeOf();
    writeFileSync(taken.path, "another's");
    expect(await keepTrailingStreams("x | head -1", taken.store)).toBeUndefined();
    expect(taken.verdicts).toEqual(["abc discard"]);
    expect(existsSync(`${taken.path}.tee`)).toBe(false);
    const half = storeOf();
    writeFileSync(`${half.path}.tee`, "another's");
    expect(await keepTrailingStreams("x | head -1", half.store)).toBeUndefined();
  });
});
