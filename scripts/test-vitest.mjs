/**
 * Runs the TypeScript tests, counts them, and gives failed files one more try, alone and one after another.
 *
 * Counts come from vitest's JSON report, and the list of files from vitest itself: a file whose process died has no
 * line in the report and must not be missed.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { lastLines, root, runProgram } from "./child.mjs";

const VITEST = join(root, "node_modules", "vitest", "vitest.mjs");
const REPORTS = join(root, "node_modules", ".cache", "pi-bash");

/** The report of a run by file: `undefined` where there is none, as when the run was ended. */
function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * One run over `files` (all where there are none).
 * @returns {Promise<{ ok: boolean, output: string, problem: string, files: Map<string, object> }>}
 */
async function runVitest(name, files, extra) {
  const report = join(REPORTS, `${name}.json`);
  rmSync(report, { force: true });
  const rest = [
    VITEST,
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...extra,
    ...files,
  ];
  const run = await runProgram(process.execPath, rest, { timeoutMs: 30 * 60_000 });
  const results = readReport(report)?.testResults ?? [];
  return { ...run, files: new Map(results.map((file) => [relative(root, file.name), summary(file)])) };
}

/**
 * What one file of the report says. A test that is `pending` had begun or was waiting when its process died; a file
 * without tests could not be loaded. Both are failures, though the report calls the file passed.
 */
export function summary(file) {
  const tests = file.assertionResults ?? [];
  const named = (status) => tests.filter((test) => test.status === status).map((test) => test.fullName);
  const failed = [...named("failed"), ...named("pending").map((name) => `${name} did not finish`)];
  if (failed.length === 0 && (file.status === "failed" || tests.length === 0)) failed.push("the file itself");
  return { passed: named("passed").length, failed, skipped: named("skipped").length + named("todo").length };
}

async function allFiles() {
  const list = await runProgram(process.execPath, [VITEST, "list", "--filesOnly", "--json"]);
  if (!list.ok) return undefined;
  return JSON.parse(list.stdout.slice(list.stdout.indexOf("["))).map(({ file }) => relative(root, file));
}

/** Tries one file again in a run of its own, so that a file that dies takes none of the others along. */
async function tryAgain(file, index) {
  const run = await runVitest(`again-${index}`, [file], ["--maxWorkers=1", "--no-file-parallelism"]);
  const result = run.files.get(file) ?? { passed: 0, failed: ["the file did not finish"], skipped: 0 };
  if (!run.ok && result.failed.length === 0) result.failed.push(`an error outside of its tests (${run.problem})`);
  return { result, output: run.output };
}

/** The files that have to be tried again, each with what was wrong. */
function suspectsAmong(files, run) {
  const suspects = new Map();
  for (const file of files) {
    const result = run.files.get(file);
    if (!result) suspects.set(file, ["the file did not finish"]);
    else if (result.failed.length > 0) suspects.set(file, result.failed);
  }
  return suspects;
}

/**
 * An error that belongs to no test (an unhandled rejection, a process that died) fails the run and names no file.
 * Then the files that looked well are run once more together: the error comes again, or it was not theirs.
 */
async function lookForStrayError(files, first, suspects, total) {
  const isStray = !first.ok && (suspects.size === 0 || first.output.includes("Unhandled Error"));
  const others = files.filter((file) => !suspects.has(file));
  if (!isStray || others.length === 0) return;
  const again = await runVitest("others", others, ["--maxWorkers=1", "--no-file-parallelism"]);
  if (again.ok) {
    if (suspects.size === 0) total.unsteady.push(`an error outside of the tests (${first.problem})`);
    return;
  }
  total.counts.failed += 1;
  total.failures.push({
    name: `an error outside of the tests: ${again.problem}`,
    output: lastLines(again.output, 120),
  });
}

/** @returns the same shape as `runRustTests` */
export async function runVitestTests() {
  mkdirSync(REPORTS, { recursive: true });
  const expected = await allFiles();
  const first = await runVitest("all", [], []);
  const files = expected ?? [...first.files.keys()];
  const total = { ok: true, counts: { passed: 0, failed: 0, skipped: 0 }, unsteady: [], failures: [] };
  if (files.length === 0) {
    total.failures.push({ name: `vitest found no tests: ${first.problem}`, output: lastLines(first.output, 120) });
    total.counts.failed = 1;
  }

  const suspects = suspectsAmong(files, first);
  await lookForStrayError(files, first, suspects, total);
  for (const [index, file] of files.entries()) {
    let result = first.files.get(file);
    const before = suspects.get(file);
    if (before) {
      const again = await tryAgain(file, index);
      result = again.result;
      if (result.failed.length === 0) total.unsteady.push(`${file} (${before.join("; ")})`);
      else total.failures.push({ name: `${file}: ${result.failed.join("; ")}`, output: lastLines(again.output, 120) });
    }
    total.counts.passed += result.passed;
    total.counts.failed += result.failed.length;
    total.counts.skipped += result.skipped;
  }
  total.ok = total.failures.length === 0;
  return total;
}
