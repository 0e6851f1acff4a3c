/**
 * `npm run rehearse`: plays what a Linux machine can of the workflows in `.github/workflows`, before GitHub does.
 *
 * The files are read as they are now, committed or not. Every job starts in a fresh clone and an environment of its own;
 * what is published goes to a registry on loopback. docs/testing.md says what this shows and what it cannot.
 *
 *   node scripts/rehearse.mjs                       ci.yml and release.yml; of jobs that repeat a check at length, one entry
 *   node scripts/rehearse.mjs --all                 every entry
 *   node scripts/rehearse.mjs --workflow release    one of the files
 *   node scripts/rehearse.mjs --job try --job pack  these jobs and what they need; `--alone` without what they need, with
 *                                                   what the last run has left
 *   node scripts/rehearse.mjs --only target=linux-x64-gnu   of matrices with that axis, this value
 *   node scripts/rehearse.mjs --list                what would be played
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { endSteps } from "./rehearse/job.mjs";
import { PROGRAM_STAND_INS } from "./rehearse/machine.mjs";
import { git, headOf, preparePlace } from "./rehearse/place.mjs";
import { hasPlayed, listEntries, playWorkflow, withNeeds } from "./rehearse/play.mjs";
import { startRegistry } from "./rehearse/registry.mjs";
import { STAND_INS, VERSION_BRANCH } from "./rehearse/stand-ins.mjs";
import { readWorkflow } from "./rehearse/workflow.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const { values: options } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    alone: { type: "boolean", default: false },
    only: { type: "string", multiple: true, default: [] },
    list: { type: "boolean", default: false },
    job: { type: "string", multiple: true },
    workflow: { type: "string", multiple: true, default: ["ci", "release"] },
  },
});

const workflows = options.workflow.map((name) => readWorkflow(join(root, ".github", "workflows", `${name}.yml`)));

/** Which entries of matrices are asked for. */
const choice = { isAll: options.all, values: options.only.map((word) => word.split("=")) };

/** The jobs that are asked for, of one file. */
function chosen(workflow) {
  if (options.job === undefined) return undefined;
  const names = options.job.filter((name) => workflow.jobs.some(({ id }) => id === name));
  return options.alone ? new Set(names) : withNeeds(workflow, names);
}

function requireJobs() {
  const ids = workflows.flatMap(({ jobs }) => jobs.map(({ id }) => id));
  const unknown = (options.job ?? []).filter((name) => !ids.includes(name));
  if (unknown.length > 0) throw new Error(`no job \`${unknown[0]}\`; there are ${ids.join(", ")}`);
}

/** Everything that was played, with the files and rounds that it was of. */
const rounds = [];

async function play(workflow, title, place, registry) {
  console.log(`\n=== ${title}`);
  const sha = headOf(place, "main");
  const github = { sha, ref: "refs/heads/main", event_name: "push", workflow: workflow.name, token: "rehearsal" };
  const secrets = { GITHUB_TOKEN: "rehearsal", NPM_TOKEN: registry.token };
  const context = { place, github, secrets, registry: registry.url, say: console.log };
  const report = await playWorkflow(workflow, context, { ...choice, only: chosen(workflow) });
  rounds.push({ title, ...report });
  return report;
}

/** Merges the branch of a version, as a person does with its pull request. @returns whether there was one */
function mergeVersion(place) {
  const head = headOf(place, VERSION_BRANCH);
  if (head === undefined) return false;
  git(["update-ref", "refs/heads/main", head], { cwd: place.origin });
  git(["update-ref", "-d", `refs/heads/${VERSION_BRANCH}`], { cwd: place.origin });
  return true;
}

/** A push with changesets, the push of their pull request, and one when all is published. */
async function playRelease(workflow, place, registry) {
  const first = await play(workflow, `${workflow.file}: a push to main`, place, registry);
  if (!first.isOk) return;
  const last = mergeVersion(place)
    ? await play(workflow, `${workflow.file}: the pull request of the version is merged`, place, registry)
    : first;
  if (!last.isOk || options.job !== undefined) return;
  if (!hasPlayed(last, "publish")) {
    refuse(last, "the registry began empty, and nothing was published");
    return;
  }
  rmSync(place.artifacts, { recursive: true, force: true });
  const again = await play(workflow, `${workflow.file}: a push after the release`, place, registry);
  const more = again.lines.filter(({ label, result }) => result === "success" && label !== "version");
  if (more.length > 0) refuse(again, "everything is published, and it was built once more");
}

/** Turns a round red whose jobs all passed. */
function refuse(report, why) {
  report.isOk = false;
  rounds.find(({ lines }) => lines === report.lines).isOk = false;
  console.log(why);
}

function printReport() {
  const signs = { success: "ok", failure: "FAILED", "left out": "left out", "not played": "not played" };
  console.log("");
  for (const { title, lines } of rounds) {
    console.log(title);
    for (const { label, result, why, seconds } of lines)
      console.log(
        `  ${signs[result].padEnd(10)} ${label}${seconds === undefined ? "" : ` (${seconds} s)`}${why ? `: ${why}` : ""}`,
      );
  }
  const names = new Set(rounds.flatMap(({ standIns }) => [...standIns]));
  if (names.size > 0) console.log("stand-ins for what is not here:");
  for (const name of [...names].sort()) console.log(`  ${name}: ${STAND_INS[name]?.does ?? PROGRAM_STAND_INS[name]}`);
  const artifacts = [...new Set(rounds.flatMap(({ placeholders }) => placeholders))];
  if (artifacts.length > 0) console.log(`artifacts of entries that were not played, with files that only have names:`);
  for (const name of artifacts) console.log(`  ${name}`);
  const steps = [...new Set(rounds.flatMap(({ notPlayed }) => notPlayed))];
  if (steps.length > 0) console.log("steps that were not played:");
  for (const step of steps) console.log(`  ${step}`);
}

function finish() {
  printReport();
  const lines = rounds.flatMap((round) => round.lines);
  const count = (result) => lines.filter((line) => line.result === result).length;
  const isOk = rounds.every((round) => round.isOk) && count("success") > 0;
  console.log(
    `rehearsal: ${count("success")} jobs passed, ${count("failure")} failed, ${count("not played")} not played`,
  );
  process.exitCode = isOk ? 0 : 1;
}

async function main() {
  requireJobs();
  if (options.list) {
    for (const workflow of workflows)
      for (const { label, why } of listEntries(workflow, choice))
        console.log(`${workflow.file.padEnd(12)} ${label}${why ? `: not played, ${why}` : ""}`);
    return;
  }
  if (process.platform !== "linux" || process.arch !== "x64") throw new Error("a rehearsal is for Linux x64 only");
  const place = preparePlace(root, { keepsRun: options.alone });
  const registry = await startRegistry(place);
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => {
      endSteps();
      registry.stop();
      process.exit(1);
    });
  try {
    for (const workflow of workflows) {
      if (options.job !== undefined && chosen(workflow).size === 0) continue;
      if (workflow.file === "release.yml") await playRelease(workflow, place, registry);
      else await play(workflow, workflow.file, place, registry);
    }
  } finally {
    registry.stop();
  }
  finish();
}

await main();
