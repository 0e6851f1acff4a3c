/**
 * What three hundred finished calls on a screen cost at each key: drawn by the renderer alone, and in the terminal
 * libraries for which it has components.
 *
 *   node benchmarks/dist/renderer/main.js [--quick]
 *
 * The calls have the answer of a real command that wrote 50 KB. Times are processor time of this process, so that they hold
 * on a machine that does other work, too. Exits with 1 where an aim is missed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { parseArgs } from "node:util";
import { type Terminal, Text, TuiMainScreen } from "@earendil-works/pi-tui";
import { createExecutor } from "@pi-bash/executor";
import { BashCallComponent, type CallAnswer } from "@pi-bash/renderer";
import { BashCall as InkCall } from "@pi-bash/renderer/ink";
import { BashCall } from "@pi-bash/renderer/pi-tui";
import { createBashTool } from "@pi-bash/tool";
import { Box, Text as InkText, render, Static } from "ink";
import { createElement } from "react";

const CALLS = 300;
const QUICK_CALLS = 20;
const KEYS = 60;
const COLUMNS = 120;
const ROWS = 40;
/** The aim of a key, in milliseconds of processor time. */
const AIM_MS = 5;

const COMMAND = 'for n in {1..1000}; do echo "line $n of an ordinary log, as builds write them by the thousand"; done';
const call = { args: { command: COMMAND } };

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const calls = values.quick ? QUICK_CALLS : CALLS;
const answer = await realAnswer();
const bytes = answer.content.reduce((sum, { text }) => sum + text.length, 0);
process.stdout.write(`load ${loadavg()[0]?.toFixed(1)}, ${calls} calls with ${bytes} bytes each\n`);
report("the first drawing of a call", firstDrawing());
report("a key, the renderer alone", alone(), AIM_MS);
report("a key, in pi-tui", inPiTui(), AIM_MS);
report("a key, in Ink, finished calls in its `Static`", inInk(true), AIM_MS);
report("a key, in Ink, all calls in its tree", inInk(false));

/** Prints the middle of some times, and whether an aim is met. */
function report(what: string, times: readonly number[], most?: number): void {
  const sorted = [...times].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const isMet = most === undefined || middle <= most;
  const verdict = most === undefined ? "    " : isMet ? "met " : "MISSED ";
  const aim = most === undefined ? "" : `, at most ${most}`;
  process.stdout.write(`${verdict}${what}: ${middle.toFixed(2)} ms${aim}\n`);
  if (!isMet) process.exitCode = 1;
}

async function realAnswer(): Promise<CallAnswer> {
  const cwd = mkdtempSync(join(tmpdir(), "pi-bash-bench-renderer-"));
  const executor = createExecutor({}, { cwd });
  try {
    const bash = createBashTool({ cwd, executor, getSessionId: () => "bench" });
    return await bash.execute("call", { command: COMMAND });
  } finally {
    await executor.dispose();
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Processor time of each of some doings, in milliseconds. */
function timesOf(count: number, doing: (round: number) => void): number[] {
  return Array.from({ length: count }, (_, round) => {
    const before = process.cpuUsage();
    doing(round);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
}

function firstDrawing(): number[] {
  return timesOf(KEYS, () => {
    const component = new BashCallComponent(call);
    component.setAnswer(answer);
    component.render(COLUMNS);
  });
}

function alone(): number[] {
  const components = Array.from({ length: calls }, () => new BashCallComponent(call));
  for (const component of components) {
    component.setAnswer(answer);
    component.render(COLUMNS);
  }
  return timesOf(KEYS, () => {
    for (const component of components) component.render(COLUMNS);
  });
}

function inPiTui(): number[] {
  const tui = new TuiMainScreen(silentTerminal());
  for (let count = 0; count < calls; count += 1) {
    const component = new BashCall(call);
    component.setAnswer(answer);
    tui.addChild(component);
  }
  const line = new Text("");
  tui.addChild(line);
  tui.start();
  tui.renderNow();
  const times = timesOf(KEYS, (key) => {
    line.setText("k".repeat(key + 1));
    tui.renderNow();
  });
  tui.stop();
  return times;
}

/** `isStatic`: finished calls are printed once and belong to the terminal, as Ink has it for what does not change. */
function inInk(isStatic: boolean): number[] {
  const stdout = Object.assign(new PassThrough().resume(), { columns: COLUMNS, rows: ROWS });
  const drawn = Array.from({ length: calls }, (_, key) =>
    createElement(InkCall, { key, call, answer, width: COLUMNS, rows: ROWS }),
  );
  const finished = isStatic
    ? [createElement(Static<(typeof drawn)[number]>, { key: "finished", items: drawn, children: (item) => item })]
    : drawn;
  const app = (typed: string) =>
    createElement(Box, { flexDirection: "column" }, ...finished, createElement(InkText, { key: "line" }, typed));
  const ink = render(app(""), { stdout: stdout as unknown as NodeJS.WriteStream, patchConsole: false, maxFps: 1_000 });
  const times = timesOf(KEYS / 4, (key) => ink.rerender(app("k".repeat(key + 1))));
  ink.unmount();
  return times;
}

/** A terminal without a viewer. */
function silentTerminal(): Terminal {
  const nothing = (): void => undefined;
  return {
    start: nothing,
    stop: nothing,
    drainInput: async () => undefined,
    write: nothing,
    columns: COLUMNS,
    rows: ROWS,
    kittyProtocolActive: false,
    moveBy: nothing,
    hideCursor: nothing,
    showCursor: nothing,
    clearLine: nothing,
    clearFromCursor: nothing,
    clearScreen: nothing,
    setTitle: nothing,
    setProgress: nothing,
  };
}
