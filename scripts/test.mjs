/**
 * `npm test`: every check of the project, in the order in which they fail fastest.
 *
 * All steps run even when one fails, because a person wants the whole list at once. The last line is
 * `tests: N passed, N failed, N skipped` with the true counts of the Rust and the TypeScript tests; the exit status is
 * 1 when any step failed, tests or not. What is tried a second time and why stands in docs/testing.md.
 *
 *   node scripts/test.mjs [--only lint|rust|ts]
 */
import { lastLines, root, runProgram } from "./child.mjs";
import { committedTypes } from "./native/types.mjs";
import { runRustTests } from "./test-rust.mjs";
import { runVitestTests } from "./test-vitest.mjs";

const TSC = "node_modules/typescript/bin/tsc";
const BIOME = "node_modules/@biomejs/biome/bin/biome";
const KNIP = "node_modules/knip/bin/knip.js";

/** Targets that are checked without a linker or a machine of theirs, and which crates can be. */
const OTHER_SYSTEMS = [
  { target: "aarch64-apple-darwin", crates: ["--workspace"] },
  // Node's headers for it come with a linker, and `pi-host` has no Windows.
  {
    target: "x86_64-pc-windows-gnu",
    crates: ["pi-process", "pi-mask", "pi-output", "pi-sandbox", "pi-shell"].flatMap((name) => ["-p", name]),
  },
];

/** A step that is one program: it has no counts, and its output is its failure. */
function program(command, ...rest) {
  return async () => {
    const run = await runProgram(command, rest);
    const failures = run.ok ? [] : [{ name: run.problem, output: lastLines(run.output, 120) }];
    return { ok: run.ok, counts: undefined, unsteady: [], failures };
  };
}

/** Builds by turbo, which may restore what was built before; fails when that gives other types than those committed. */
async function buildAndCompare() {
  const committed = committedTypes(root);
  const result = await program(process.execPath, "scripts/build.mjs")();
  if (!result.ok || committedTypes(root) === committed) return result;
  const name = "`binding.d.ts` was not what crates/pi-natives gives, and is now: commit it";
  return { ...result, ok: false, failures: [{ name, output: "" }] };
}

/** Lints the crates and their tests for the other systems, as far as their standard libraries are installed. */
async function lintForOtherSystems() {
  const installed = await runProgram("rustup", ["target", "list", "--installed"]);
  const results = [];
  for (const { target, crates } of OTHER_SYSTEMS) {
    if (!installed.ok || !installed.output.includes(target)) continue;
    const words = ["--locked", ...crates, "--all-targets", "--target", target, "--", "-D", "warnings"];
    results.push(await program("cargo", "clippy", ...words)());
  }
  const failures = results.flatMap((result) => result.failures);
  return { ok: failures.length === 0, counts: undefined, unsteady: [], failures };
}

/**
 * Builds `pi-host`, which tests of places send to labs. Where Rust's standard library for it cannot be had, those tests say
 * so and are skipped.
 */
async function buildHost() {
  const build = await runProgram(process.execPath, ["scripts/build-host.mjs", "--if-possible"]);
  const failures = build.ok ? [] : [{ name: build.problem, output: lastLines(build.output, 60) }];
  return { ok: build.ok, counts: undefined, unsteady: [], failures };
}

/** Steps in their order. Those of one list have nothing in common and run at the same time. */
const STEPS = [
  [
    { group: "lint", name: "TypeScript format and lint", run: program(process.execPath, BIOME, "ci", ".") },
    { group: "lint", name: "nothing unused", run: program(process.execPath, KNIP, "--no-progress") },
    { group: "lint", name: "Rust format", run: program("cargo", "fmt", "--all", "--check", "--", "--color", "never") },
    {
      group: "lint",
      name: "Rust lint",
      run: program("cargo", "clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"),
    },
  ],
  [{ group: "lint", name: "Rust lint for other systems", run: lintForOtherSystems }],
  [{ group: "rust", name: "Rust tests", run: runRustTests }],
  [
    { group: "ts", name: "native and TypeScript build, generated types unchanged", run: buildAndCompare },
    // Of another profile of cargo: one links while the other compiles.
    { group: "ts", name: "`pi-host`, static", run: buildHost },
  ],
  [{ group: "ts", name: "type check of the tests", run: program(process.execPath, TSC, "-b", "tsconfig.json") }],
  [{ group: "ts", name: "TypeScript tests", run: runVitestTests }],
];

function chosenSteps() {
  const at = process.argv.indexOf("--only");
  if (at === -1) return STEPS;
  const lists = STEPS.map((steps) => steps.filter(({ group }) => group === process.argv[at + 1]));
  if (lists.every((steps) => steps.length === 0)) throw new Error("`--only` takes lint, rust or ts");
  return lists;
}

/** Runs a step, and prints how it ended. */
async function runStep(step) {
  const started = Date.now();
  const result = await step.run();
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const counted = result.counts ? ` ${result.counts.passed} passed, ${result.counts.failed} failed` : "";
  console.log(`${result.ok ? "ok    " : "FAILED"} ${step.name} (${seconds} s)${counted}`);
  return result;
}

async function main() {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failures = [];
  const unsteady = [];
  for (const steps of chosenSteps()) {
    const results = await Promise.all(steps.map(runStep));
    for (const [at, result] of results.entries()) {
      for (const key of ["passed", "failed", "skipped"]) counts[key] += result.counts?.[key] ?? 0;
      failures.push(...result.failures.map((failure) => ({ ...failure, step: steps[at].name })));
      unsteady.push(...result.unsteady);
    }
  }
  for (const { step, name, output } of failures) console.log(`\n--- ${step}: ${name}\n${output}`);
  if (failures.length > 0) console.log(`\nfailed: ${failures.map(({ step, name }) => `${step} (${name})`).join("; ")}`);
  for (const line of unsteady) console.log(`unsteady: ${line}`);
  console.log(`tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

await main();
