/** The names that callers import, and the shape of what they get: changed on purpose, or not at all. */
import { describe, expect, it } from "vitest";
import * as natives from "../src/index.ts";

describe("the public surface", () => {
  it("exports exactly these values", () => {
    expect(Object.keys(natives).sort()).toEqual([
      "MAX_TIMEOUT_MS",
      "NativeLoadError",
      "OutputSink",
      "PtySession",
      "SecretMask",
      "Shell",
      "ShellError",
      "addonInfo",
      "capabilities",
      "driverInfo",
      "executeShell",
      "explainMinimizer",
      "listeningPorts",
      "minimizeOutput",
      "minimizeOutputAsync",
      "portHolder",
      "verifyMinimizerRules",
    ]);
  });

  it("has these methods on a session", () => {
    expect(Object.getOwnPropertyNames(natives.Shell.prototype).sort()).toEqual([
      "abort",
      "close",
      "constructor",
      "handOver",
      "lateOutput",
      "listeningPorts",
      "liveBackgroundJobCount",
      "rootPid",
      "run",
    ]);
  });

  it("tells what this platform can do", () => {
    const found = natives.capabilities();

    expect(found.platform).toBe(process.platform);
    expect(found.session).toBe(process.platform === "win32" ? "per-command" : "persistent");
    const names = ["clone", "platform", "pty", "readOnly", "sandbox", "session", "supervisor"];
    expect(Object.keys(found).sort()).toEqual(names);
    const { available, reason, degraded } = found.readOnly;
    expect(available).toBe(reason === undefined);
    expect(degraded.filter((name) => name !== "signal")).toEqual([]);
  });

  it("gives a run these fields and no others", async () => {
    const result = await natives.executeShell({ command: "printf 'a\\nb'", sink: {} });

    expect(Object.keys(result).sort()).toEqual([
      "cancelled",
      "exitCode",
      "output",
      "sessionReset",
      "survivors",
      "timedOut",
      "wallTimeMs",
      "workingDir",
    ]);
    expect(result.output).toEqual({
      text: "a\nb",
      truncated: false,
      totalBytes: 3,
      totalLines: 2,
      outputBytes: 3,
      outputLines: 2,
      spilled: false,
      shownRange: { startLine: 1, endLine: 2 },
      lateOutputBytes: 0,
    });
  });
});
