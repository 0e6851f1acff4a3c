/** `pi-bash tool`: the built program, one call, its answer and status; and how wrong words are refused. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { parseToolArguments } from "../src/tool-arguments.ts";
import { runProgram } from "./built-program.ts";

const call = (words: readonly string[], input?: string) => runProgram(["tool", ...words], input);

async function fileWith(content: string): Promise<string> {
  const folder = scratchFolder();
  await writeFile(join(folder, "rules.json"), content);
  return join(folder, "rules.json");
}

describe("pi-bash tool", () => {
  it("prints what a model reads, and ends with the command's status", async () => {
    const ended = await call(["--env", "A=b", "echo $A; (exit 3)"]);

    expect(ended.status).toBe(3);
    expect(ended.stdout).toMatch(/^b\n\nWall time: \d+\.\d\d seconds\nCommand exited with code 3\n$/);
  });

  it("takes a call as JSON and answers with JSON", async () => {
    const ended = await call(["--json"], JSON.stringify({ command: "echo x", timeout: 9_999 }));

    expect(ended.status).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      content: [{ type: "text" }],
      details: { timeoutSeconds: 3_600, requestedTimeoutSeconds: 9_999 },
    });
  });

  it("answers a refused call with its error and status 125", async () => {
    const ended = await call(["--json"], JSON.stringify({ command: "true", env: { "1": "x" } }));

    expect(ended.status).toBe(125);
    expect(JSON.parse(ended.stdout)).toEqual({
      content: [{ type: "text", text: "Invalid bash env name: 1" }],
      isError: true,
    });
  });

  it("answers a call that timed out with what it printed and status 124, as `run` does", async () => {
    const ended = await call(["--timeout", "1", "echo begun; sleep 100"]);

    expect(ended.status).toBe(124);
    expect(ended.stdout).toContain("[Command timed out after 1 second]\nbegun\n");
  });

  it("runs what only reads or a rule file allows, and answers the rest with the reason (`--policy`, `--mode`)", async () => {
    const rules = JSON.stringify({ allow: ["Bash(touch a)"], deny: ["Bash(ls **)"] });
    const asked = ["--policy", await fileWith(rules)];

    expect((await call([...asked, "echo x; touch a"])).status).toBe(0);
    const denied = await call([...asked, "--json", "ls -l"]);
    expect(denied.status).toBe(125);
    expect(JSON.parse(denied.stdout)).toMatchObject({ isError: true, details: { refusal: { by: "policy" } } });
    expect((await call([...asked, "touch b"])).stdout).toContain("`touch` changes files");
    expect((await call([...asked, "--mode", "yolo", "touch b"])).status).toBe(0);
    expect((await call(["--mode", "plan", "touch b"])).status).toBe(125);
    expect((await call(["--policy", "/missing/rules", "ls"])).status).toBe(2);
  });

  it("keeps whole outputs in a folder, where a later call finds them", async () => {
    const kept = ["--artifacts", join(scratchFolder(), "kept")];

    const first = await call([...kept, "seq 1 20000"]);
    const [address = "none"] = /artifact:\/\/[a-z0-9]+/.exec(first.stdout) ?? [];
    const second = await call([...kept, `sed -n 123p ${address}`]);

    expect(second.stdout).toMatch(/^123\n/);
    expect(second.status).toBe(0);
  });

  it("refuses input that is no JSON as a wrong command line", async () => {
    const place = "line 1, column 2: a name in double quotes is expected, not the end of the text";
    const stderr = `pi-bash: standard input is not JSON: ${place}; \`pi-bash tool --help\` shows what there is\n`;
    expect(await call([], "{")).toEqual({ status: 2, stdout: "", stderr });
  });
});

describe("arguments of tool", () => {
  it("are the parameters of a call, and settings", () => {
    const words = ["--cwd", "/", "--timeout", "1.5", "--setting", "bash.outputHeadBytes=10"];
    words.push("--setting", "bash.ptyEscape=program", "ls");

    const asked = parseToolArguments(words);

    expect(asked.params).toEqual({ command: "ls", cwd: "/", timeout: 1.5 });
    expect(asked.settings["bash.outputHeadBytes"]).toBe(10);
    expect(asked.settings["bash.ptyEscape"]).toBe("program");
  });

  it.each([
    [["a", "b"], "`tool` takes one command; quote it"],
    [["--mode", "loose", "ls"], "`--mode` takes one of default, plan, acceptEdits, auto, dontAsk, yolo, not `loose`"],
    [["--cwd", "/"], "`tool` needs a command beside its flags"],
    [["--env", "A", "ls"], "`--env` takes NAME=VALUE, not `A`"],
    [["--setting", "bash.head=1", "ls"], "there is no setting `bash.head`"],
    [["--setting", "async.maxJobs=x", "ls"], "wrong settings: `async.maxJobs` is a number, not a string"],
    [["--setting", "async.maxJobs=0", "ls"], "wrong settings: `async.maxJobs` is at least 1, not 0"],
  ])("%j are refused with what is wrong", (words, message) => {
    expect(() => parseToolArguments(words)).toThrow(message);
  });
});
