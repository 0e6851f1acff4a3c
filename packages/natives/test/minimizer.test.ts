/** The minimizer as it crosses the addon. What it keeps and cuts is tested in crates/pi-minimizer. */
import { describe, expect, it } from "vitest";
import { executeShell, minimizeOutput, Shell } from "../src/index.ts";

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

  it("gives none where the command was stopped, printed too much, or nobody asked", async () => {
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
