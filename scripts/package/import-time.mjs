/**
 * How long a program waits for `@pi-bash/natives`: the import and the first use, above Node's own start.
 *
 *   node scripts/package/import-time.mjs <project> [package…]   figures of an installed project, 25 rounds
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Most milliseconds of the best round, which is that of least disturbance. */
export const MAX_IMPORT_MS = 15;

/** A busy machine gets more rounds to show a best one; a build that is too slow fails after so many. */
const MIN_ROUNDS = 15;
const MAX_ROUNDS = 60;

/**
 * Since Node was up and before it read the program: what a program imports is loaded before its first line. The start of
 * the process itself differs by more than what is measured here.
 */
const TELL = "process.stdout.write(String(performance.now() - performance.nodeTiming.bootstrapComplete));\n";
/** A start that takes this long, in milliseconds, is none. */
const START_LIMIT_MS = 30_000;
const NATIVES = "@pi-bash/natives";

/** Runs a program in a process of its own; returns the milliseconds from Node's being up to its last line. */
function once(project, name) {
  return Number(execFileSync(process.execPath, [name], { cwd: project, encoding: "utf8", timeout: START_LIMIT_MS }));
}

function writeProgram(project, name, importing) {
  const first = importing === NATIVES ? `import { capabilities } from "${NATIVES}";\ncapabilities();\n` : "";
  const other = importing !== undefined && importing !== NATIVES ? `import ${JSON.stringify(importing)};\n` : "";
  writeFileSync(join(project, name), `${first}${other}${TELL}`);
}

const best = (times) => Math.min(...times);
const median = (times) => [...times].sort((a, b) => a - b)[times.length >> 1];

/**
 * Starts an empty program and one that imports, in turn, until `enough` says so of the times above Node's own start.
 *
 * @returns {{ best: number, median: number, rounds: number }} milliseconds above the empty program's best and median
 */
function measure(project, importing, enough) {
  writeProgram(project, "start-empty.mjs", undefined);
  writeProgram(project, "start-import.mjs", importing);
  const empty = [];
  const full = [];
  let found;
  do {
    empty.push(once(project, "start-empty.mjs"));
    full.push(once(project, "start-import.mjs"));
    found = { best: best(full) - best(empty), median: median(full) - median(empty), rounds: full.length };
  } while (!enough(found));
  return found;
}

const lineOf = (what, found) =>
  `${what}: ${found.best.toFixed(1)} ms above Node's own start (median ${found.median.toFixed(1)}, ${found.rounds} rounds)`;

/**
 * Measures in a project where the packages are installed. Returns a line for the report.
 *
 * @throws Error when no round was below `MAX_IMPORT_MS`, on Linux
 */
export function verifyImportTime(project) {
  const isEnough = ({ rounds, best: ms }) => rounds >= MAX_ROUNDS || (rounds >= MIN_ROUNDS && ms <= MAX_IMPORT_MS);
  const found = measure(project, NATIVES, isEnough);
  const line = lineOf(`import and first use of ${NATIVES}`, found);
  // A scanner of files reads along on other systems' build machines.
  if (found.best > MAX_IMPORT_MS && process.platform === "linux")
    throw new Error(`${line}, more than ${MAX_IMPORT_MS} ms`);
  return line;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [project = ".", ...names] = process.argv.slice(2);
  for (const name of names.length > 0 ? names : [NATIVES])
    console.log(
      lineOf(
        name,
        measure(resolve(project), name, ({ rounds }) => rounds >= 25),
      ),
    );
}
