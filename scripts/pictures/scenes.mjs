/**
 * What is on the pictures: real commands, run by the real tools, drawn by the real renderer.
 *
 * The commands are bash alone, so that they say the same on every machine. What differs from run to run all the same
 * (times, process ids, names of artifacts) is the same on all pictures: a picture changes when the renderer does.
 */
import { createConsole, createExecutor, JobManager, UserShell } from "@pi-bash/executor";
import {
  BashConsoleOverlay,
  BashExecutionComponent,
  renderBashCall,
  renderJobCall,
  renderTaskCall,
} from "@pi-bash/renderer";
import { createBashTool, createJobTool, toolsForModel } from "@pi-bash/tool";

/** Columns of the pictures. */
export const COLUMNS = 84;

/** Longest time for what a scene waits for, in milliseconds. */
const PATIENCE_MS = 30_000;

const BUILD = 'for part in core cli docs; do\n  echo "building $part"\ndone';
/** The cursor stands behind the prompt of the console's program: all of it is on the screen. */
const CURSOR_AFTER_PROMPT = "Which one? \x1b[7m";

const background = { kind: "bash", timeout_secs: 600, run_in_background: true };

/** Every picture by its name, with its title and its rows. Plays in `cwd`. */
export async function playScenes(cwd) {
  const stage = await openStage(cwd);
  try {
    const bash = (args, answer, options) =>
      renderBashCall({ args, sessionCwd: cwd }, answer, { width: COLUMNS, ...options });
    const played = async (args, options) => bash(args, await stage.bash(args), options);
    const loud = { command: 'echo "listening on port 8080"; sleep 60' };
    const { update, answer: cancelled } = await stage.cancelled(loud);
    const left = { command: "sleep 60 & echo started" };
    const scenes = {
      pending: [
        "still being written",
        renderBashCall({ argsText: '{"env":{"CI":"1"},"command":"npm te' }, undefined, { width: COLUMNS }),
      ],
      running: ["running, nothing written yet", bash({ command: BUILD }, undefined)],
      partial: ["running, with its output so far", bash(loud, { ...update, isPartial: true })],
      success: ["ended well", await played({ command: BUILD, env: { CI: "1" }, cwd: `${cwd}/packages` })],
      failed: ["ended with an error", await played({ command: 'echo "2 of 40 tests failed" && (exit 1)' })],
      "timed-out": [
        "ended at its deadline",
        await played({ command: 'echo "waiting for the lock"; sleep 60', timeout: 1 }),
      ],
      cancelled: ["ended by the person", bash(loud, cancelled)],
      backgrounded: [
        "went to the background",
        await played({ command: "until [ -e stop ]; do sleep 1; done", async: true }),
      ],
      blocked: ["not run: there is a better tool", await played({ command: "cat package.json" })],
      truncated: ["with more output than is shown", await played({ command: "printf '%s\\n' line-{1..20000}" })],
      survivors: ["left something running", bash(left, await stage.survivor(left))],
      user: ["a person's own command", await stage.user("for n in {1..24}; do echo entry $n; done; (exit 3)")],
      tasks: ["tasks: started, awaited, listed", await stage.tasks()],
      jobs: ["jobs: listed, waited for", await stage.jobs()],
      console: [
        "a program in the console",
        await stage.console("PS3='Which one? '; select one in alpha beta gamma; do break; done"),
      ],
    };
    // One for README.md: several calls, as they stand in a session.
    const several = [scenes.success, scenes.failed, scenes.partial].flatMap(([, rows]) => [...rows, ""]);
    scenes.session = ["a session", several.slice(0, -1)];
    return still(scenes, cwd);
  } finally {
    await stage.close();
  }
}

async function openStage(cwd) {
  const settings = { "bashInterceptor.enabled": true, "async.enabled": true };
  const executor = createExecutor(settings, { cwd });
  const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
  const session = {
    cwd,
    settings,
    executor,
    asyncJobManager,
    toolNames: ["bash", "read"],
    getSessionId: () => "pictures",
  };
  const tools = new Map([createBashTool(session), ...toolsForModel(session)].map((tool) => [tool.name, tool]));
  const call = async (name, params, signal, onUpdate) => {
    try {
      return fixed(await tools.get(name).execute("call", params, signal, onUpdate, {}));
    } catch (error) {
      const details = signal?.aborted ? { ...error.details, stopped: "cancelled" } : error.details;
      return fixed({ content: [{ type: "text", text: error.message }], details, isError: true });
    }
  };
  return {
    bash: (args) => call("bash", args),
    cancelled: async (args) => {
      const stop = new AbortController();
      let update;
      const onUpdate = (each) => {
        update = fixed(each);
        if (each.content[0]?.text !== "") stop.abort();
      };
      return { answer: await call("bash", args, stop.signal, onUpdate), update };
    },
    // One that is looked at before it is `sleep` is still called `bash`.
    survivor: async (args) => {
      let answer;
      await until(async () => {
        answer = await call("bash", args);
        return answer.details.survivors?.[0]?.command === "sleep 60";
      });
      return answer;
    },
    user: (command) => playUser(new UserShell({ executor, sessionId: "pictures", cwd }), command),
    tasks: () => playTasks(call, asyncJobManager),
    jobs: () => playJobs(session),
    console: (command) => playConsole(session, command),
    close: async () => {
      await asyncJobManager.dispose();
      await executor.dispose();
    },
  };
}

