/** `pi-bash settings`: every setting with its default, what it may be and what it does, from the schema. */
import { Settings } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { SETTING_NAMES, settingsText, settingWords } from "../src/surface/settings.ts";
import { runProgram } from "./built-program.ts";

describe("pi-bash settings", () => {
  it("lists every setting of the schema", async () => {
    const { status, stdout } = await runProgram(["settings"]);

    expect(status).toBe(0);
    expect(stdout.match(/^\S+(?= \()/gm)).toEqual(Object.keys(Settings.shape));
  });

  it("says the default, the range and what each does", () => {
    const defaults: Record<string, unknown> = Settings.parse({});
    for (const name of SETTING_NAMES) {
      const [head, kind, text] = settingsText([name]).split("\n");
      const value = defaults[name] === undefined ? "not set" : JSON.stringify(defaults[name]);
      expect(head).toBe(`${name} (${value})`);
      expect(kind?.trim()).not.toBe("");
      expect(text?.trim()).toMatch(/^[A-Z]/);
    }
    expect(settingsText(["defaultTimeout"])).toBe(
      "defaultTimeout (300000)\n    a whole number, 1000 to 3600000\n    Deadline of a call that sets none, in milliseconds.\n",
    );
    expect(settingsText(["async.maxJobs"])).toContain("a whole number, 1 or more\n");
    expect(settingsText(["sandbox.network"])).toContain("true or false, or a JSON object\n");
    expect(settingsText(["sandboxMode"])).toContain("one of read-only, workspace-write, full\n");
  });

  it("lists only those with a word in their name, and refuses a word of none", async () => {
    const { stdout } = await runProgram(["settings", "headbytes"]);
    const { status, stderr } = await runProgram(["settings", "bash.ptyEscapo"]);

    expect(stdout).toMatch(/^bash\.outputHeadBytes \(0\)\n {4}a whole number, 0 to \d+\n/);
    expect(stdout.match(/^\S/gm)).toHaveLength(1);
    expect(status).toBe(2);
    expect(stderr).toContain("the nearest is `bash.ptyEscape`; `pi-bash settings` lists all");
  });

  it("is a JSON Schema with `--json`", async () => {
    const { stdout } = await runProgram(["settings", "--json"]);

    expect(JSON.parse(stdout)).toMatchObject({
      type: "object",
      properties: { "async.maxJobs": { minimum: 1, description: "Most jobs that run at the same time in a session." } },
    });
  });
});

it("the words of a setting are known where they are few", () => {
  expect(settingWords("async.enabled")).toEqual(["true", "false"]);
  expect(settingWords("sandbox.network")).toEqual(["true", "false"]);
  expect(settingWords("bash.timeoutAction")).toEqual(["kill", "background"]);
  expect(settingWords("async.maxJobs")).toEqual([]);
});
