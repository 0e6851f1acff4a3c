/** `pi-bash console`, as a person sees it. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAlive } from "../../../test/support/process.ts";
import { expectRestored, KEY, LIMIT_MS, PROGRAM, person, until } from "./console-person.ts";

describe("the console", () => {
  it("is a wrong command line without a terminal, and says what needs none", () => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, "console"], {
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
      timeout: LIMIT_MS,
    });

    expect(stderr).toContain("`console` needs a terminal");
    expect(status).toBe(2);
  });

  it("runs a line as a call of the bash tool, and `!` as the person's command in the same shell", async () => {
    const at = await person();
    await at.does("!mkdir sub && cd sub", "└ no output");
    await at.does("!!pwd", /│ \/.*not for the model/s);
    const text = await at.does('echo "in $(pwd)"; exit 3', "exit 3 ·");

    expect(text).toContain(`│ ${at.folder}/sub`);
    expect(text).toContain(`✗ $ echo "in $(pwd)"; exit 3`);
    expect(text).toContain(`in ${at.folder}/sub`);

    const json = await at.does('{"command": "echo $WHO", "env": {"WHO": "json"}}', /✓ \$ WHO="json" echo \$WHO/);
    expect(json).toMatch(/^ {2}│ json$/m);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
    expectRestored(at);
  });

  it("edits a line, remembers it, and takes a paste as one", async () => {
    const at = await person();
    at.type(`world${KEY.ctrlA}hello ${KEY.left}\x1b[97;5u`);
    await at.does("!echo ", /^ {2}│ hello world$/m);
    await at.does(`${KEY.up} again`, /^ {2}│ hello world again$/m);
    at.type("\x1b[200~!echo one\necho two\x1b[201~");
    await at.sees("›");
    expect(at.terminal.text()).not.toContain("│ two");
    at.type(KEY.enter);
    await at.sees(/^ {2}│ two$/m);
    at.type(`/quit${KEY.enter}`);
    expect(await at.end()).toBe(0);
  });

  it("keeps a line that was entered too early, and says so until it can be run", async () => {
    const at = await person();
    at.type(`until [ -e go ]; do sleep 0.05; done; echo first${KEY.enter}`);
    await at.sees("esc ends what runs");
    at.type(`echo second${KEY.enter}`);
    await at.sees("one thing at a time");
    writeFileSync(join(at.folder, "go"), "");
    await until(
      () => /leaves · \//.test(at.terminal.screen().join("\n")),
      () => `the hint is still that of a command that has ended\n${at.terminal.text()}`,
    );
    await at.does("", /✓ \$ echo second/);
  });

  it("shows the end of long output, and all of it with ctrl+o", async () => {
    const at = await person();
    const collapsed = await at.does("seq 100 400", /✓.*\(ctrl\+o to expand\)/s);
    expect(collapsed).not.toMatch(/^ {2}│ 150$/m);
    expect(collapsed).toMatch(/^ {2}│ 400$/m);
    at.type("\x0f");
    expect(await at.sees(/^ {2}│ 150$/m)).toMatch(/^ {2}│ 100$/m);
    const long = await at.does("for i in {1001..1600}; do printf '%s %0200d\\n' $i 0; done", /Full:[\s│]+artifact:/);
    expect(long).not.toMatch(/^ {2}│ 1001 0/m);
    at.type("\x0f");
    expect(await at.sees(/^ {2}│ 1001 0/m)).toContain("The whole output");
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
  });

  it("shows what the tool refuses, and a command that cannot be started, as its answer", async () => {
    const at = await person();
    await at.does('{"command": "true", "env": {"A-B": "1"}}', "Invalid bash env name: A-B");
    await at.does("!mkdir gone && cd gone && rmdir ../gone", "└ no output");
    await at.does("!echo lost", /└ .*gone/);
    await at.does("!pwd", `│ ${at.folder}\n`);
    await at.does("/nonsense", "there is no `/nonsense`");
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
  });

  it("cancels what runs with esc, and goes on", async () => {
    const at = await person();
    at.type(`!echo begun; sleep 300${KEY.enter}`);
    await at.sees(/│ begun/);
    await at.sees("esc ends what runs");
    at.type(KEY.esc);
    await at.sees(/└ cancelled/);
    await at.sees(/leaves · \//);
    at.type(`sleep 301${KEY.enter}`);
    await at.sees("▸ $ sleep 301");
    at.type(KEY.ctrlC);
    await at.sees("■ $ sleep 301");
    await at.does("!echo alive", /^ {2}│ alive$/m);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
  });

  it("gives a program the whole screen, passes keys and sizes on, and comes back", async () => {
    const at = await person("--setting bash.ptyEscape=kill");
    at.type(`/pty echo size $(stty size); read -p 'name? ' n; echo size $(stty size) $n; read x${KEY.enter}`);
    await at.sees("size 22 78");
    expect(at.terminal.isAlternateScreen).toBe(true);
    expect(at.terminal.screen()[0]).toContain("Console");
    at.resize(60, 16);
    await at.sees("58x14");
    at.type(`Ada${KEY.enter}`);
    await at.sees("size 14 58 Ada");
    at.type(KEY.esc);
    await until(
      () => !at.terminal.isAlternateScreen,
      () => "the program's screen stays",
    );
    await at.sees("ctrl+d leaves");
    await at.does("!echo back", /^ {2}│ back$/m);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
    expectRestored(at);
  });

  it("has the mouse reported while a program wants it, and is left in the middle of it", async () => {
    const at = await person();
    at.type(`/pty printf '\\e[?1000h\\e[?1006h'; read -rsn 9 keys; printf 'got %q' "$keys"; sleep 300${KEY.enter}`);
    await until(
      () => at.raw().includes("\x1b[?1002h"),
      () => "the mouse is not asked for",
    );
    at.type("\x1b[<0;5;5M");
    await at.sees("got $'\\E[<0;4;4M'");
    process.kill(at.pid(), "SIGTERM");
    expect(await at.end()).toBe(143);
    expectRestored(at);
    expect(at.raw().lastIndexOf("\x1b[?1002h")).toBeLessThan(at.raw().lastIndexOf("\x1b[?1002l"));
  });

  it("makes calls of the task tools, and draws them", async () => {
    const at = await person();
    const call = (tool: string, params: object) => JSON.stringify({ tool, params });
    const server = { kind: "bash", script: "echo ready; sleep 60", timeout_secs: 90, run_in_background: true };

    await at.does(call("task", { ...server, display_name: "server" }), /↗ task server \$ echo ready; sleep 60/);
    await at.sees("goes on as bash:bg_1");
    await at.does(call("task_await", {}), /▸ bash:bg_1 · running · [\d.]+s[\s│└!]+ready/);
    await at.does(call("task_list", {}), /▸ bash:bg_1 server · running · [\d.]+s \$ echo ready; sleep 60/);
    await at.does(call("task_terminate", { task_ids: ["bash:bg_1"] }), /■ bash:bg_1 · ended/);
    await at.does(call("rm", {}), "`tool` is one of `task`");
    await at.does(call("task", { kind: "bash" }), "Invalid task parameters");
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
  });

  it("makes calls of the job tool, and draws them", async () => {
    const at = await person();
    const call = (params: object) => JSON.stringify({ tool: "job", params });
    at.type(`/bg echo ready; sleep 60${KEY.enter}`);
    await at.sees("└ goes on as bg_1");

    await at.does(call({}), /▸ bg_1 · running · [\d.]+s \$ echo ready; sleep 60/);
    at.type(`${call({ poll: ["bg_1"] })}${KEY.enter}`);
    await at.sees(/▸ bg_1 · running · [\d.]+s \$ echo ready; sleep 60[\s│└!]+ready/);
    at.type(KEY.esc);
    await at.sees(/■ job poll bg_1[\s│└!]+Waiting was aborted; the jobs go on\./);
    await at.does(
      call({ cancel: ["bg_1", "bg_9"] }),
      /■ bg_1 · (?:being ended|cancelled) · .*[\s│└!]+⊘ bg_9 · not found/,
    );
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
  });

  it("lists background jobs, follows one, and ends it", async () => {
    const at = await person();
    at.type(`/bg echo first; until [ -e go ]; do sleep 0.05; done; echo second; sleep 300${KEY.enter}`);
    await at.sees("└ goes on as bg_1");
    at.type(`/attach bg_1${KEY.enter}`);
    await at.sees(/^first$/m);
    writeFileSync(join(at.folder, "go"), "");
    await at.sees(/^second$/m);
    at.type(KEY.esc);
    await at.sees("1 job · ctrl+o");
    at.type(`/jobs${KEY.enter}`);
    await at.sees("bg_1 [bash] running");
    at.type(`/kill bg_1${KEY.enter}`);
    await at.sees("Cancelled background job bg_1.");
    at.type(`/kill nothing${KEY.enter}`);
    await at.sees("Background job not found: nothing");
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
  });

  it("tells the end of a background job once", async () => {
    const at = await person();
    at.type(`/bg echo its output; exit 3${KEY.enter}`);
    const text = await at.sees(/Background job bg_1 failed.*^Command exited with code 3$/ms);
    expect(text.match(/Background job bg_1 failed/g)).toHaveLength(1);
    expect(text.match(/^its output$/gm)).toHaveLength(1);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
  });

  it("is asked without rules about what never runs unasked", async () => {
    const at = await person("", { cols: 100 });
    mkdirSync(join(at.folder, "open"), { mode: 0o700 });

    expect(await at.asked("chmod -R 777 open")).toContain("gives everyone all rights to whole folders");
    at.type("n");
    await at.sees("Not approved.");

    expect(statSync(join(at.folder, "open")).mode & 0o7).toBe(0);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
  });

  it("asks before what the policy does not allow, with the command in full, and remembers `a`", async () => {
    const at = await person("--mode default", { cols: 100 });
    const asked = await at.asked("touch made");
    expect(asked).toMatch(/^ {2}touch made$/m);
    at.type("n");
    await at.sees("Not approved.");
    await at.sees("⊘ $ touch made");
    expect(existsSync(join(at.folder, "made"))).toBe(false);
    await at.asked("touch made");
    at.type("y");
    await at.sees("✓ $ touch made");
    expect(existsSync(join(at.folder, "made"))).toBe(true);
    await at.asked("touch other");
    at.type("a");
    await at.sees("✓ $ touch other");
    await at.does("touch other && echo remembered", /^ {2}│ remembered$/m);
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
  });

  it.each([40, 77, 200])("fits %i columns, and other widths after that", async (cols) => {
    const at = await person("", { cols, rows: 20 });
    const wide = "wide 漢字 e\u0301 👩‍👩‍👧 ".repeat(12);
    await at.does(`!printf '%s\\n' "${wide}"; printf '\\e]0;title\\a\\e[?1049h'`, "└ exit 0");
    at.resize(cols + 25, 20);
    await at.does("!echo wider", /^ {2}│ wider$/m);
    at.resize(40, 20);
    const text = await at.does("!echo narrow", /^ {2}│ narrow$/m);

    expect(text.split("\n").filter((line) => line.includes("ctrl+d leaves"))).toHaveLength(1);
    expect(at.terminal.isAlternateScreen).toBe(false);
    expect(at.raw()).not.toContain("\x1b]");
    expect(at.raw()).not.toContain("\x1b[?1049h");
    at.type(KEY.ctrlD);
    expect(await at.end()).toBe(0);
    expectRestored(at);
  });

  it.each([
    ["TERM", 143],
    ["HUP", 129],
  ])("ends everything and restores the terminal at SIG%s", async (name, status) => {
    const at = await person();
    at.type(`!sleep 300 & echo "child $!"; sleep 300${KEY.enter}`);
    const child = Number(/│ child (\d+)/.exec(await at.sees(/│ child \d+/))?.[1]);
    at.type("half a line");
    await at.sees("half a line");
    process.kill(at.pid(), `SIG${name}`);
    expect(await at.end()).toBe(status);
    expectRestored(at);
    await until(
      () => !isAlive(child),
      () => "what it started is alive",
    );
  });
});