async function playUser(shell, command) {
  const component = new BashExecutionComponent(command);
  component.finish(fixed(await shell.executeBash(command, {})));
  return component.render(COLUMNS);
}

async function playTasks(call, manager) {
  // What the scenes before left running is not on this picture.
  const { tasks } = (await call("task_list", {})).details;
  await call("task_terminate", { task_ids: tasks.map(({ taskId }) => taskId) });
  const draw = (tool, args, answer) => renderTaskCall({ tool, args }, answer, { width: COLUMNS, rows: 28 });
  const lint = { ...background, script: 'echo "packages/cli: unused import"; (exit 2)', display_name: "lint" };
  const server = { ...background, script: 'echo "ready"; sleep 60', display_name: "dev server" };
  const started = await call("task", lint);
  const other = await call("task", server);
  const ids = [started.details.taskId, other.details.taskId];
  const wait = { task_ids: ids, min_completed: 1, timeout_secs: 30 };
  for (const id of ids) await jobHasNews(manager, id, id === ids[0]);
  const awaited = await call("task_await", wait);
  return [
    ...draw("task", server, other),
    ...draw("task_await", wait, awaited),
    ...draw("task_list", {}, await call("task_list", {})),
  ];
}

/** Jobs of a session of their own: what the scenes before have started is not in their list. */
async function playJobs(session) {
  const manager = await JobManager.open({ artifacts: session.executor.artifacts });
  const own = { ...session, asyncJobManager: manager, getSessionId: () => "jobs" };
  const bash = createBashTool(own);
  const job = createJobTool(own);
  const draw = async (args, options) =>
    renderJobCall({ args }, fixed(await job.execute("call", args)), { width: COLUMNS, ...options });
  const readOf = (id) => manager.read(id, "jobs");
  try {
    await bash.execute("call", { command: 'echo "ready"; sleep 60', async: true });
    await bash.execute("call", { command: 'echo "packages/cli: unused import"; (exit 2)', async: true });
    await until(() => readOf("bg_1").text !== "" && readOf("bg_2").job.endedAtMs !== undefined);
    const listed = await draw({ list: true });
    return [...listed, "", ...(await draw({ poll: ["bg_1", "bg_2"] }, { expanded: true }))];
  } finally {
    await manager.dispose();
  }
}

/** Waits for a task's output, or its end, as a reader whose place in the output is its own. */
async function jobHasNews(manager, taskId, hasEnded) {
  const id = taskId.slice("bash:".length);
  const options = { reader: "pictures-look", timeoutMs: PATIENCE_MS, wakesOnOutput: !hasEnded, maxBytes: 1_000 };
  (await manager.follow(id, options)).release();
}

/** The window of a program on a terminal, when it waits for its answer. */
async function playConsole(session, command) {
  let overlay;
  let controls;
  const pty = createConsole({
    openView: (opened) => {
      controls = opened;
      overlay = new BashConsoleOverlay(opened.command, opened, { width: COLUMNS, rows: 10 });
      return { ...overlay.size, answersQueries: true, onData: (chunk) => overlay.write(chunk) };
    },
  });
  const tool = createBashTool({ ...session, pty });
  const ended = tool
    .execute("call", { command, pty: true }, undefined, undefined, { hasUI: true, ui: {} })
    .catch(() => undefined);
  await until(() => overlay?.render().join("\n").includes(CURSOR_AFTER_PROMPT));
  const rows = overlay.render();
  controls.kill();
  await ended;
  overlay.dispose();
  return rows;
}

async function until(isTrue) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error("a scene of the pictures does not come to its end");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Facts that are the same on all pictures, in the units of their fields. */
const FIXED = { wallTimeMs: 1_240, elapsed_ms: 12_300, elapsedMs: 12_300, uptime_ms: 125_000, pid: 4_242 };

/** An answer with fixed times, process ids and names of artifacts. */
function fixed(answer) {
  const text = JSON.stringify(answer)
    .replaceAll(/artifact:\/\/\w+/g, "artifact://7")
    .replaceAll(/"artifactId":"\w+"/g, '"artifactId":"7"')
    .replaceAll(/Wall time: [\d.]+ seconds/g, "Wall time: 1.24 seconds");
  return JSON.parse(text, (key, value) =>
    Object.hasOwn(FIXED, key) && typeof value === "number" ? FIXED[key] : value,
  );
}

/** The session's folder is `/repo` on all pictures. */
function still(scenes, cwd) {
  return Object.entries(scenes).map(([name, [title, rows]]) => ({
    name,
    title,
    rows: rows.map((row) => row.replaceAll(cwd, "/repo")),
  }));
}
