/**
 * Mutants of a TypeScript package, by Stryker: its instrumenter lists them, its runner judges those that were drawn with
 * the package's own tests, and with those of packages that the target names.
 *
 * Left out: texts (their words are held by the checks of documents and messages), and what a module computes while it
 * is loaded (Stryker would need the whole suite for each).
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { lastLines, root, runProgram } from "../child.mjs";
import { mutantKey } from "./checker.mjs";
import { copyOfTree } from "./copy.mjs";

const STRYKER = join(root, "node_modules/@stryker-mutator/core/bin/stryker.js");
const CHECKER = join(root, "scripts/mutants/checker.mjs");
/** Tests start real programs, so a mutant has this much longer than its tests took, in milliseconds. */
const MORE_TIME_MS = 30_000;
const RUN_TIMEOUT_MS = 12 * 60 * 60_000;
const LEFT_OUT = ["StringLiteral"];

const silent = () => false;
const LOGGER = {
  ...{ trace: silent, debug: silent, info: silent, warn: silent, error: silent, fatal: silent },
  ...{ isTraceEnabled: silent, isDebugEnabled: silent, isInfoEnabled: silent },
};

function sources(target) {
  return readdirSync(join(root, target.folder, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
    .map((name) => `${target.folder}/src/${name}`)
    .sort();
}

/** A mutant as the draw and the report take it; `first` and `last` are lines, counted from 1. */
function described(file, mutant, content) {
  const { start, end } = mutant.location;
  const lines = content.split("\n").slice(start.line, end.line + 1);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column);
  lines[0] = lines[0].slice(start.column);
  const short = (text) => JSON.stringify(text.replace(/\s+/g, " ").slice(0, 90));
  return {
    key: mutantKey(file, mutant),
    file,
    first: start.line + 1,
    last: end.line + 1,
    name: `${file}:${start.line + 1}:${start.column + 1}: ${short(lines.join("\n"))} becomes ${short(mutant.replacement)}`,
  };
}

/** Every mutant of the package's sources. */
export async function listTypescript(target) {
  const found = [];
  for (const file of sources(target)) {
    const content = readFileSync(join(root, file), "utf8");
    const options = { plugins: null, excludedMutations: LEFT_OUT, ignorers: [] };
    const { mutants } = await new Instrumenter(LOGGER).instrument([{ name: file, content, mutate: true }], options);
    const live = mutants.filter(({ status }) => status === undefined);
    found.push(...live.map((mutant) => described(file, mutant, content)));
  }
  return found;
}

/** A configuration of vitest beside the usual one, for the tests of some folders only. */
const TESTS = "vitest.mutants.config.ts";
/** Runs before each file of tests. */
const SETUP = "vitest.mutants.setup.mjs";
/**
 * Stryker hands on what each file has covered, and means a process for each file. In one for all, what earlier files have
 * covered would be in it again and again, until no memory is left. Its instrumented code holds on to the object itself.
 */
const FORGETS_COVERAGE = `const { mutantCoverage } = globalThis.__stryker__ ?? {};
if (mutantCoverage !== undefined) Object.assign(mutantCoverage, { static: {}, perTest: {} });
`;

/**
 * Test files share a process, as in the usual configuration of these packages: alone, each would load the package again,
 * for each mutant. What notices most mutants runs first, as the first failure ends a run.
 */
function testsOf({ folder, alsoTestedBy = [], notTestedBy = [], firstTestedBy = [] }) {
  const include = [folder, ...alsoTestedBy].map((each) => `${each}/test/**/*.test.ts`);
  return `import { BaseSequencer } from "vitest/node";
import whole from "./vitest.config.ts";
const usual = whole({ mode: "test", command: "serve" });
const exclude = [...usual.test.exclude, ...${JSON.stringify(notTestedBy)}];
const first = ${JSON.stringify(firstTestedBy)};
const rank = ({ moduleId }) => (first.some((each) => moduleId.endsWith(each)) ? 0 : 1);
class Sequencer extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
export default {
  ...usual,
  test: {
    ...usual.test,
    ...{ projects: undefined, include: ${JSON.stringify(include)}, exclude },
    ...{ isolate: false, sequence: { sequencer: Sequencer }, setupFiles: ["./${SETUP}"] },
  },
};
`;
}

function configuration(drawn, report) {
  return {
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner", CHECKER],
    checkers: ["drawn"],
    vitest: { configFile: TESTS, related: false },
    // By lines: which test covers which mutant is one message, and that of whole files is longer than a string may be.
    mutate: [...new Set(drawn.map(({ file, first, last }) => `${file}:${first}-${last}`))],
    mutator: { excludedMutations: LEFT_OUT },
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    inPlace: true,
    concurrency: 2,
    timeoutMS: MORE_TIME_MS,
    dryRunTimeoutMinutes: 20,
    reporters: ["json"],
    jsonReporter: { fileName: report },
    allowEmpty: true,
  };
}

/** Stryker's report counts lines and columns from 1, its API from 0. */
function reportedKey(file, { location: { start, end }, mutatorName, replacement }) {
  const back = ({ line, column }) => ({ line: line - 1, column: column - 1 });
  return mutantKey(file, { location: { start: back(start), end: back(end) }, mutatorName, replacement });
}

const VERDICTS = { Killed: "noticed", Timeout: "noticed", Survived: "survived", NoCoverage: "survived" };

/** Reads Stryker's report (mutation-testing-report-schema): what became of each mutant, by its key. */
export function verdicts(report) {
  const found = new Map();
  for (const [file, { mutants }] of Object.entries(report.files)) {
    for (const mutant of mutants) found.set(reportedKey(file, mutant), VERDICTS[mutant.status] ?? "not judged");
  }
  return found;
}

/**
 * Judges the drawn mutants.
 *
 * @returns {Promise<{ mutant: object, verdict: "noticed" | "survived" | "not judged" }[]>}
 */
export async function judgeTypescript(target, drawn) {
  const copy = copyOfTree();
  const scratch = mkdtempSync(join(tmpdir(), "pi-bash-mutants-report-"));
  const [keys, config, report] = ["drawn.json", "stryker.json", "report.json"].map((name) => join(scratch, name));
  writeFileSync(keys, JSON.stringify(drawn.map(({ key }) => key)));
  writeFileSync(config, JSON.stringify(configuration(drawn, report)));
  writeFileSync(join(copy, TESTS), testsOf(target));
  writeFileSync(join(copy, SETUP), FORGETS_COVERAGE);
  try {
    const env = { PI_BASH_MUTANTS: keys };
    const run = await runProgram(process.execPath, [STRYKER, "run", config], {
      cwd: copy,
      env,
      timeoutMs: RUN_TIMEOUT_MS,
    });
    if (!run.ok) throw new Error(`Stryker ${run.problem}\n${lastLines(run.output, 60)}`);
    const known = verdicts(JSON.parse(readFileSync(report, "utf8")));
    return drawn.map((mutant) => ({ mutant, verdict: known.get(mutant.key) ?? "not judged" }));
  } finally {
    for (const folder of [copy, scratch]) rmSync(folder, { recursive: true, force: true });
  }
}
