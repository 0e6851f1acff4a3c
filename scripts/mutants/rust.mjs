/**
 * Mutants of crates, by cargo-mutants: it lists them, and judges those that were drawn in a copy of the tree with the
 * crates' own tests (documentation's examples left out).
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lastLines, root, runProgram } from "../child.mjs";
import { linesOfOtherSystems } from "./other-systems.mjs";

/** The version that is installed where there is none; `--locked`, so that it is the same everywhere. */
const VERSION = "27.1.0";
const RUN_TIMEOUT_MS = 12 * 60 * 60_000;
/** Threads of a test program: its tests mostly wait for programs, and pi-shell's take half as long as with two. */
const THREADS = "8";
/** Cases of a property test: a changed source fails in the first ones or in none, and all 256 are half the time of a run. */
const CASES = "64";
/** Mutants that are judged at a time: their tests wait, and much of a build is the work of one thread. */
const JOBS = "2";
/** A changed source has three times as long as the tests take, and a minute where they are short. */
const TIMEOUT = ["--minimum-test-timeout", "60", "--timeout-multiplier", "3"];
/** Where the copies of the tree are. Not in `/tmp`: each test program has one of its own. */
const SCRATCH = "/var/tmp/pi-bash-mutants-";
/** Starts a test program; as seen from the folder of a crate in the copy of the tree, where cargo runs its tests. */
const FIRST_FAILURE = ["bash", "../../scripts/mutants/first-failure.sh"];
/** Sources that Linux, where mutants are judged, does not compile: all of them would survive. */
const OTHER_SYSTEMS = /\/(macos|windows|sys\/job)\.rs$/;
/** Changes that change nothing: flags have no bit in common, so that `|` and `^` of them are the same. */
const SAME = /: replace \| with \^ in /;
/** Exit codes of cargo-mutants that still come with outcomes: all caught, some missed, some timed out. */
const WITH_OUTCOMES = /^(|ended with exit code [23])$/;

const cargo = (...rest) => runProgram("cargo", rest, { timeoutMs: RUN_TIMEOUT_MS });

/**
 * A pid namespace of its own (unshare(1)): a supervisor that was changed leaves what the tests start, fork bombs among it,
 * and the kernel ends all of it with the namespace. With a user namespace where this user needs one.
 */
const NAMESPACES = [
  ["--pid", "--fork", "--kill-child", "--mount-proc"],
  ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"],
];

/** The variable that names what cargo starts test programs by: "target.<triple>.runner" of Cargo's configuration. */
async function runnerVariable() {
  const { stdout } = await runProgram("rustc", ["-vV"], { timeoutMs: 60_000 });
  const triple = /^host: (\S+)$/m.exec(stdout)?.[1] ?? "";
  return `CARGO_TARGET_${triple.toUpperCase().replaceAll("-", "_")}_RUNNER`;
}

/**
 * Runs cargo where nothing that it starts can outlive it. Each test program has a namespace of its own in that: what a fork
 * bomb leaves would slow down, or end, the mutants after it.
 */
async function containedCargo(scratch, ...rest) {
  for (const options of NAMESPACES) {
    if (!(await runProgram("unshare", [...options, "true"])).ok) continue;
    const runner = ["unshare", ...options, ...FIRST_FAILURE].join(" ");
    // No backtrace is read, and without line tables a build takes half as long.
    const quick = { CARGO_PROFILE_DEV_DEBUG: "none", PROPTEST_CASES: CASES };
    const env = { [await runnerVariable()]: runner, RUST_TEST_THREADS: THREADS, TMPDIR: scratch, ...quick };
    return runProgram("unshare", [...options, "cargo", ...rest], { timeoutMs: RUN_TIMEOUT_MS, env });
  }
  throw new Error(
    "mutants of a crate need pid namespaces (`unshare --pid`): what a changed supervisor leaves would stay",
  );
}

/** Installs cargo-mutants unless it is there. */
async function installed() {
  if ((await cargo("mutants", "--version")).ok) return;
  const run = await cargo("install", "cargo-mutants", "--locked", "--version", VERSION);
  if (!run.ok) throw new Error(`cannot install cargo-mutants: ${run.problem}\n${lastLines(run.output, 20)}`);
}

