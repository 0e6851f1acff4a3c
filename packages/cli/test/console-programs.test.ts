/** Programs that a person starts from `pi-bash console`: an editor, and what else needs a terminal and keys. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { expectRestored, KEY, type Person, person, until } from "./console-person.ts";

const KILL = "\x1d";
const hasVim = spawnSync("vim", ["--version"], { encoding: "utf8" }).stdout?.includes("+eval") === true;
const VIM = "/pty vim -u NONE -i NONE -n";

async function backAtPrompt(at: Person): Promise<void> {
  await until(
    () => !at.terminal.isAlternateScreen && at.terminal.screen().join("\n").includes("ctrl+d leaves"),
    () => `not back at the prompt\n${at.terminal.text()}`,
  );
}

/** Whether a process has these words in its command line. Without /proc: never. */
function runs(words: string): boolean {
  try {
    return readdirSync("/proc").some((name) => /^\d+$/.test(name) && commandLine(name).includes(words));
  } catch {
    return false;
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

// vim is no part of a small installation; `scripts/apt-packages.sh` brings it.
describe.skipIf(!hasVim)("vim in the console (skipped where it is not installed)", () => {
  it("has every key, Esc too, follows the terminal's size, and what it wrote is there", async () => {
    const at = await person();
    writeFileSync(join(at.folder, "notes.txt"), "roses\n");
    at.type(`${VIM} notes.txt${KEY.enter}`);
    await at.sees("roses");
    expect(at.terminal.isAlternateScreen).toBe(true);
    expect(at.terminal.screen()[0]).toContain("vim -u NONE");
    expect(at.terminal.screen().at(-1)).toContain("ctrl+] ends the program · 78x22");

    at.type("A are red");
    await at.sees("roses are red");
    at.type(KEY.esc);
    at.resize(50, 12);
    await at.sees("48x10");
    at.type(`:put ='size '.&columns.' by '.&lines${KEY.enter}`);
    await at.sees("size 48 by 10");
    at.type(`:wq${KEY.enter}`);
    await backAtPrompt(at);

    const text = await at.does("cat notes.txt", /^ {2}│ size 48 by 10$/m);
    expect(text).toMatch(/^ {2}│ roses are red$/m);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
    expectRestored(at);
  });

  it("is ended by ctrl+], with everything that it started, and the session goes on", async () => {
    const at = await person();
    const name = `left-${process.pid}.txt`;
    writeFileSync(join(at.folder, name), "as it was\n");
    at.type(`${VIM} ${name}${KEY.enter}`);
    await at.sees("as it was");
    expect(runs(`vim -u NONE -i NONE -n ${name}`) || process.platform !== "linux").toBe(true);
    at.type("ddichanged");
    await at.sees("changed");

    at.type(KILL);
    await backAtPrompt(at);

    expect(at.terminal.text()).toMatch(/■ \$ vim/);
    await until(
      () => !runs(name),
      () => "vim is alive",
    );
    await at.does(`!cat ${name}`, /^ {2}│ as it was$/m);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
    expectRestored(at);
  });
});

describe("a program in the console", () => {
  it("is drawn by its newest screen while it floods it, and ends at once", async () => {
    const at = await person();
    at.type(`/pty yes "a flood"${KEY.enter}`);
    await at.sees(/(?:│a flood +│\n){10}/);
    at.resize(120, 30);
    await at.sees("118x28");
    at.type(KILL);
    await backAtPrompt(at);
    await at.does("!echo on", /^ {2}│ on$/m);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
  });

  it("fits windows from 40 to 200 columns, whatever it draws", async () => {
    const at = await person("", { cols: 200, rows: 20 });
    const wide = String.raw`printf '\e[2J\e[H'; for i in {1..30}; do printf '漢字 e\u0301 👩‍👧 \e[3${"$"}((i % 8))mcolour '; done`;
    at.type(`/pty ${wide}; while read x; do ${wide}; echo "line $x"; done${KEY.enter}`);
    await at.sees("colour");
    for (const cols of [40, 41, 79, 133, 200]) {
      at.resize(cols, 20);
      await at.sees(`${cols - 2}x18`);
      at.type(`${cols}${KEY.enter}`);
      await at.sees(`line ${cols}`);
      const screen = at.terminal.screen();
      expect(screen[0]).toMatch(/^╭─ Console .*╮$/);
      expect(screen.at(-1)).toMatch(/^╰─.*╯$/);
      expect(screen.slice(1, -1).every((row) => row.startsWith("│"))).toBe(true);
    }
    at.type(KILL);
    await backAtPrompt(at);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
    expectRestored(at);
  });
});

describe.skipIf(process.platform !== "linux")("a task's terminal in the console (who waits is known on Linux)", () => {
  it("is named when its program waits, is taken and handed back, and hides what is typed unseen", async () => {
    const at = await person();
    const script = 'read -rsp "Password: " p; echo; read -rp "Name: " n; echo "$n: ${#p} $p"';
    const params = { kind: "bash", script, timeout_secs: 60, display_name: "x", tty: true };
    at.type(`${JSON.stringify({ tool: "task", params })}${KEY.enter}`);
    await at.sees(/bg_1: `bash` waits for a secret: "Password:"; \/attach bg_1 takes\s+its terminal/);

    at.type(`/attach bg_1${KEY.enter}`);
    await at.sees("ctrl+] hands the terminal back");
    at.type(`correct horse${KEY.enter}`);
    await at.sees("Name:");
    at.type(KILL);
    await at.sees("handed bg_1 back; it goes on");
    const send = { tool: "task_send", params: { task_id: "bash:bg_1", text: "ada" } };
    at.type(`${JSON.stringify(send)}${KEY.enter}`);
    const text = await at.sees("ada: 13 [secret]");

    expect(text).not.toContain("correct horse");
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
    expectRestored(at);
  });
});
