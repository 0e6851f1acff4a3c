/** The components in a real app of Ink, with real commands: what is on the screen, and what keys do. */
import { Box, render, Text, useInput } from "ink";
import { createElement as h, type ReactElement, useState } from "react";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { BashCall, JobCall, TaskCall } from "../src/ink/calls.ts";
import { ConsoleScreen, useIsConsoleOpen } from "../src/ink/console-screen.ts";
import { ConsoleWindows } from "../src/ink/console-windows.ts";
import { UserBash, UserBashState } from "../src/ink/user-bash.ts";
import { PLAIN_THEME } from "../src/theme.ts";
import { hostileText } from "./hostile-text.ts";
import { realTools } from "./real-tools.ts";
import { inkStreams, VirtualScreen } from "./virtual-screen.ts";

// Ink draws nothing before its end where it takes itself to be on a server for tests; it looks when it is loaded.
vi.hoisted(() => {
  process.env["CI"] = "false";
  process.env["CONTINUOUS_INTEGRATION"] = "false";
});

const theme = PLAIN_THEME;

/** An app on a screen of 60 by 14 that is ended with the test. */
function open(app: ReactElement) {
  const screen = new VirtualScreen(60, 14);
  const streams = inkStreams(screen);
  const { stdout, stdin } = streams;
  const ink = render(app, { stdout, stdin, exitOnCtrlC: false, patchConsole: false });
  onTestFinished(() => ink.unmount());
  return { screen, ink, ...streams };
}

describe("calls in Ink", () => {
  it("are on the screen as they run and when they have ended", async () => {
    const { call } = await realTools();
    const view = { args: { command: "echo up; sleep 0.2; printf '\\e[31mred\\e[0m\\e[2J'; (exit 3)" } };
    const { screen, ink } = open(h(BashCall, { call: view, theme }));
    await screen.shows("▸ $ echo up");

    const answer = await call("bash", view.args, (update) =>
      ink.rerender(h(BashCall, { call: view, answer: update, theme })),
    );
    ink.rerender(h(BashCall, { call: view, answer, theme }));

    const rows = await screen.shows("exit 3");
    expect(rows.slice(0, 5)).toEqual([
      "✗ $ echo up; sleep 0.2; printf '\\e[31mred\\e[0m\\e[2J'; (exit",
      "      3)",
      "  │ up",
      "  │ red",
      expect.stringMatching(/^ {2}└ exit 3 · /),
    ]);
  });

  it("keep their colours and links", async () => {
    const link = "\x1b]8;;https://example.org/\x1b\\there\x1b]8;;\x1b\\";
    const answer = { content: [{ type: "text" as const, text: `\x1b[32mgreen\x1b[0m ${link}` }] };
    const { screen } = open(h(BashCall, { call: { args: { command: "x" } }, answer }));

    await screen.shows("green there");
    expect(screen.written).toContain("https://example.org/");
    expect(screen.written).toContain("\x1b[32mgreen");
  });

  it("watch the size of the terminal by one listener, however many they are", async () => {
    const call = { args: { command: "x" } };
    const calls = Array.from({ length: 20 }, (_, key) => h(BashCall, { key, call, theme }));
    const { screen, stdout, ink } = open(h(Box, { flexDirection: "column" }, ...calls));
    await screen.shows("▸ $ x");

    // One is Ink's own.
    expect(stdout.listenerCount("resize")).toBeLessThanOrEqual(2);
    ink.unmount();
    expect(stdout.listenerCount("resize")).toBe(0);
  });

  it("of the task tools are drawn again at another width", async () => {
    const { call } = await realTools();
    const answer = await call("task_list", {});
    const args = { statuses: ["running", "reported"] };
    const { screen, resized } = open(h(TaskCall, { call: { tool: "task_list", args }, answer, theme }));
    await screen.shows("✓ task_list running, reported");

    screen.resize(20, 14);
    resized();

    await screen.shows("✓ task_list running,\n      reported\n    No tasks.");
  });

  it("of the job tool show the jobs, and what they wrote when expanded", async () => {
    const { call } = await realTools();
    await call("bash", { command: "echo 漢字; exit 3", async: true });
    const view = { args: { poll: ["bg_1"] } };
    const { screen, ink } = open(h(JobCall, { call: view, theme }));
    await screen.shows("▸ job poll bg_1");
    const answer = await call("job", view.args);

    ink.rerender(h(JobCall, { call: view, answer, theme }));
    await screen.shows("… output of a job (ctrl+o to expand)");
    ink.rerender(h(JobCall, { call: view, answer, theme, expanded: true }));

    const rows = await screen.shows("Whole output: artifact://");
    expect(rows.slice(0, 3)).toEqual([
      "✓ job poll bg_1",
      expect.stringMatching(/^ {4}✗ bg_1 · exit 3 · \d+\.\d\ds \$ echo 漢字; exit 3$/),
      "    │ 漢字",
    ]);
  });

  it("of a person's own are drawn as they run, and by their result", async () => {
    const { shell } = await realTools();
    const command = "echo one; echo two";
    const state = new UserBashState(command, { theme });
    const { screen } = open(h(UserBash, { state }));
    const result = await shell.executeBash(command, { onChunk: (chunk) => state.append(chunk) });
    await screen.shows("Running…");
    state.finish(result);

    const rows = await screen.shows("Running…", false);
    expect(rows.slice(0, 4)).toEqual([
      "✓ ! echo one; echo two",
      "  │ one",
      "  │ two",
      expect.stringMatching(/^ {2}└ exit 0 · \d\.\d\ds$/),
    ]);
  });

  it("send no sequence of a command to the terminal but colours and links", async () => {
    const random = seededRandom(3);
    const marks = ["\x1b]52;c;aGk=\x07", "\x1b]0;owned\x07", "\x1b[6n", "\x1bP1$r0m\x1b\\"];
    for (let round = 0; round < 20; round += 1) {
      const text = `${hostileText(random)}${marks.join("")}${hostileText(random)}`;
      const answer = { content: [{ type: "text" as const, text }] };
      const { screen, ink } = open(h(BashCall, { call: { args: { command: text } }, answer, theme }));
      await screen.shows("  │");
      ink.unmount();

      expect(marks.filter((mark) => screen.written.includes(mark))).toEqual([]);
    }
  });
});

