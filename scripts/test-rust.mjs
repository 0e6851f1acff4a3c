/**
 * Runs the Rust tests, counts them, and gives a failed target one more try alone.
 *
 * Does what `cargo test --workspace` does, target by target: build all, run each test program in its package's
 * folder, then the documentation's examples. Going by target gives each a deadline and its own output.
 */
import { dirname } from "node:path";
import { lastLines, root, runProgram } from "./child.mjs";

const TARGET_TIMEOUT_MS = 10 * 60_000;

/** Adds up the `test result:` lines of libtest; documentation tests print several. */
export function countLibtest(output) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, passed, failed, ignored] of output.matchAll(
    /^test result: .*? (\d+) passed; (\d+) failed; (\d+) ignored/gm,
  )) {
    counts.passed += Number(passed);
    counts.failed += Number(failed);
    counts.skipped += Number(ignored);
  }
  return counts;
}

/** The names that libtest lists as failed, or that it had begun when it was ended. */
export function failedNames(output) {
  const names = [...output.matchAll(/^test (\S+)(?: - should panic)? \.\.\. FAILED$/gm)].map(([, name]) => name);
  return names.length > 0 ? names.join(", ") : "no test named";
}

/** The test programs that cargo built, from its JSON messages. */
export function testPrograms(messages) {
  const programs = [];
  for (const line of messages.split("\n")) {
    if (!line.startsWith("{")) continue;
    const message = JSON.parse(line);
    if (message.reason !== "compiler-artifact" || !message.profile?.test || !message.executable) continue;
    const folder = dirname(message.manifest_path);
    const source = message.target.src_path.slice(root.length);
    programs.push({ name: source, path: message.executable, folder });
  }
  return programs.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function runTarget(name, run) {
  const first = await run([]);
  const counts = countLibtest(first.output);
  if (first.ok) return { counts, unsteady: [], failures: [] };

  const again = await run(["--test-threads", "1"]);
  if (again.ok) {
    const { passed, skipped } = countLibtest(again.output);
    const unsteady = `${name} (${failedNames(first.output)}; ${first.problem})`;
    return { counts: { passed, failed: 0, skipped }, unsteady: [unsteady], failures: [] };
  }
  const last = countLibtest(again.output);
  // A program that died counts no failure of its own; it is one all the same.
  const failed = Math.max(last.failed, 1);
  const failure = {
    name: `${name}: ${failedNames(again.output)}, ${again.problem}`,
    output: lastLines(again.output, 120),
  };
  return { counts: { ...last, failed }, unsteady: [], failures: [failure] };
}

/**
 * @returns {Promise<{ ok: boolean, counts: { passed: number, failed: number, skipped: number }, unsteady: string[],
 *   failures: { name: string, output: string }[] }>}
 */
export async function runRustTests() {
  const build = await runProgram("cargo", [
    "test",
    "--locked",
    "--workspace",
    "--no-run",
    "--message-format=json-render-diagnostics",
  ]);
  if (!build.ok) {
    const failures = [
      {
        name: `cargo test does not build: ${build.problem}`,
        output: lastLines(build.output.replace(/^\{.*\n/gm, ""), 120),
      },
    ];
    return { ok: false, counts: { passed: 0, failed: 1, skipped: 0 }, unsteady: [], failures };
  }

  const targets = testPrograms(build.stdout).map(({ name, path, folder }) => ({
    name,
    run: (extra) =>
      runProgram(path, extra, {
        cwd: folder,
        env: { CARGO: process.env.CARGO ?? "cargo", CARGO_MANIFEST_DIR: folder },
        timeoutMs: TARGET_TIMEOUT_MS,
      }),
  }));
  targets.push({
    name: "documentation examples",
    run: (extra) =>
      runProgram("cargo", ["test", "--locked", "--workspace", "--doc", ...(extra.length > 0 ? ["--", ...extra] : [])], {
        timeoutMs: TARGET_TIMEOUT_MS,
      }),
  });

  const total = { ok: true, counts: { passed: 0, failed: 0, skipped: 0 }, unsteady: [], failures: [] };
  for (const target of targets) {
    const { counts, unsteady, failures } = await runTarget(target.name, target.run);
    for (const key of ["passed", "failed", "skipped"]) total.counts[key] += counts[key];
    total.unsteady.push(...unsteady);
    total.failures.push(...failures);
  }
  total.ok = total.failures.length === 0;
  return total;
}
