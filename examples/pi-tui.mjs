/**
 * Calls, a person's command and a program's window in pi-tui. `node examples/pi-tui.mjs [FOLDER]`, best in a terminal.
 */
import { ProcessTerminal, TuiMainScreen } from "@earendil-works/pi-tui";
import { createConsole, createExecutor, JobManager, UserShell } from "@pi-bash/executor";
import { BashCall, openConsole, UserBash } from "@pi-bash/renderer/pi-tui";
import { createBashTool } from "@pi-bash/tool";

const cwd = process.argv[2] ?? process.cwd();
const tui = new TuiMainScreen(new ProcessTerminal());
const executor = createExecutor({}, { cwd });
const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
let windows = 0;
const pty = createConsole({
  openView: (controls) => {
    windows += 1;
    return openConsole(tui, controls);
  },
});
const bash = createBashTool({ cwd, executor, asyncJobManager, pty, getSessionId: () => "example" });

/** A call of a model: drawn at once, with each update, and with its result. */
async function call(args) {
  const view = new BashCall({ args, sessionCwd: cwd });
  const show = (answer) => {
    view.setAnswer(answer);
    tui.requestRender();
  };
  tui.addChild(view);
  const onUpdate = (update) => show({ ...update, isPartial: true });
  show(await bash.execute("call", args, undefined, onUpdate, { hasUI: true, ui: {} }));
}

/** A person's own command, in the same shell. */
async function user(command) {
  const view = new UserBash(command);
  tui.addChild(view);
  const shell = new UserShell({ executor, sessionId: "example", cwd });
  const onChunk = (chunk) => {
    view.append(chunk);
    tui.requestRender();
  };
  view.finish(await shell.executeBash(command, { onChunk }));
}

tui.start();
await call({ command: "for n in 1 2 3; do echo step $n; sleep 0.1; done" });
await user("echo hello");
await call({ command: "stty size; sleep 0.5", pty: true });
tui.renderNow();
tui.stop();
await asyncJobManager.dispose();
await executor.dispose();
process.stdout.write(`\n${tui.children.length} commands, ${windows} window\n`);
