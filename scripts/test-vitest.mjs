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

/** What one file of the report says. A file that could not be loaded has no tests and counts as one failed. */
export function summary(file) {
  const tests = file.assertionResults ?? [];
  const failed = tests.filter((test) => test.status === "failed").map((test) => test.fullName);
  if (file.status === "failed" && failed.length === 0) failed.push("the file itself");
  const passed = tests.filter((test) => test.status === "passed").length;
  return { passed, failed, skipped: tests.length - passed - tests.filter((test) => test.status === "failed").length };
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

/** @returns the same shape as `runRustTests` */
export async function runVitestTests() {
  mkdirSync(REPORTS, { recursive: true });
  const expected = await allFiles();
  const first = await runVitest("all", [], []);
  const known = expected ?? [...first.files.keys()];
  const suspects = new Map();
  for (const file of known) {
    const result = first.files.get(file);
    if (!result) suspects.set(file, ["the file did not finish"]);
    else if (result.failed.length > 0) suspects.set(file, result.failed);
  }
  // An error outside of any test names no file: then every file has to show that it passes by itself.
  if (!first.ok && suspects.size === 0) for (const file of known) suspects.set(file, ["an error outside of the tests"]);

  const total = { ok: true, counts: { passed: 0, failed: 0, skipped: 0 }, unsteady: [], failures: [] };
  if (known.length === 0) {
    total.failures.push({ name: `vitest found no tests: ${first.problem}`, output: lastLines(first.output, 120) });
    total.counts.failed = 1;
  }
  let index = 0;
  for (const file of known) {
    let result = first.files.get(file);
    const before = suspects.get(file);
    if (before) {
      const again = await tryAgain(file, index++);
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
