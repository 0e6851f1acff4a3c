/** The minimizer as it crosses the addon. What it keeps and cuts is tested in crates/pi-minimizer. */
import { describe, expect, it } from "vitest";
import { STEP_RULES } from "../../../test/support/minimizer-rules.ts";
import {
  executeShell,
  explainMinimizer,
  minimizeOutput,
  minimizeOutputAsync,
  Shell,
  ShellError,
  verifyMinimizerRules,
} from "../src/index.ts";

const REPEATED = "Downloading the same thing again and again from the same place\n".repeat(200);

describe("minimizing an output", () => {
  it("returns the shorter text, the original, and both sizes", () => {
    const result = minimizeOutput("./fetch.sh", REPEATED, 0);

    expect(result?.originalText).toBe(REPEATED);
    expect(result?.inputBytes).toBe(REPEATED.length);
    expect(result?.outputBytes).toBe(Buffer.byteLength(result?.text ?? ""));
    expect(result?.outputBytes).toBeLessThan(REPEATED.length);
    expect(result?.filter).not.toBe("");
  });

  it("takes what a parser made of the command as well", () => {
    const result = minimizeOutput({ argv: ["./fetch.sh", "--all"] }, REPEATED, 0);

    expect(result?.text).toBe(minimizeOutput("./fetch.sh --all", REPEATED, 0)?.text);
  });

  it("returns null where the original is to be used: too short, too long, switched off, excepted", () => {
    expect(minimizeOutput("./fetch.sh", "short\n", 0)).toBeNull();
    expect(minimizeOutput("./fetch.sh", REPEATED, 0, { maxCaptureBytes: 2000 })).toBeNull();
    expect(minimizeOutput("./fetch.sh", REPEATED, 0, { enabled: false })).toBeNull();
    expect(minimizeOutput("./fetch.sh", REPEATED, 0, { except: ["fetch.sh"] })).toBeNull();
  });
});

describe("minimizing apart from the caller's thread", () => {
  it("gives what the call on the thread gives", async () => {
    expect(await minimizeOutputAsync("./fetch.sh", REPEATED, 0)).toEqual(minimizeOutput("./fetch.sh", REPEATED, 0));
    expect(await minimizeOutputAsync("./fetch.sh", "short\n", 0)).toBeNull();
    expect(await minimizeOutputAsync("./fetch.sh", REPEATED, 0, { enabled: false })).toBeNull();
  });

  it("leaves the thread to others while it works", async () => {
    const passing = Array.from({ length: 100_000 }, (_, n) => `test suite::case_number_${n} ... ok\n`).join("");
    const long = `running 100000 tests\n${passing}\ntest result: ok. 100000 passed; 0 failed; 0 ignored; finished in 1.20s\n`;
    let isDone = false;
    let turns = 0;

    const work = minimizeOutputAsync("cargo test", long, 0).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect((await work)?.filter).toBe("rust");
    // The promise of a call that computed on this thread would be settled within the first turn.
    expect(turns).toBeGreaterThan(1);
  });

  it("rejects for a wrong option", async () => {
    await expect(minimizeOutputAsync("x", "y", Number.NaN)).rejects.toThrow(ShellError);
  });
});

describe("explaining", () => {
  it("tells each stage with its size, and the result", () => {
    const { stages, result } = explainMinimizer("./fetch.sh", REPEATED, 0);

    expect(stages.map(({ name }) => name)).toEqual(["gate", "lossless", "families"]);
    expect(stages[0]).toEqual({ name: "gate", bytes: REPEATED.length, lines: 200, note: "admitted" });
    expect(result).toEqual(minimizeOutput("./fetch.sh", REPEATED, 0));
  });

  it("names the gate's reason where the original stands", () => {
    expect(explainMinimizer("a | b", REPEATED, 0)).toMatchObject({ stages: [{ name: "gate" }], result: null });
  });
});

describe("rule files", () => {
  const steps = `${Array.from({ length: 100 }, (_, n) => `step ${n} of the work is done\n`).join("")}end\n`;

  it("go before the built-in rules", () => {
    const result = minimizeOutput("frobnicate", steps, 0, { ruleFiles: [STEP_RULES] });

    expect(result).toMatchObject({ filter: "mine", text: "end\n[-- 100 lines removed]\n" });
    expect(minimizeOutput("frobnicate", steps, 0)).toBeNull();
  });

  it("have inline tests, which can be run alone", () => {
    expect(verifyMinimizerRules(STEP_RULES)).toEqual({ rules: 1, tests: 1 });
    expect(verifyMinimizerRules().tests).toBeGreaterThan(10);
    expect(() => verifyMinimizerRules(STEP_RULES.replace('gone = ["step"]', 'facts = ["step"]'))).toThrow(
      "test `steps go` of rule `mine`: `step` is lost",
    );
  });

  it("are refused with the reason where they are wrong", () => {
    expect(() => minimizeOutput("x", steps, 0, { ruleFiles: ["schema = 2\nrule = []"] })).toThrow(
      "option `ruleFiles` has a wrong file: rule schema `2` is unknown, expected `1`",
    );
    expect(() => verifyMinimizerRules(STEP_RULES.replace("'^step '", "'('"))).toThrow("unclosed group");
    expect(() => new Shell({ minimizer: { ruleFiles: Array(5).fill(STEP_RULES) } })).toThrow("more than 4 files");
  });
});

describe("a session with a minimizer", () => {
  const command = `for i in {1..200}; do echo 'Downloading the same thing again and again from the same place'; done`;
  const invocation = { argv: ["./fetch.sh"] };

  it("gives the minimized text beside the output, which stays as it was", async () => {
    await using shell = new Shell({ minimizer: {} });
    let streamed = "";

    const result = await shell.run({ command, invocation, sink: {} }, (_error, chunk) => {
      streamed += chunk;
    });

    expect(streamed).toBe(REPEATED);
    expect(result.output?.text).toBe(REPEATED);
    expect(result.minimized).toEqual(minimizeOutput(invocation, REPEATED, 0));
    expect(result.minimized?.originalText).toBe(REPEATED);
  });

  it("gives none where the command was stopped, printed too much, or no one asked", async () => {
    const stopped = await executeShell({ command: `${command}; sleep 60`, timeoutMs: 500, invocation, minimizer: {} });
    const long = await executeShell({ command, invocation, minimizer: { maxCaptureBytes: 2000 } });
    const off = await executeShell({ command, invocation, minimizer: { enabled: false } });
    const unasked = await executeShell({ command, invocation });

    expect([stopped, long, off, unasked].map(({ minimized }) => minimized)).toEqual(Array(4).fill(undefined));
    expect(stopped.timedOut).toBe(true);
  });

  it("refuses options that are wrong when it is made", () => {
    expect(() => new Shell({ minimizer: { maxCaptureBytes: -1 } })).toThrow(/`maxCaptureBytes`/);
  });
});
