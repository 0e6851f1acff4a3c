/** `pi-bash completions`: the scripts in the shells that they are for, which complete a line as a person types it. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PtySession } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { bashCompletions } from "../src/surface/completions/bash.ts";
import { fishCompletions } from "../src/surface/completions/fish.ts";
import { zshCompletions } from "../src/surface/completions/zsh.ts";
import { runProgram } from "./built-program.ts";

/** A shell that completes nothing within this time hangs. */
const LIMIT_MS = 30_000;

function has(program: string): boolean {
  try {
    execFileSync("bash", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A folder with something to complete. */
function folderWithFiles(script: string): string {
  const folder = scratchFolder();
  mkdirSync(join(folder, "work folder"));
  mkdirSync(join(folder, "depot"));
  writeFileSync(join(folder, "rules one.json"), "");
  writeFileSync(join(folder, "completions"), script);
  return folder;
}

type TypedShell = { start: string; prepare: string; script: string };

/** What `pi-bash` is called with when `typed` is typed into an interactive shell and then entered. */
async function completedAt(shell: TypedShell, typed: string): Promise<string[]> {
  const folder = folderWithFiles(shell.script);
  const pty = new PtySession();
  let raw = "";
  let isReady = false;
  const run = pty.start(
    {
      command: shell.start,
      cwd: folder,
      baseEnv: { PATH: process.env["PATH"] ?? "", HOME: folder, TERM: "dumb", LC_ALL: "C.UTF-8" },
      timeoutMs: LIMIT_MS,
      cols: 300,
      rows: 24,
    },
    (_error, chunk) => {
      raw += chunk;
      // What is typed before a shell reads keys is taken by the terminal, where a Tab is a blank.
      if (isReady || !raw.includes("ready1\r\n")) return;
      isReady = true;
      pty.write(`${typed}\r`);
    },
    () => pty.write(`pi-bash() { printf '[[%s]]' "$@"; echo; exit; }; ${shell.prepare}; echo ready$((2 - 1))\r`),
  );
  await run;
  return [...raw.matchAll(/\[\[([^\]%]*)\]\]/g)].map(([, word]) => word ?? "");
}

/** Types a line of each of two commands. The words of the first are as the shell writes them. */
async function expectTyped(shell: TypedShell, run: readonly string[]): Promise<void> {
  expect(await completedAt(shell, "pi-bash ru\t--mod\tacc\t--cwd=work\t --policy ru\t")).toEqual(run);
  const setting = "pi-bash tool --setting bash.outputHeadB\t5 --setting async.e\tf\t";
  const words = ["tool", "--setting", "bash.outputHeadBytes=5", "--setting", "async.enabled=false"];
  expect(await completedAt(shell, setting)).toEqual(words);
}

describe.skipIf(process.platform === "win32")("bash", () => {
  const script = bashCompletions();
  const shell = { start: "bash --norc -i", prepare: ". ./completions", script };

  /** What is offered for the last of these words, which bash has cut at each `=`. */
  function offered(...words: string[]): string[] {
    const program = `${script}
COMP_WORDS=(pi-bash "$@") COMP_CWORD=$#
_pi_bash
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const cwd = folderWithFiles(script);
    const text = execFileSync("bash", ["-c", program, "bash", ...words], { cwd, encoding: "utf8", timeout: LIMIT_MS });
    return text.split("\n").filter((line) => line !== "");
  }

  it.each([
    [["mi"], ["minimize"]],
    [["help", "d"], ["doctor"]],
    [["run", "--mo"], ["--mode"]],
    [
      ["run", "--mode", ""],
      ["default", "plan", "acceptEdits", "auto", "dontAsk", "yolo"],
    ],
    [["run", "--mode", "=", "acc"], ["acceptEdits"]],
    [["tool", "--json", "--allow-unasked", "s"], ["system-write"]],
    [
      ["mcp", "--cwd", ""],
      ["depot", "work folder"],
    ],
    [["mcp", "--cwd", "=", "work"], ["work folder"]],
    [["run", "--policy", "ru"], ["rules one.json"]],
    [["minimize", "--verify", "ru"], ["rules one.json"]],
    [
      ["tool", "--setting", "async.e"],
      ["async.enabled=true", "async.enabled=false"],
    ],
    [["tool", "--setting", "async.enabled", "=", "f"], ["false"]],
    [["tool", "--setting", "bash.outputHeadB"], ["bash.outputHeadBytes="]],
    [
      ["completions", ""],
      ["bash", "zsh", "fish"],
    ],
    [["run", "--timeout", ""], []],
    [["tour", ""], []],
    [["dance", "--m"], []],
  ])("is offered for %j: %j", (words, wanted) => {
    expect(offered(...words).sort()).toEqual([...wanted].sort());
  });

  it("offers programs for a command", () => {
    expect(offered("run", "mkdi")).toContain("mkdir");
  });

  it("completes in a line that is typed", () =>
    expectTyped(shell, ["run", "--mode", "acceptEdits", "--cwd=work folder/", "--policy", "rules one.json"]));
});

describe.skipIf(!has("zsh"))("zsh", () => {
  const prepare = "autoload -Uz compinit; compinit -u -D; . ./completions; unsetopt prompt_sp";
  const shell = { start: "zsh -f -i", prepare, script: zshCompletions() };

  it("completes in a line that is typed", () =>
    expectTyped(shell, ["run", "--mode=acceptEdits", "--cwd=work folder", "--policy", "rules one.json"]));
});

describe.skipIf(!has("fish"))("fish", () => {
  const offered = (line: string): string[] => {
    const cwd = folderWithFiles(fishCompletions());
    const program = `source completions; complete -C ${JSON.stringify(line)}`;
    const env = { PATH: process.env["PATH"], LD_LIBRARY_PATH: process.env["LD_LIBRARY_PATH"], HOME: cwd };
    const text = execFileSync("fish", ["--no-config", "-c", program], {
      cwd,
      env,
      encoding: "utf8",
      timeout: LIMIT_MS,
    });
    return text.split("\n").flatMap((each) => each.split("\t")[0] || []);
  };

  it.each([
    ["pi-bash mi", ["minimize"]],
    ["pi-bash run --mo", ["--mode"]],
    ["pi-bash run --mode acc", ["acceptEdits"]],
    ["pi-bash run --mode=acc", ["--mode=acceptEdits"]],
    ["pi-bash mcp --cwd wo", ["work folder/"]],
    ["pi-bash run --policy ru", ["rules one.json"]],
    ["pi-bash tool --setting async.e", ["async.enabled=false", "async.enabled=true"]],
    ["pi-bash help d", ["doctor"]],
    ["pi-bash tour ", []],
  ])("is offered for `%s`: %j", (line, wanted) => {
    expect(offered(line).sort()).toEqual(wanted);
  });
});

it("completions are printed for three shells, and no other", async () => {
  expect((await runProgram(["completions", "bash"])).stdout).toBe(bashCompletions());
  expect((await runProgram(["completions", "zsh"])).stdout).toBe(zshCompletions());
  expect((await runProgram(["completions", "fish"])).stdout).toBe(fishCompletions());
  expect(await runProgram(["completions", "csh"])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("`completions` takes one of bash, zsh, fish"),
  });
});