/** Shows what was typed to it, while no window has the keys. */
function Editor({ windows }: { windows: ConsoleWindows }): ReactElement {
  const [typed, setTyped] = useState("");
  useInput((input) => setTyped((before) => before + input), { isActive: !useIsConsoleOpen(windows) });
  return h(Box, null, h(Text, null, `> ${typed}`));
}

describe("the console in Ink", () => {
  it("has the screen and the keys until its program ends, and gives them back", async () => {
    const windows = new ConsoleWindows({ theme });
    const { call } = await realTools(windows.openView);
    const { screen, type, resized } = open(h(ConsoleScreen, { windows }, h(Editor, { windows })));
    type("a");
    await screen.shows("> a");
    const ended = call("bash", { command: "echo hel''lo; read -r word; stty size; read -r word", pty: true });

    const rows = await screen.shows("hello");
    expect(rows.join("\n")).not.toContain("> a");
    expect(rows[0]).toMatch(/^╭─ Console {2}\$ echo hel''lo.* running ─╮$/);
    expect(rows[12]).toMatch(/^╰─ esc ends the program · 58x11 ─+╯$/);
    screen.resize(50, 20);
    resized();
    await screen.shows("48x17");
    type("word\r");
    await screen.shows("17 48");
    type("\x1b[200~mo");
    type("re\x1b[201~");
    await screen.shows("more");
    type("\r");

    expect((await ended).content[0]?.text).toContain("17 48");
    await screen.shows("> a");
    type("b");
    await screen.shows("> ab");
  });

  it("ends its program at Esc, and not at the first half of a key", async () => {
    const windows = new ConsoleWindows({ theme });
    const { call } = await realTools(windows.openView);
    const { screen, type } = open(h(ConsoleScreen, { windows }));
    const command = "trap '' INT TERM HUP; stty -icanon -echo; echo u''p; head -c 3 | cat -v; sleep 300";
    const ended = call("bash", { command, pty: true });
    await screen.shows("up");

    type("\x1b");
    type("[A");
    await screen.shows("^[[A");
    type("\x1b");

    expect((await ended).isError).toBe(true);
    await screen.shows("Console", false);
  });
});
