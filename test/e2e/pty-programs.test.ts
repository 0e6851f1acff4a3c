/** Programs that people use on a terminal, used by keys: what is on the screen, and what they did, at the end. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../support/scratch.ts";
import { newTag } from "../support/tag.ts";
import { isInstalled, KEY, openConsole } from "./pty-console.ts";

/** Programs that not every machine has; a test of one is skipped where it is missing. */
const has = {
  git: isInstalled("git"),
  less: isInstalled("less"),
  python3: isInstalled("python3"),
  top: isInstalled("top", "-v"),
  // A small build has no scripts.
  vim: isInstalled("vim", "--version", "+eval"),
  npm: isInstalled("npm"),
};

describe("bash", () => {
  const options = { command: "PS1='ready> ' HISTFILE= exec bash --norc --noprofile -i" };

  it("is talked to, remembers what was typed, and takes its stopped jobs along", async () => {
    const tag = newTag();
    const bash = openConsole({ ...options, env: tag.env });
    await bash.shows("ready>");
    bash.press("echo one $((1 + 1))", KEY.enter);
    await bash.shows(/^one 2$/m);
    // The line from before, with its last three characters replaced.
    bash.press(KEY.up, "\u007f\u007f\u007f", "3))", KEY.enter);
    await bash.shows(/^one 4$/m);
    // What it prints tells that it has the terminal.
    bash.press("sh -c 'echo run\"\"ning; exec sleep 300'", KEY.enter);
    await bash.shows("running");
    bash.press(KEY.suspend);
    await bash.shows("Stopped");
    expect(tag.survivors().length).toBe(2);
    bash.press("disown %1; exit 5", KEY.enter);

    expect((await bash.ended()).exitCode).toBe(5);
    expect(tag.survivors()).toEqual([]);
  });

  it("has its line ended by the interrupt key, and itself by the end-of-file key", async () => {
    const bash = openConsole(options);
    await bash.shows("ready>");
    bash.press("half a line");
    // The key throws away what was typed and not yet read.
    await bash.shows("half a line");
    bash.press(KEY.interrupt);
    await bash.shows(/\^C\nready>$/m);
    bash.press("(exit 9)", KEY.enter);
    await bash.shows(/exit 9\)\nready>$/m);
    bash.press(KEY.endOfFile);

    expect((await bash.ended()).exitCode).toBe(9);
  });
});

describe.skipIf(!has.python3)("python's prompt (skipped where there is no python3)", () => {
  it("computes, and shows an error as it is", async () => {
    const python = openConsole({ command: "exec python3 -q", env: { PYTHON_HISTORY: "/dev/null" } });
    await python.shows(">>>");
    python.press("6 * 7", KEY.enter);
    await python.shows(/^42$/m);
    python.press("1 / 0", KEY.enter);
    await python.shows("ZeroDivisionError: division by zero");
    python.press("exit(3)", KEY.enter);

    expect((await python.ended()).exitCode).toBe(3);
  });

  it("asks for a password that is not shown", async () => {
    const ask = "import getpass; print('got', len(getpass.getpass('Password: ')))";
    const python = openConsole({ command: `exec python3 -c "${ask}"` });
    await python.shows("Password:");
    python.press("secret", KEY.enter);

    expect((await python.ended()).exitCode).toBe(0);
    expect(python.terminal.text()).toContain("got 6");
    expect(python.raw()).not.toContain("secret");
  });
});

