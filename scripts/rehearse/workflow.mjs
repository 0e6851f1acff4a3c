/**
 * Reads a workflow file into jobs with their matrices expanded, in an order in which each comes after those that it needs.
 *
 * Keys that the rehearsal does not know are errors: they would change what GitHub does, and not what is rehearsed.
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parse } from "yaml";

const WORKFLOW_KEYS = ["name", "on", "permissions", "concurrency", "env", "defaults", "jobs"];
const JOB_KEYS = [
  ...["name", "needs", "if", "runs-on", "timeout-minutes", "environment", "permissions", "outputs"],
  ...["strategy", "defaults", "env", "steps"],
];
const STEP_KEYS = ["name", "id", "if", "uses", "run", "with", "env", "shell", "working-directory"];
const STRATEGY_KEYS = ["matrix", "fail-fast"];

function requireKnown(what, keys, known) {
  const unknown = Object.keys(keys ?? {}).filter((key) => !known.includes(key));
  if (unknown.length > 0) throw new Error(`${what}: the rehearsal does not know \`${unknown[0]}\``);
}

/** Every combination of the axes, one object each. */
function combinations(axes) {
  return Object.entries(axes).reduce(
    (rows, [name, values]) => rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{}],
  );
}

const matches = (row, part) => Object.entries(part).every(([name, value]) => row[name] === value);

/**
 * The combinations of a matrix as GitHub makes them: without what `exclude` names; an entry of `include` is added to the
 * combinations whose values it does not change, or else is one of its own.
 *
 * @returns {Array<Record<string, unknown>>} one empty object for a job without a matrix
 */
export function expandMatrix(matrix) {
  if (matrix === undefined) return [{}];
  if (typeof matrix === "string") throw new Error("a matrix that is made by an expression is not rehearsed");
  const { include = [], exclude = [], ...axes } = matrix;
  const names = Object.keys(axes);
  const rows = (names.length === 0 ? [] : combinations(axes)).filter(
    (row) => !exclude.some((part) => matches(row, part)),
  );
  const original = rows.map((row) => ({ ...row }));
  const added = [];
  for (const entry of include) {
    const fitting = rows.filter((_, at) =>
      names.every((name) => !(name in entry) || entry[name] === original[at][name]),
    );
    const isOwn = fitting.length === 0 || names.length === 0;
    if (isOwn) added.push({ ...entry });
    else for (const row of fitting) Object.assign(row, entry);
  }
  return [...rows, ...added];
}

/**
 * @typedef {{ name?: string, id?: string, if?: string, uses?: string, run?: string, with?: Record<string, string>,
 *   env?: Record<string, string>, shell?: string, "working-directory"?: string }} Step
 * @typedef {{ steps: Step[], [key: string]: unknown }} JobText a job as the file has it
 * @typedef {{ id: string, workflow: string, job: JobText, matrix: Record<string, unknown>, label: string }} Instance one job
 *   of one matrix entry
 */

function instancesOf(workflow, id, job) {
  return expandMatrix(job.strategy?.matrix).map((matrix) => {
    const values = Object.values(matrix);
    return { id, workflow, job, matrix, label: values.length === 0 ? id : `${id} (${values.join(", ")})` };
  });
}

const listOf = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

function inOrder(jobs) {
  const order = [];
  const visit = (id, above) => {
    if (order.includes(id)) return;
    if (above.includes(id)) throw new Error(`the job \`${id}\` needs itself`);
    if (jobs[id] === undefined) throw new Error(`there is no job \`${id}\`, which \`${above.at(-1)}\` needs`);
    for (const other of listOf(jobs[id].needs)) visit(other, [...above, id]);
    order.push(id);
  };
  for (const id of Object.keys(jobs)) visit(id, []);
  return order;
}

/**
 * @param {string} path of the file
 * @returns {{ name: string, file: string, env: object, defaults: object, permissions: object,
 *   jobs: Array<{ id: string, job: JobText, needs: string[], instances: Instance[] }> }}
 */
export function readWorkflow(path) {
  const file = basename(path);
  const workflow = parse(readFileSync(path, "utf8"));
  requireKnown(file, workflow, WORKFLOW_KEYS);
  const jobs = inOrder(workflow.jobs).map((id) => {
    const job = workflow.jobs[id];
    requireKnown(`${file}, job \`${id}\``, job, JOB_KEYS);
    requireKnown(`${file}, job \`${id}\`, strategy`, job.strategy, STRATEGY_KEYS);
    for (const [at, step] of job.steps.entries())
      requireKnown(`${file}, job \`${id}\`, step ${at + 1}`, step, STEP_KEYS);
    return { id, job, needs: listOf(job.needs), instances: instancesOf(file, id, job) };
  });
  const { name, env = {}, defaults = {}, permissions = {} } = workflow;
  return { name, file, env, defaults, permissions, jobs };
}
