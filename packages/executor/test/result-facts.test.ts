/** Results of runs, whole: every fact that a runtime may report; and files at the moment that something fails. */
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { castEvent, castHeader } from "@pi-bash/terminal/internal";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { ArtifactStore } from "../src/artifacts/store.ts";
import { lostResult, settledResult, unresponsiveResult } from "../src/command-result.ts";
import type { RunResult } from "../src/natives-port.ts";
import { TerminalRecord } from "../src/tty/terminal-record.ts";
import { storeIn } from "./support/artifacts.ts";
import { ended } from "./support/fake-natives.ts";

const PLAIN = {
  output: "a\nb",
  cancelled: false,
  truncated: false,
  totalLines: 2,
  totalBytes: 3,
  outputLines: 2,
  outputBytes: 3,
  shownRange: { startLine: 1, endLine: 2 },
  wallTimeMs: 1,
  exitCode: 0,
};

describe("the result of a run", () => {
  it("has what every run has, and no name of anything else", () => {
    expect(settledResult(ended({ text: "a\nb" }), 1_000)).toStrictEqual(PLAIN);
    const { output: _, ...silent } = ended();
    expect(settledResult(silent, 1_000)).toStrictEqual({
      output: "",
      cancelled: false,
      truncated: false,
      totalLines: 0,
      totalBytes: 0,
      outputLines: 0,
      outputBytes: 0,
      wallTimeMs: 1,
      exitCode: 0,
    });
  });

  it.each<[string, Partial<RunResult>, object]>([
    ["a signal", { exitCode: undefined, signal: "SIGINT" }, { exitCode: undefined, signal: "SIGINT" }],
    ["what it used", { usage: { cpu_ms: 5 } as never }, { usage: { cpu_ms: 5 } }],
    [
      "who waited for a person",
      { inputWanted: { program: "sudo", pid: 7, ended: false } as never },
      { inputWanted: { program: "sudo", pid: 7, ended: false } },
    ],
    [
      "the sandbox that it ran in",
      { sandbox: { mode: "read-only", backend: "landlock", network: false, degraded: ["x"] } as never },
      { sandbox: { mode: "read-only", backend: "landlock", network: false, degraded: ["x"] } },
    ],
    [
      "how it was held to reading",
      { readOnly: { degraded: ["signal"], stateDropped: true } },
      { readOnly: { enforced: true, degraded: ["signal"], stateDropped: true, refusals: [] } },
    ],
    ["limits that it met", { limitsMet: ["memory"] as never }, { limitsMet: ["memory"] }],
    ["what went with its shell", { lostWithShell: ["jobs"] as never }, { lostWithShell: ["jobs"] }],
    [
      "what it left running",
      { survivors: [{ pid: 1, command: "x", startedAtMs: 0 }] },
      { survivors: [{ pid: 1, command: "x", startedAtMs: 0 }] },
    ],
    ["where its shell stands", { workingDir: "/w" }, { workingDir: "/w" }],
    ["that its session began again", { sessionReset: true }, { sessionReset: true }],
    ["a word on its place", { placeNotice: "it was away" }, { notices: [{ kind: "place", text: "it was away" }] }],
  ])("has %s", (_, run, facts) => {
    const { exitCode, ...rest } = { ...PLAIN, ...facts };
    const expected = exitCode === undefined ? rest : { ...rest, exitCode };
    expect(settledResult(ended({ text: "a\nb" }, run), 1_000)).toStrictEqual(expected);
  });

  it("has what was masked in it, and what came after its end", () => {
    const masked = { count: 2, names: ["A", "B"] };
    expect(settledResult(ended({ text: "a\nb", masked, lateOutputBytes: 9 }), 1_000)).toStrictEqual({
      ...PLAIN,
      masked,
      lateOutputBytes: 9,
    });
  });

  it("that does not report its end has what was seen last, in bytes and lines", () => {
    const seen = { tail: "é\nb", bytes: 4, lines: 2 };
    const counts = { truncated: false, totalBytes: 4, totalLines: 2, outputBytes: 4, outputLines: 2 };
    const rest = { ...counts, cancelled: true, sessionReset: true, wallTimeMs: 8 };
    const run = { timeoutMs: 1_000, wallTimeMs: 7.5 };
    expect(unresponsiveResult("deadline", seen, run)).toStrictEqual({
      ...rest,
      timedOut: true,
      output:
        "[Command timed out after 1 second; the shell backend did not respond, so any output below may be incomplete]\né\nb",
    });
    expect(unresponsiveResult("cancelled", { tail: "", bytes: 0, lines: 0 }, run)).toStrictEqual({
      ...rest,
      ...{ totalBytes: 0, totalLines: 0, outputBytes: 0, outputLines: 0 },
      output: "[Command cancelled; the shell backend did not respond, so any output below may be incomplete]",
    });
    expect(lostResult("gone", { ...seen, bytes: 5 }, 7.5)).toStrictEqual({
      ...rest,
      totalBytes: 5,
      truncated: true,
      lost: true,
      output: "[gone]\né\nb",
    });
  });
});

describe("a store whose folder is gone", () => {
  it("cannot save, lists nothing of that, and makes its folder for the next one", async () => {
    const { store, folder } = storeIn();
    const kept = await store.save("bash", "first");
    rmSync(folder, { recursive: true });
    const failure = await store.save("bash", "second").catch((error: unknown) => error);

    expect(failure).toMatchObject({
      code: "PI_ARTIFACT_STORE",
      message: expect.stringMatching(/^artifact cannot be saved: ENOENT/),
      cause: expect.objectContaining({ code: "ENOENT" }),
    });
    expect((await store.list()).map(({ id }) => id)).toEqual([kept.id]);
    const next = await store.save("bash", "third");
    expect((await store.read(next.id)).text).toBe("third");
  });

  it("that is made for a call under way goes when the store is disposed of meanwhile", async () => {
    const store = new ArtifactStore();
    const allocating = store.allocate("bash");
    await store.dispose();
    const { path } = await allocating;

    expect(existsSync(dirname(path))).toBe(false);
  });
});

describe("a record of a terminal", () => {
  const recordOf = async (maxBytes: number) => {
    const path = join(scratchFolder(), "r.cast");
    const form = { castEvent, castHeader };
    const record = new TerminalRecord({ path, maxBytes, cols: 80, rows: 24, command: "vim", mask: undefined, form });
    await record.end();
    return { problem: record.problem, size: statSync(path).size, text: readFileSync(path, "utf8") };
  };

  it("leaves 256 bytes for the marker of a full one, to the byte", async () => {
    const { size } = await recordOf(10_000);
    const fits = await recordOf(size + 256);
    expect([fits.problem, fits.size]).toEqual([undefined, size]);
    const full = await recordOf(size + 255);
    expect(full.problem).toBe(`the record is full (${size + 255} bytes)`);
    expect(JSON.parse(full.text).slice(1)).toEqual(["m", full.problem]);
  });
});