describe.skipIf(!has.vim)("vim (skipped where it is not installed whole)", () => {
  it("edits a file on a screen of its own, and gives the old one back", async () => {
    const file = join(scratchFolder(), "poem.txt");
    writeFileSync(file, "roses\nviolets\n");
    const vim = openConsole({ command: `echo before; vim -u NONE -i NONE -n ${file}; echo after` });
    await vim.shows("roses");
    await vim.shows("violets");
    expect(vim.terminal.isAlternateScreen).toBe(true);
    vim.press("jA are blue");
    await vim.shows("violets are blue");
    vim.press(KEY.escape, ":wq", KEY.enter);

    expect((await vim.ended()).exitCode).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("roses\nviolets are blue\n");
    expect(vim.terminal.text()).toBe("before\nafter");
  });

  it("draws itself again when its terminal changes its size", async () => {
    const script = join(scratchFolder(), "size.vim");
    writeFileSync(script, "autocmd VimResized * put ='now '.&lines.' by '.&columns\nput ='waiting'\n");
    const vim = openConsole({ command: `exec vim -u NONE -i NONE -n -S ${script}` });
    await vim.shows("waiting");
    vim.terminal.resize(60, 10);
    vim.session.resize(60, 10);
    await vim.shows("now 10 by 60");
    vim.press(":q!", KEY.enter);

    expect((await vim.ended()).exitCode).toBe(0);
  });
});

describe.skipIf(!has.less)("less (skipped where it is not installed)", () => {
  it("pages, searches and leaves", async () => {
    const file = join(scratchFolder(), "numbers.txt");
    writeFileSync(file, Array.from({ length: 500 }, (_, at) => `line ${at + 1}\n`).join(""));
    const less = openConsole({ command: `less ${file}`, env: { LESS: "", LESSHISTFILE: "-" } });
    await less.shows(/^line 1$/m);
    less.press(" ");
    await less.shows(/^line 40$/m);
    less.press("/line 300", KEY.enter);
    await less.shows(/^line 300$/m);
    expect(less.terminal.screen()[0]).toBe("line 300");
    less.press("G");
    await less.shows(/^line 500$/m);
    less.press("q");

    expect((await less.ended()).exitCode).toBe(0);
  });
});

describe.skipIf(!has.top)("top (skipped where it is not installed)", () => {
  it("lists processes on the whole screen until a key makes it quit", async () => {
    const top = openConsole({ command: "exec top" });
    await top.shows(/PID +USER/);
    await top.shows("load average");
    top.press("q");

    expect((await top.ended()).exitCode).toBe(0);
  });
});

describe.skipIf(!has.git)("git (skipped where it is not installed)", () => {
  it("stages the one of two changes that was answered with yes", async () => {
    const folder = scratchFolder();
    const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: folder,
        env: { ...process.env, ...env },
        encoding: "utf8",
      });
    const numbers = Array.from({ length: 30 }, (_, at) => `${at + 1}`);
    const file = join(folder, "numbers");
    writeFileSync(file, `${numbers.join("\n")}\n`);
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "numbers");
    writeFileSync(file, `first\n${numbers.slice(1, -1).join("\n")}\nlast\n`);
    const add = openConsole({ command: "git add -p", cwd: folder, env });
    await add.shows("(1/2) Stage this hunk");
    add.press("n", KEY.enter);
    await add.shows("(2/2) Stage this hunk");
    add.press("y", KEY.enter);

    expect((await add.ended()).exitCode).toBe(0);
    const staged = git("diff", "--cached");
    expect(staged).toContain("+last");
    expect(staged).not.toContain("+first");
  });
});

describe.skipIf(!has.npm)("npm init (skipped where there is no npm)", () => {
  it("is answered question by question", async () => {
    const folder = scratchFolder();
    const env = { HOME: folder, npm_config_update_notifier: "false", npm_config_cache: join(folder, "cache") };
    const init = openConsole({ command: "npm init", cwd: folder, env });
    await init.shows("package name:");
    init.press("poem", KEY.enter);
    await init.shows("version:");
    init.press("2.3.4", KEY.enter);
    for (const question of ["description", "entry point", "test command", "git repository", "keywords", "author"]) {
      await init.shows(`${question}:`);
      init.press(KEY.enter);
    }
    await init.shows("license:");
    // Newer versions ask one thing more before the last question.
    init.press("MIT", KEY.enter);
    await init.shows(/^type:|Is this OK/m);
    if (!init.terminal.text().includes("Is this OK")) init.press(KEY.enter);
    await init.shows("Is this OK");
    init.press(KEY.enter);

    expect((await init.ended()).exitCode).toBe(0);
    const written: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    expect(written).toMatchObject({ name: "poem", version: "2.3.4", license: "MIT" });
  });
});
