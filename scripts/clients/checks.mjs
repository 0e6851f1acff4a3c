/**
 * What is asked of every client, as scripts of a model: the calls, and what has to be in the text that the model reads.
 * docs/clients.md says what each column means.
 */

/** The columns of the table, in its order. */
export const COLUMNS = [
  "tools",
  "call",
  "failure",
  "huge",
  "long",
  "parallel",
  "background",
  "state",
  "cancel",
  "end",
  "kill",
];
/** The tools that a client has to show its model. */
export const TOOLS = ["bash", "task", "task_await", "task_list", "task_terminate"];
/** Longer than the engine's 10 s between two signs of life, and than the 5 s after which some clients give up. */
const LONG_SECONDS = 15;
/** Longer than any round. */
const ENDLESS_SECONDS = 900;

/** Of a text that is not as it should be, so much of its beginning and of its end is shown. */
const EXCERPT_CHARS = 60;

const bash = (command, more = {}) => ({ name: "bash", input: { command, ...more } });

const inBackground = (script) => ({
  name: "task",
  input: { kind: "bash", script, timeout_secs: ENDLESS_SECONDS, display_name: "beside", run_in_background: true },
});

/** A command that writes its process id to a file and stays. */
const staying = (file) => `echo $BASHPID >${file}; exec sleep ${ENDLESS_SECONDS}`;

/** A task without an end; its start is waited for, so that it is there when the client ends. */
function* leaveTask() {
  yield [inBackground(staying("left"))];
  yield [bash("until [ -s left ]; do sleep 0.1; done", { timeout: 30 })];
}

/** The client let something through that it must not, or kept something back. */
class Missed extends Error {}

/** @param {string | undefined} text what the model was given */
function requireText(text, pattern, what) {
  if (text === undefined) throw new Missed(`${what}: the model was given nothing`);
  if (!pattern.test(text)) throw new Missed(`${what}: the model was given ${excerpt(text)}`);
}

function excerpt(text) {
  const isLong = text.length > 2 * EXCERPT_CHARS;
  const shown = isLong ? `${text.slice(0, EXCERPT_CHARS)} […] ${text.slice(-EXCERPT_CHARS)}` : text;
  return JSON.stringify(shown);
}

/** The steps of a conversation, by the column that they fill. */
const STEPS = {
  *call() {
    const [text] = yield [bash('echo "six times seven is $((6*7))"')];
    requireText(text, /six times seven is 42/, "the output");
  },
  *failure() {
    const [text] = yield [bash("echo this went wrong >&2; exit 3")];
    requireText(text, /this went wrong/, "what the command wrote");
    requireText(text, /exited with code 3/, "its status");
  },
  *long() {
    const [text] = yield [bash(`for each in $(seq ${LONG_SECONDS}); do sleep 1; echo second $each; done`)];
    requireText(text, new RegExp(`second ${LONG_SECONDS}`), "the end of a command of 15 s");
  },
  *parallel() {
    const [left, right] = yield [bash("sleep 1; echo left-$((20+1))"), bash("sleep 1; echo right-$((20+2))")];
    requireText(left, /^(?![\s\S]*right-)[\s\S]*left-21/, "the first of two calls");
    requireText(right, /^(?![\s\S]*left-)[\s\S]*right-22/, "the second of two calls");
  },
  *background() {
    const [started] = yield [inBackground("echo begun; until [ -e go-on ]; do sleep 0.2; done; echo it has ended")];
    const [id] = /bash:\w+/.exec(started ?? "") ?? [];
    if (id === undefined) throw new Missed(`the id of the task: the model was given ${excerpt(started ?? "")}`);
    yield [bash("touch go-on")];
    const awaiting = { task_ids: [id], min_completed: 1, timeout_secs: 30 };
    const [report] = yield [{ name: "task_await", input: awaiting }];
    requireText(report, /it has ended/, "the output of the task");
  },
  *state() {
    yield [bash('export KEPT=this; kept() { echo "kept: $KEPT"; }; mkdir -p below')];
    const [moved] = yield [bash("cd below && pwd")];
    requireText(moved, /project\/below/, "the folder");
    const [text] = yield [bash("kept; pwd")];
    requireText(text, /kept: this/, "a variable and a function of an earlier call");
  },
};

/** An output that is much larger than what a model is shown of it, and its whole by the address. */
function* huge() {
  const [text] = yield [bash("seq 1 200000")];
  requireText(text, /199999(?:\n|\\n)200000\b/, "the last line of the output");
  requireText(text, /\[Showing lines [\d-]+ of 200000/, "the line that says what is shown");
  const [, id] = /artifact:\/\/(\w+)/.exec(text) ?? [];
  if (id === undefined) throw new Missed(`the address of the whole output: the model was given ${excerpt(text)}`);
  const [count] = yield [bash(`wc -l <artifact://${id}`)];
  requireText(count, /\b200000\b/, "the lines at that address");
}

/**
 * @typedef {{ state: "ok" | "ends" | "failed" | "none", why?: string }} Cell `ends`: as it should be, and the client's end as
 *   well; `none`: the client has no way to do it
 */

/**
 * The ordinary conversation; at its end a task is left running.
 * @param {Record<string, string>} cannot columns that the client has no way to fill, with the reason
 * @param {Map<string, Cell>} cells is filled
 * @param {(name: string) => string} toolName
 * @returns {import("./model-server.mjs").Script}
 */
export function ordinaryScript(cannot, cells, toolName) {
  return async function* (declared) {
    const missing = TOOLS.filter((tool) => !declared.some(({ name }) => name === toolName(tool)));
    cells.set(
      "tools",
      missing.length === 0 ? { state: "ok" } : failed(`not shown to the model: ${missing.join(", ")}`),
    );
    for (const [column, step] of Object.entries(STEPS)) if (!(column in cannot)) yield* judged(cells, column, step);
    if (!("background" in cannot)) yield* leaveTask();
  };
}

/**
 * One call with a huge output: apart from the others, since there are clients that do not outlive it.
 * @param {Map<string, Cell>} cells is filled
 * @returns {import("./model-server.mjs").Script}
 */
export function hugeScript(cells) {
  return async function* () {
    yield* judged(cells, "huge", huge);
  };
}

function* judged(cells, column, step) {
  try {
    yield* step();
    cells.set(column, { state: "ok" });
  } catch (error) {
    if (!(error instanceof Missed)) throw error;
    cells.set(column, failed(error.message));
  }
}

/**
 * A call that is cancelled; then, where the client goes on, one that looks at what is left.
 * @param {{ isKept?: boolean }} seen is filled: whether the shell has its state after it
 * @param {Promise<void>} looked resolves when it was checked whether the command is gone; the client's end would end it
 * @returns {import("./model-server.mjs").Script}
 */
export function cancelledScript(seen, looked) {
  return async function* () {
    yield [bash("export KEPT=this")];
    yield [bash(`(${staying("pid")})`)];
    await looked;
    const [text] = (yield [bash('echo "kept: $KEPT"')]) ?? [];
    seen.isKept = /kept: this/.test(text ?? "");
  };
}

/**
 * A call and a task, both without an end.
 * @param {Record<string, string>} cannot
 * @returns {import("./model-server.mjs").Script}
 */
export function endlessScript(cannot) {
  return async function* () {
    if (!("background" in cannot)) yield* leaveTask();
    yield [bash(`(${staying("pid")})`)];
  };
}

/** A cell that says what is wrong. */
export function failed(why) {
  return { state: "failed", why };
}
