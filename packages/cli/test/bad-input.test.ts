/**
 * What a command line gets wrong, reported with what would be right: rule files and settings with the file, the line and the
 * field, folders that are none, output that cannot be written. Runs the built program.
 */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { nodeFinding } from "../src/commands/doctor.ts";
import { parseToolArguments } from "../src/tool-arguments.ts";
import { inShell, runProgram } from "./built-program.ts";

async function withRules(text: string): Promise<{ status: number | null; stderr: string }> {
  const folder = scratchFolder();
  writeFileSync(join(folder, "rules.json"), text);
  return runProgram(["run", "--policy", "rules.json", "touch made"], "", folder);
}

describe("a rule file", () => {
  it.each([
    [
      '{\n  "deny": [\n    "Bash(rm **)",\n  ]\n}',
      "rules.json:3:18: the rule file is not JSON: there is a comma before `]`",
    ],
    ['{\n  "dney": ["Bash(rm **)"]\n}', "rules.json:2:11: `dney`: unknown key; the nearest is `deny`"],
    ['{\n  "deny": "Bash(rm **)"\n}', "rules.json:2:11: `deny`: is not a list of rules"],
    ['{\n  "deny": ["Bash(ls)", 5]\n}', "rules.json:2:24: `deny[1]`: is neither a rule nor"],
    ['{\n  "deny": ["rm"]\n}', "rules.json:2:12: `deny[0]`: `rm` is not a rule"],
    [
      '{"ask": [{\n  "rule": "Bash(rm **)",\n  "match": "rm x"\n}]}',
      "rules.json:3:12: `ask[0].match`: is not a list of commands",
    ],
    [
      '{"ask": [{\n  "rule": "Bash(rm **)",\n  "match": ["rm x", 1]\n}]}',
      "rules.json:3:21: `ask[0].match[1]`: is not a command in quotes",
    ],
    [
      '{"ask": [{\n  "rule": "Bash(rm **)",\n  "macth": []\n}]}',
      "rules.json:3:12: `ask[0].macth`: unknown key; the nearest is `match`",
    ],
    ['{"ask": [\n  { "reason": "x" }\n]}', "rules.json:2:3: `ask[0]`: has no `rule`"],
    [
      '{"allow": [{ "rule": "Bash(npm *)",\n  "match": ["npm x", "yarn x"] }]}',
      "rules.json:2:22: `allow[0].match[1]`: `Bash(npm *)` does not match `yarn x`",
    ],
    ["5", "rules.json:1:1: the rule file is not an object"],
  ])("%j is reported with its line and field", async (text, problem) => {
    const { status, stderr } = await withRules(text);

    expect(stderr).toContain(problem);
    expect(status).toBe(125);
  });

  it("that is missing, that cannot be read and that is broken are distinguished", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, "folder"));
    symlinkSync("loop.json", join(folder, "loop.json"));
    writeFileSync(join(folder, "rules.json"), '{"allow": 5}');
    const said = async (file: string) => (await runProgram(["run", "--policy", file, "true"], "", folder)).stderr;

    expect(await said("nowhere.json")).toContain("there is no rule file `nowhere.json`");
    expect(await said("folder")).toContain("the rule file `folder` is a folder");
    expect(await said("loop.json")).toMatch(/the rule file `loop\.json` cannot be read: ELOOP/);
    expect(await said("rules.json")).toContain("rules.json:1:11: `allow`: is not a list of rules");
  });
});

describe("a setting", () => {
  it.each([
    ["bash.ptyEscap=5", "there is no setting `bash.ptyEscap`; the nearest is `bash.ptyEscape`"],
    ["enabled=true", "the nearest are `async.enabled`"],
    ["allowUnasked=[]", "the nearest is `bash.allowUnasked`"],
    ["nonsense=1", "there is no setting `nonsense`; `pi-bash settings` lists all"],
    ["toString=1", "there is no setting `toString`"],
    ['limits={"a":}', "the value of the setting `limits` is not JSON: line 1, column 6: a value is expected"],
    ["defaultTimeout=soon", "`defaultTimeout` is a number"],
    ['bash.allowUnasked=["all"]', "`bash.allowUnasked.0` is one of `download-to-shell`"],
  ])("%s is refused with its name and what was meant", (setting, problem) => {
    expect(() => parseToolArguments(["--setting", setting, "ls"])).toThrow(problem);
  });

  it("and an option of the command line allow together", () => {
    const words = ["--setting", 'bash.allowUnasked=["open-modes"]', "--allow-unasked", "system-write", "ls"];
    expect(parseToolArguments(words).settings["bash.allowUnasked"]).toEqual(["open-modes", "system-write"]);
  });
});

describe("a folder", () => {
  it.each([
    ["run", "--cwd=", "true"],
    ["tool", "--cwd=", "true"],
    ["tool", "--artifacts=", "true"],
    ["mcp", "--policy="],
  ])("or a file that is an empty word is refused, not taken for this one: %s %s", async (...words) => {
    const { status, stderr } = await runProgram(words);

    expect(stderr).toContain("needs a value, not an empty one");
    expect(status).toBe(2);
  });

  it.each([["tool"], ["mcp"]])("of artifacts is refused where it is a file: %s", async (command) => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "taken"), "");
    const { status, stderr } = await runProgram([command, "--artifacts", "taken"], "", folder);

    expect(stderr).toContain("`--artifacts` takes a folder, and `taken` is not one");
    expect(status).toBe(2);
  });

  it.skipIf(process.platform === "win32")("that is gone is named, not what the system calls it", async () => {
    const { stdout, stderr } = await inShell('mkdir gone && cd gone && rmdir ../gone && pi tool ls; echo "status $?"');

    expect(stderr).toBe("pi-bash: the folder it was started in is gone; start it in one that exists\n");
    expect(stdout).toBe("status 125\n");
  });
});

describe.skipIf(process.platform !== "linux")("output that cannot be written", () => {
  it.each(["--help", "version", "settings", "minimize --verify", "run 'echo hi'", "tool 'echo hi'"])(
    "is reported in a line, with an exit status that says so: %s",
    async (words) => {
      const { stdout, stderr } = await inShell(`pi ${words} >/dev/full; echo "status $?"`);

      expect(stderr).toMatch(/^pi-bash: the output cannot be written: ENOSPC.*\n$/);
      expect(stdout).toBe("status 1\n");
    },
  );

  it("is no failure where the reader has seen enough", async () => {
    const { stdout, stderr } = await inShell('pi settings | head -n 1 >/dev/null; echo "status ${PIPESTATUS[0]}"');

    expect(stderr).toBe("");
    expect(stdout).toBe("status 0\n");
  });
});

it("no command and no input is reported with what to give", async () => {
  const { status, stderr } = await runProgram(["tool"]);

  expect(stderr).toContain("`tool` needs a command, or a call as JSON on standard input");
  expect(status).toBe(2);
});

it("parameters that are not JSON are reported with line and column", async () => {
  const { stderr } = await runProgram(["tool"], '{\n  "command": "ls",\n}');

  expect(stderr).toContain("standard input is not JSON: line 2, column 18: there is a comma before `}`");
});

describe("doctor", () => {
  it.each([
    ["v18.20.0", "missing"],
    ["v20.17.0", "missing"],
    ["v20.18.9", "missing"],
    ["v20.19.0", "ok"],
    ["v22.1.0", "ok"],
  ])("calls Node %s %s", (version, state) => {
    expect(nodeFinding(version)).toMatchObject({ name: "node", state });
  });
});
