/** The settings: names and defaults as specified, and what a wrong value does. */
import { describe, expect, it } from "vitest";
import { Settings } from "../src/index.ts";

describe("settings", () => {
  it("have the specified names and defaults", () => {
    expect(Settings.parse({})).toEqual({
      "artifacts.maxBytes": 8 * 1024 ** 3,
      "artifacts.quotaBytes": 16 * 1024 ** 3,
      "artifacts.maxAgeMs": 7 * 24 * 3_600_000,
      "async.enabled": false,
      "async.maxJobs": 100,
      "bash.autoBackground.enabled": false,
      "bash.autoBackground.thresholdMs": 60_000,
      "bash.timeoutAction": "kill",
      "task.autoBackground": true,
      "task.blockingBudgetMs": 15_000,
      "task.neverBackground": ["sleep"],
      "task.maxDepth": 1,
      "bash.stripTrailingHeadTail": true,
      "bash.stripTrailingHeadTailMode": "tee",
      "bash.outputMaxBytes": 51_200,
      "bash.outputHeadBytes": 0,
      "bash.directoryPersists": false,
      "bash.onInputWait": "end",
      "bash.usage": false,
      "tty.record": false,
      "tty.modelSecrets": "refuse",
      "bash.environment.withhold": "provider",
      "bash.environment.allow": [],
      "bash.ptyEnvironment": "hardened",
      "bash.ptyEscape": "kill",
      "secrets.mask": true,
      "secrets.maskArtifacts": false,
      "secrets.names": [],
      "secrets.allow": [],
      sandboxMode: "full",
      "sandbox.network": false,
      "sandbox.writablePaths": [],
      "sandbox.protectedPaths": [],
      "sandbox.hiddenPaths": [],
      "sandbox.allowDegraded": false,
      "bashInterceptor.enabled": false,
      "bashInterceptor.patterns": [],
      blockedCommands: [],
      askUndecidedBlocks: true,
      "readOnly.enforce": "available",
      "readOnly.onRefusal": "report",
      requireDescription: false,
      "bash.allowUnasked": [],
      defaultTimeout: 300_000,
      maxTimeout: 3_600_000,
      "shellMinimizer.enabled": true,
      "shellMinimizer.only": [],
      "shellMinimizer.except": [],
      "shellMinimizer.maxCaptureBytes": 4_194_304,
      "shellMinimizer.approvedRules": [],
      "shellMinimizer.sourceOutlineLevel": "off",
    });
  });

  it("take a host's whole configuration and keep what is theirs", () => {
    const settings = Settings.parse({ theme: "dark", "async.enabled": true, shellPath: "/bin/bash" });

    expect(settings["async.enabled"]).toBe(true);
    expect(settings.shellPath).toBe("/bin/bash");
    expect(settings).not.toHaveProperty("theme");
  });

  it("name the setting whose value is wrong", () => {
    const answer = Settings.safeParse({ "bash.outputHeadBytes": -1, "bash.ptyEnvironment": "soft" });

    expect(answer.error?.issues.map((issue) => issue.path.join("."))).toEqual([
      "bash.outputHeadBytes",
      "bash.ptyEnvironment",
    ]);
  });

  it("do not share a default list between two sessions", () => {
    Settings.parse({})["bash.environment.allow"].push("NPM_TOKEN");

    expect(Settings.parse({})["bash.environment.allow"]).toEqual([]);
  });
});
