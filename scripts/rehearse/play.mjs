/**
 * Plays a workflow: its jobs in order, each entry of their matrices, with what they hand to each other.
 *
 * A job is left out as GitHub leaves it out: when its condition does not hold, or when one that it needs failed or was left
 * out. What only another system can do is not played, and says so; it holds back nothing that depends on it, as long as
 * another entry of the same job was played.
 */
import { isWanted } from "./expression.mjs";
import { Job, systemOf } from "./job.mjs";
import { leavePlaceholders } from "./placeholders.mjs";

/** The systems whose jobs a Linux machine of the same architecture can play. */
const HERE = /^ubuntu-[\d.]+$/;

/**
 * Jobs of many minutes that play the same check several times, and which entry stands for the others unless `--all`.
 */
const SAMPLES = {
  "ci.yml": { check: ({ node }) => node === 24, runtimes: () => false },
};

/**
 * Why an entry is not played; undefined where it is.
 * @param {import("./workflow.mjs").Instance} instance
 * @param {{ isAll?: boolean, values?: string[][] }} choice `values` are names of axes with the value that is asked for
 */
function whyLeft(instance, { isAll = false, values = [] }) {
  const system = systemOf(instance);
  if (!HERE.test(system)) return `runs on ${system}`;
  const isSample = SAMPLES[instance.workflow]?.[instance.id];
  if (!isAll && isSample !== undefined && !isSample(instance.matrix)) return "the same at length: with `--all`";
  const other = values.find(([name, value]) => name in instance.matrix && String(instance.matrix[name]) !== value);
  return other === undefined ? undefined : `asked for is ${other.join(" ")}`;
}

/**
 * @typedef {object} Line of the report
 * @property {string} label
 * @property {"success" | "failure" | "left out" | "not played"} result
 * @property {string} [why]
 * @property {number} [seconds]
 */

/** The entries of all jobs, each with whether it would be played. For `--list`. */
export function listEntries(workflow, choice) {
  return workflow.jobs.flatMap(({ instances }) =>
    instances.map((instance) => ({ label: instance.label, why: whyLeft(instance, choice) })),
  );
}

/** The jobs of these names with all that they need. */
export function withNeeds(workflow, names) {
  const wanted = new Set(names);
  for (const { id, needs } of [...workflow.jobs].reverse())
    if (wanted.has(id)) for (const need of needs) wanted.add(need);
  return wanted;
}

/** Whether an entry of a job was played to a good end: a job that its condition leaves out has shown nothing. */
export function hasPlayed({ lines }, job) {
  return lines.some(({ label, result }) => result === "success" && (label === job || label.startsWith(`${job} (`)));
}

/**
 * @param {ReturnType<import("./workflow.mjs").readWorkflow>} workflow
 * @param {object} context what every job is given; see `Job`
 * @param {{ isAll?: boolean, values?: string[][], only?: Set<string> }} options `only` are names of jobs
 * @returns {Promise<{ lines: Line[], standIns: Set<string>, notPlayed: string[], placeholders: string[], isOk: boolean }>}
 */
export async function playWorkflow(workflow, context, { only, ...choice }) {
  const report = { lines: [], standIns: new Set(), notPlayed: [], placeholders: [], isOk: true };
  const known = {};
  for (const { id, job, needs, instances } of workflow.jobs) {
    if (only !== undefined && !only.has(id)) continue;
    const given = Object.fromEntries(needs.filter((need) => known[need]).map((need) => [need, known[need]]));
    const isReady = Object.values(given).every(({ result }) => result === "success");
    const scope = { contexts: { github: context.github, needs: given }, status: isReady ? "success" : "failure" };
    if (!isWanted(job.if, scope)) {
      known[id] = { result: "skipped", outputs: {} };
      const why = isReady ? "its condition" : "what it needs did not succeed";
      report.lines.push(...instances.map(({ label }) => ({ label, result: "left out", why })));
      continue;
    }
    known[id] = await playEntries(instances, { ...context, workflow, needs: given }, choice, report);
  }
  return report;
}

async function playEntries(instances, context, choice, report) {
  const outcome = { result: "success", outputs: {} };
  for (const instance of instances) {
    const why = whyLeft(instance, choice);
    if (why !== undefined) {
      report.lines.push({ label: instance.label, result: "not played", why });
      report.placeholders.push(...leavePlaceholders(instance, context.place.artifacts));
      continue;
    }
    context.say(`\n${instance.workflow}: ${instance.label}`);
    const started = Date.now();
    const played = await new Job(instance, context).play();
    const seconds = Math.round((Date.now() - started) / 1000);
    report.lines.push({ label: instance.label, result: played.result, seconds });
    report.notPlayed.push(
      ...played.notPlayed.map(({ step, why: reason }) => `${instance.label}, \`${step}\`: ${reason}`),
    );
    for (const name of played.standIns) report.standIns.add(name);
    Object.assign(outcome.outputs, played.outputs);
    if (played.result !== "success") {
      outcome.result = "failure";
      report.isOk = false;
    }
  }
  return outcome;
}
