/**
 * `pi-bash console`: a session at the terminal, where a person tries the tools as a model uses them.
 *
 * Put together here: the executor, the person's shell, the tools, the policy, and the screen. When it is left, by the person
 * or by a signal, everything under way is ended and the terminal is as it was before.
 */

import { artifactUrl } from "@pi-bash/contract/internal";
import { ArtifactError, createConsole, JobManager, UserShell } from "@pi-bash/executor";
import { themeFor } from "@pi-bash/renderer";
import { createBashTool, createJobTool, createTaskTools, type TaskSession } from "@pi-bash/tool";
import { createLegacyTools } from "@pi-bash/tool/internal";
import type { ReadOutput } from "../console/blocks.ts";
import { ConsoleSession } from "../console/console-session.ts";
import { historyPath, openHistory } from "../console/history-file.ts";
import { InputReader } from "../console/input-reader.ts";
import { JobsPane } from "../console/jobs-pane.ts";
import { Screen } from "../console/screen.ts";
import { otherCall, toolCall, userCommand } from "../console/work.ts";
import { listenForInterrupt } from "../interrupt.ts";
import { policyOf } from "../policy-option.ts";
import { openSeat } from "../seat.ts";
import { parseSessionArguments, type SessionArguments } from "../tool-arguments.ts";
import { UsageError } from "../usage.ts";

/** Key of the shell, and owner of the jobs, of this process. */
const SESSION = "console";
/** Largest output that is shown whole, in bytes: no one reads more of it in a terminal. */
const MAX_SHOWN_BYTES = 2 * 1024 ** 2;
/** What differs from an agent's session: there is a person, who has editors and sees jobs. `--setting` wins. */
const SETTINGS = ["async.enabled=true", "bash.ptyEnvironment=user", "bash.ptyEscape=program"];

/** Runs the words after `console` and resolves with the exit status: 0, or that of the signal that ended it. */
export async function console(words: readonly string[]): Promise<number> {
  const asked = parseSessionArguments(
    [...SETTINGS.flatMap((setting) => ["--setting", setting]), ...words],
    "`console` takes its commands at its prompt",
  );
  if (!process.stdin.isTTY || !process.stdout.isTTY || process.env["TERM"] === "dumb") {
    throw new UsageError("`console` needs a terminal that can move its cursor; `run`, `tool` and `rpc` need none");
  }
  const screen = new Screen(process.stdout, process.stdin);
  const interrupt = listenForInterrupt(() => undefined);
  const restore = (): void => screen.restore();
  process.on("exit", restore);
  try {
    await converse(asked, screen, interrupt.signal);
    return interrupt.status ?? 0;
  } finally {
    restore();
    process.off("exit", restore);
    interrupt.release();
    process.stdin.destroy();
  }
}

/** The session, from its first prompt until nothing of it is left. */
async function converse(asked: SessionArguments, screen: Screen, stop: AbortSignal): Promise<void> {
  const policy = await policyOf(asked);
  const theme = themeFor(process.env);
  const seat = await openSeat(asked);
  const { executor } = seat;
  const jobs = await JobManager.open({ artifacts: executor.artifacts, maxJobs: asked.settings["async.maxJobs"] });
  const shell = new UserShell({ executor, sessionId: SESSION, cwd: seat.cwd });
  const cwd = (): string => shell.cwd ?? seat.cwd;
  const readOutput: ReadOutput = async (id) => {
    try {
      return (await executor.artifacts.read(artifactUrl(id), { maxBytes: MAX_SHOWN_BYTES })).text;
    } catch (error) {
      if (error instanceof ArtifactError) return undefined;
      throw error;
    }
  };
  let calls = 0;
  const session = new ConsoleSession({
    screen,
    theme,
    escapeToProgram: asked.settings["bash.ptyEscape"] === "program",
    cwd,
    history: await openHistory(historyPath(process.env)),
    jobs: new JobsPane(jobs, SESSION, theme),
    userCommand: (command, isExcluded, changed) => userCommand(command, { shell, isExcluded, theme, changed }),
    toolCall: (params, changed) =>
      toolCall(params, { bash, id: `console-${++calls}`, cwd: cwd(), theme, readOutput, changed }),
    otherCall: (name, params, changed) =>
      otherCall(params, { tool: others[name], id: `console-${++calls}`, theme, changed }),
  });
  const toolSession: TaskSession = {
    // A person's `cd` counts for the calls, too: by the lasting folder, or here.
    get cwd() {
      return asked.settings["bash.directoryPersists"] ? seat.cwd : cwd();
    },
    ...seat.at,
    settings: asked.settings,
    executor,
    toolNames: ["bash"],
    asyncJobManager: jobs,
    pty: createConsole({ openView: (controls) => session.openWindow(controls) }),
    policy,
    approve: session.approvals.approve,
    policyContext: () => (asked.mode === undefined ? {} : { mode: asked.mode }),
    getSessionId: () => SESSION,
  };
  const bash = createBashTool(toolSession);
  const others = {
    ...createTaskTools(toolSession),
    ...createLegacyTools(toolSession),
    job: createJobTool(toolSession),
  };
  const unsubscribe = jobs.subscribe(SESSION, (batch) => session.tellJobs(batch));
  const unwatch = jobs.watchWaiting(({ id, owner }, waiting) => {
    if (owner === SESSION) session.tellWaiting(id, waiting);
  });
  const release = attachTerminal(session, screen);
  try {
    await Promise.race([session.over, ended(stop)]);
  } finally {
    await session.end();
    unsubscribe();
    unwatch();
    await jobs.dispose();
    await seat.dispose();
    release();
  }
}

/** Gives the terminal to the session. Returns what takes it back. */
function attachTerminal(session: ConsoleSession, screen: Screen): () => void {
  const reader = new InputReader((keys) => session.take(keys));
  const onData = (data: Buffer): void => reader.push(data);
  const onResize = (): void => session.resized();
  // A terminal that is gone ends the session as its signal does; the signal may not come.
  const onGone = (): void => session.leave();
  process.stdout.on("resize", onResize).on("error", onGone);
  process.stdin.on("data", onData).on("end", onGone).on("error", onGone);
  screen.open();
  session.begin();
  return () => {
    reader.end();
    screen.restore();
    process.stdout.off("resize", onResize);
    process.stdin.off("data", onData);
  };
}

function ended(stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
}
