/** Theme G of the failure cases, the part that takes a screen or the executor's environment. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { nonInteractiveEnv } from "@pi-bash/executor/internal";
import { replay } from "@pi-bash/terminal";
import { describe, expect, it } from "vitest";
import { within } from "../support/patience.ts";
import { scratchFolder } from "../support/scratch.ts";
import { isInstalled, KEY, openConsole } from "./pty-console.ts";

/** A pager must not be waited for; this is far below the minute that it would sleep. */
const WITHOUT_PAGER_MS = 30_000;

describe("the screen of a program", () => {
  it("PY-16 has the last line when the last write has resolved", async () => {
    const numbers = openConsole({ command: "seq 1 5000" });
    await numbers.ended();

    expect(numbers.terminal.screen().slice(-2)).toEqual(["5000", ""]);
    expect(numbers.terminal.text().split("\n").length).toBe(5000);
  });

  it("PY-17 is what was there before and after a full-screen program, without escape sequences", async () => {
    const screens = openConsole({
      command: `printf 'A\\n'; printf '\\033[?1049h\\033[H\\033[2J'; echo IN; printf '\\033[?1049l'; echo OUT; tput smcup; echo IN; tput rmcup; echo END`,
    });
    await screens.ended();
    const text = await replay(screens.raw(), { cols: 80, rows: 24 });

    expect(text).toBe("A\nOUT\nEND\n");
    expect(screens.terminal.text()).toBe("A\nOUT\nEND");
  });

  it("answers a program that asks where its cursor is", async () => {
    const ask = `printf 'abc\\033[6n'; stty raw -echo; IFS= read -r -d R answer; stty sane; printf '\\n%q\\n' "$answer"`;
    const asking = openConsole({ command: ask });

    expect((await asking.ended()).exitCode).toBe(0);
    expect(asking.terminal.text()).toContain("$'\\E[1;4'");
  });
});

describe("a paste", () => {
  it("PY-12 arrives as one, with its own end marker removed", async () => {
    const reader = openConsole({ command: "stty -echo; printf '\\033[?2004h'; echo ready; exec cat -v" });
    await reader.shows("ready");
    reader.press(reader.terminal.encodePaste("a\u001b[201~rm -rf x\n"), KEY.enter, KEY.endOfFile);

    expect((await reader.ended()).exitCode).toBe(0);
    // The line discipline makes newlines of the Enter keys.
    expect(reader.terminal.text()).toBe("ready\n^[[200~arm -rf x\n^[[201~");
  });
});

describe.skipIf(!isInstalled("git"))("PY-14 with the hardened environment (skipped where there is no git)", () => {
  /** A repository with 300 commits and a `less` that leaves a mark and sleeps. */
  function repository() {
    const folder = scratchFolder();
    const bin = join(folder, "bin");
    const repository = join(folder, "repository");
    const mark = join(folder, "less-was-started");
    mkdirSync(bin);
    mkdirSync(repository);
    for (const name of ["less", "more", "pager", "vi", "editor"]) {
      writeFileSync(join(bin, name), `#!/bin/sh\n: >'${mark}'\nsleep 60\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const commits = Array.from(
      { length: 300 },
      (_, at) => `commit refs/heads/main\ncommitter a <a@b> ${1_700_000_000 + at} +0000\ndata 8\nnumber ${at % 10}\n`,
    );
    execFileSync("git", ["init", "-q", "-b", "main"], { cwd: repository });
    execFileSync("git", ["fast-import", "--quiet"], { cwd: repository, input: commits.join("\n") });
    const env = {
      ...nonInteractiveEnv({ hostEnv: process.env }),
      TERM: "xterm-256color",
      PATH: [bin, process.env["PATH"]].join(delimiter),
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b",
    };
    return { cwd: repository, env, mark };
  }

  it.each([
    ["git log", "number 9"],
    ["git commit --amend --allow-empty --no-status", "number 9"],
    ["man ls | head -3; echo ended", "ended"],
  ])("`%s` neither pages nor edits", async (command, text) => {
    const { cwd, env, mark } = repository();
    const program = openConsole({ command, cwd, env });
    const { exitCode } = await within(command, program.ended(), WITHOUT_PAGER_MS);

    expect(program.terminal.text()).toContain(text);
    expect(exitCode).toBe(0);
    expect(existsSync(mark)).toBe(false);
  });
});
