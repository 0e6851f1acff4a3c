/**
 * Calls, a person's command and a program's window in Ink. `node examples/ink.mjs [FOLDER]`, best in a terminal.
 */
import { createConsole, createExecutor, JobManager, UserShell } from "@pi-bash/executor";
import { BashCall, ConsoleScreen, ConsoleWindows, UserBash, UserBashState } from "@pi-bash/renderer/ink";
import { createBashTool } from "@pi-bash/tool";
import { render } from "ink";
import { createElement as h } from "react";

const cwd = process.argv[2] ?? process.cwd();
const windows = new ConsoleWindows();
const executor = createExecutor({}, { cwd });
const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
const pty = createConsole({ openView: windows.openView });
const bash = createBashTool({ cwd, executor, asyncJobManager, pty, getSessionId: () => "example" });

/** What is on the screen, one below the other. */
const shown = [];
const app = () => h(ConsoleScreen, { windows }, ...shown);
const ink = render(app(), { exitOnCtrlC: false });

function show(at, element) {
  shown[at] = element;
  ink.rerender(app());
}

/** A call of a model: drawn at once, with each update, and with its result. */
async function call(args) {
  const at = shown.length;
  const view = { args, sessionCwd: cwd };
  const draw = (answer) => show(at, h(BashCall, { key: at, call: view, answer }));
  draw(undefined);
  const onUpdate = (update) => draw({ ...update, isPartial: true });
  draw(await bash.execute("call", args, undefined, onUpdate, { hasUI: true, ui: {} }));
}

/** A person's own command, in the same shell. */
async function user(command) {
  const state = new UserBashState(command);
  show(shown.length, h(UserBash, { key: shown.length, state }));
  const shell = new UserShell({ executor, sessionId: "example", cwd });
  state.finish(await shell.executeBash(command, { onChunk: (chunk) => state.append(chunk) }));
}

await call({ command: "for n in 1 2 3; do echo step $n; sleep 0.1; done" });
await user("echo hello");
await call({ command: "stty size; sleep 0.5", pty: true });
ink.unmount();
await asyncJobManager.dispose();
await executor.dispose();
process.stdout.write(`${shown.length} commands\n`);
