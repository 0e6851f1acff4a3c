/** The components in a real TUI of pi-tui, with real commands: what is on the screen, and what keys do. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Component, TuiAltScreen, TuiMainScreen, visibleWidth } from "@earendil-works/pi-tui";
import { describe, expect, it, onTestFinished } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { BashCall, JobCall, TaskCall, UserBash } from "../src/pi-tui/calls.ts";
import { openConsole } from "../src/pi-tui/console-overlay.ts";
import { PLAIN_THEME } from "../src/theme.ts";
import { hostileText } from "./hostile-text.ts";
import { realTools } from "./real-tools.ts";
import { piTuiTerminal, VirtualScreen } from "./virtual-screen.ts";

const theme = PLAIN_THEME;

/** A TUI of 60 by 14 that is stopped with the test. */
function open(Kind: typeof TuiMainScreen | typeof TuiAltScreen = TuiMainScreen) {
  const screen = new VirtualScreen(60, 14);
  const terminal = piTuiTerminal(screen);
  const tui = new Kind(terminal);
  onTestFinished(() => tui.stop());
  tui.start();
  return { screen, terminal, tui };
}

/** Remembers what it was given. */
class Editor implements Component {
  typed = "";
  render(): string[] {
    return [`> ${this.typed}`];
  }
  handleInput(data: string): void {
    this.typed += data;
  }
  invalidate(): void {
    // Nothing is remembered but what was typed.
  }
}