function described(mutant) {
  return {
    key: mutant.name,
    file: mutant.file,
    first: mutant.span.start.line,
    last: mutant.span.end.line,
    name: mutant.name,
  };
}

/** The target's crates, each behind `option`. */
function each(option, { name, crates = [name] }) {
  return crates.flatMap((crate) => [option, crate]);
}

/** Every mutant of the crates' sources. */
export async function listRust(target) {
  await installed();
  const run = await cargo("mutants", "--list", "--json", ...each("--package", target));
  if (!run.ok) throw new Error(`cargo-mutants ${run.problem}\n${lastLines(run.output, 20)}`);
  return JSON.parse(run.stdout)
    .map(described)
    .filter(({ file, name }) => !OTHER_SYSTEMS.test(file) && !SAME.test(name))
    .filter(isCompiledHere());
}

/** Whether a mutant is in code that is compiled where it is judged. */
function isCompiledHere() {
  const left = new Map();
  return ({ file, first }) => {
    if (!left.has(file)) left.set(file, linesOfOtherSystems(readFileSync(join(root, file), "utf8")));
    return !left.get(file).some((range) => range.first <= first && first <= range.last);
  };
}

const VERDICTS = { CaughtMutant: "noticed", Timeout: "noticed", MissedMutant: "survived" };

/** Reads `outcomes.json` of cargo-mutants: what became of each mutant, by its name. */
export function outcomes(text) {
  const known = new Map();
  for (const { scenario, summary } of JSON.parse(text).outcomes) {
    if (scenario.Mutant !== undefined) known.set(scenario.Mutant.name, VERDICTS[summary] ?? "not judged");
  }
  return known;
}

function exactly(name) {
  return `^${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
}

/** A diff that adds the first lines of the drawn mutants: names alone leave in all of the kind "delete field". */
function diffOf(drawn) {
  const files = [...new Set(drawn.map(({ file }) => file))];
  return files.flatMap((file) => {
    const mutants = drawn.filter((mutant) => mutant.file === file);
    const source = readFileSync(join(root, file), "utf8").split("\n");
    const added = [...new Set(mutants.map(({ first }) => first))].sort((one, other) => one - other);
    const hunks = added.map((line, at) => `@@ -${line - 1 - at},0 +${line} @@\n+${source[line - 1]}`);
    return [`--- a/${file}`, `+++ b/${file}`, ...hunks];
  });
}

/** Tests that judge first, and those that judge what they let pass: most of a build is programs of tests that come last. */
const TESTS_IN_TURN = [["--lib"], ["--bins", "--tests"]];

/** Judges the drawn mutants: by the unit tests, then what survived those by all others. */
export async function judgeRust(target, drawn) {
  const verdicts = new Map();
  let left = drawn;
  for (const tests of TESTS_IN_TURN) {
    if (left.length === 0) break;
    console.log(`  ${left.length} are judged by ${tests.join(" ")}`);
    for (const [key, verdict] of await judgeBy(tests, target, left)) verdicts.set(key, verdict);
    left = left.filter(({ key }) => (verdicts.get(key) ?? "survived") === "survived");
    for (const { name } of left) console.log(`    survived: ${name}`);
  }
  return drawn.map((mutant) => ({ mutant, verdict: verdicts.get(mutant.key) ?? "not judged" }));
}

async function judgeBy(tests, target, drawn) {
  const scratch = mkdtempSync(SCRATCH);
  const config = join(scratch, "mutants.toml");
  const diff = join(scratch, "drawn.diff");
  writeFileSync(diff, `${diffOf(drawn).join("\n")}\n`);
  const names = drawn.map(({ key }) => JSON.stringify(exactly(key)));
  writeFileSync(config, `examine_re = [${names.join(", ")}]\nadditional_cargo_test_args = ${JSON.stringify(tests)}\n`);
  try {
    const options = ["--config", config, "--in-diff", diff, "--output", scratch, "--jobs", JOBS, ...TIMEOUT];
    const crates = [...each("--package", target), ...each("--test-package", target)];
    const run = await containedCargo(scratch, "mutants", ...crates, ...options);
    if (!WITH_OUTCOMES.test(run.problem)) throw new Error(`cargo-mutants ${run.problem}\n${lastLines(run.output, 60)}`);
    return outcomes(readFileSync(join(scratch, "mutants.out/outcomes.json"), "utf8"));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