describe("calls in pi-tui", () => {
  it("are on the screen as they run and when they have ended", async () => {
    const { screen, tui } = open();
    const { call } = await realTools();
    const args = { command: "echo up; sleep 0.2; printf '\\e[31mred\\e[0m\\e[2J'; (exit 3)" };
    const view = new BashCall({ args }, { theme });
    tui.addChild(view);
    tui.requestRender();
    await screen.shows("▸ $ echo up");

    const answer = await call("bash", args, (update) => {
      view.setAnswer(update);
      tui.requestRender();
    });
    view.setAnswer(answer);
    tui.requestRender();

    const rows = await screen.shows("exit 3");
    expect(rows.slice(0, 5)).toEqual([
      "✗ $ echo up; sleep 0.2; printf '\\e[31mred\\e[0m\\e[2J'; (exit",
      "      3)",
      "  │ up",
      "  │ red",
      expect.stringMatching(/^ {2}└ exit 3 · /),
    ]);
  });

  it("of the task tools, too", async () => {
    const { screen, tui } = open();
    const { call } = await realTools();
    const view = new TaskCall({ tool: "task_list", args: {} }, { theme });
    tui.addChild(view);
    view.setAnswer(await call("task_list", {}));
    tui.requestRender();

    expect((await screen.shows("No tasks.")).slice(0, 2)).toEqual(["✓ task_list", "    No tasks."]);
  });

  it("of the job tool show the jobs while they are waited for, on a narrow terminal, too", async () => {
    const { screen, terminal, tui } = open();
    const { call, cwd } = await realTools();
    const command = "printf '漢字\\e[2J\\rwide 漢字\\n'; until [ -e go ]; do sleep 0.02; done; exit 3";
    await call("bash", { command, async: true });
    const args = { poll: ["bg_1"] };
    const view = new JobCall({ args }, { theme });
    tui.addChild(view);
    const waiting = call("job", args, (update) => {
      view.setAnswer(update);
      tui.requestRender();
    });

    const rows = await screen.shows("│ wide 漢字");
    expect(rows[0]).toBe("▸ job poll bg_1");
    expect(rows[1]).toMatch(/^ {4}▸ bg_1 · running · \d+\.\d\ds \$ printf '.*…$/);
    writeFileSync(join(cwd, "go"), "");
    view.setAnswer(await waiting);
    view.setOptions({ expanded: true });
    screen.resize(20, 14);
    terminal.resized();

    const narrow = await screen.shows("✗ bg_1 · exit 3");
    expect(narrow).toContain("    │ wide 漢字");
  });

  it("of a person's own are drawn as they run, and by their result", async () => {
    const { screen, tui } = open();
    const { shell } = await realTools();
    const command = "echo one; echo two";
    const view = new UserBash(command, { theme });
    tui.addChild(view);
    const result = await shell.executeBash(command, {
      onChunk: (chunk) => {
        view.append(chunk);
        tui.requestRender();
      },
    });
    await screen.shows("Running…");
    view.finish(result);
    tui.requestRender();

    const rows = await screen.shows("Running…", false);
    expect(rows.slice(0, 4)).toEqual([
      "✓ ! echo one; echo two",
      "  │ one",
      "  │ two",
      expect.stringMatching(/^ {2}└ exit 0 · \d\.\d\ds$/),
    ]);
  });

  it("never have a row that pi-tui counts as too wide, whatever a command wrote", () => {
    const random = seededRandom(11);
    for (let round = 0; round < 300; round += 1) {
      const width = 1 + Math.floor(random() * 200);
      const view = new BashCall({ args: { command: hostileText(random) } }, { expanded: random() < 0.5 });
      view.setAnswer({ content: [{ type: "text", text: hostileText(random) }] });
      const user = new UserBash(hostileText(random));
      user.append(hostileText(random));
      const jobs = new JobCall({ args: { poll: [hostileText(random)] } }, { expanded: random() < 0.5 });
      const job = { id: "bg_1", type: "bash", state: "running", startedAtMs: 0, elapsedMs: 1 };
      const reported = [{ ...job, label: hostileText(random), output: hostileText(random) }];
      jobs.setAnswer({ content: [], details: { jobs: reported } });
      for (const row of [...view.render(width), ...user.render(width), ...jobs.render(width)]) {
        expect(visibleWidth(row), `round ${round}, ${width}: ${JSON.stringify(row)}`).toBeLessThanOrEqual(width);
      }
      expect(view.render(width)).toBe(view.render(width));
    }
  });

  it("have rows that pi-tui counts otherwise broken once more, and lose nothing", () => {
    // U+103A is a mark without width of its own here and in Unicode, and a column in pi-tui.
    const text = "\u1000\u103a".repeat(40);
    const view = new BashCall({ args: { command: "x" } }, { theme });
    view.setAnswer({ content: [{ type: "text", text }] });

    const rows = view.render(40);
    expect(rows.every((row) => visibleWidth(row) <= 40)).toBe(true);
    const shown = rows.slice(1).join("").replaceAll(/[ │└]/g, "");
    expect(shown).toBe(text);
  });

  it("cannot place the cursor: pi-tui's own marker in an output is gone", () => {
    const view = new BashCall({ args: { command: "x" } }, { theme });
    view.setAnswer({ content: [{ type: "text", text: "a\x1b_pi:c\x07b" }] });

    expect(view.render(40).join("\n")).not.toContain("pi:c");
  });
});

describe("the console in pi-tui", () => {
  it("has the screen and the keys until its program ends, and gives them back", async () => {
    const { screen, terminal, tui } = open();
    const editor = new Editor();
    tui.addChild(editor);
    tui.setFocus(editor);
    const { call } = await realTools((controls) => openConsole(tui, controls, { theme }));
    const ended = call("bash", { command: "echo hel''lo; read -r word; stty size; read -r word", pty: true });

    const rows = await screen.shows("hello");
    expect(rows[0]).toMatch(/^╭─ Console {2}\$ echo hel''lo.* running ─╮$/);
    expect(rows[13]).toMatch(/^╰─ esc ends the program · 58x12 ─+╯$/);
    screen.resize(50, 20);
    terminal.resized();
    await screen.shows("48x18");
    terminal.type("word\r");
    await screen.shows("18 48");
    terminal.type("\x1b[200~more\x1b[201~");
    await screen.shows("more");
    terminal.type("\r");

    const answer = await ended;
    await screen.shows("Console", false);
    expect(answer.content[0]?.text).toContain("18 48");
    terminal.type("k");
    expect(editor.typed).toBe("k");
  });

  it("ends its program at Esc", async () => {
    const { screen, terminal, tui } = open();
    const { call } = await realTools((controls) => openConsole(tui, controls, { theme }));
    const ended = call("bash", { command: "trap '' INT TERM HUP; echo u''p; sleep 300", pty: true });
    await screen.shows("up");

    terminal.type("\x1b");

    expect((await ended).isError).toBe(true);
    await screen.shows("Console", false);
  });

  it("tells the mouse to a program that asked for it, in the program's own cells", async () => {
    const { screen, terminal, tui } = open(TuiAltScreen);
    const { call } = await realTools((controls) => openConsole(tui, controls, { theme }));
    const command = "stty -icanon -echo; printf '\\e[?1000h\\e[?1006hre''ady\\n'; head -c 9 | cat -v; sleep 300";
    const ended = call("bash", { command, pty: true });
    await screen.shows("ready");

    terminal.type("\x1b[<0;5;4M");

    await screen.shows("^[[<0;4;3M");
    terminal.type("\x1b");
    await ended;
  });
});
