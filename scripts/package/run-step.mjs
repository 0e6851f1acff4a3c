/**
 * Runs one program of the packing to its end. What fails is thrown with everything that it printed.
 */
import { spawnSync } from "node:child_process";
import { basename, dirname, join } from "node:path";

/** An install from a slow registry, a tour with its gigabyte: both take seconds, and neither may hang a release. */
const STEP_LIMIT_MS = 300_000;

/** Longest line that says what is under way, in characters. */
const MAX_LINE_CHARS = 100;
let lastLine = "";

/** Returns what the program wrote to both streams. Says before it starts what it is: some steps are silent for minutes. */
export function runStep(command, rest, cwd, { env = process.env, limitMs = STEP_LIMIT_MS, shell = false } = {}) {
  tell([basename(command), ...rest.map((word) => word.replace(/^.*[/\\](?=.)/, ""))].join(" "));
  const run = spawnSync(command, rest, {
    cwd,
    env,
    shell,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: limitMs,
  });
  const output = `${run.stdout ?? ""}${run.stderr ?? ""}`;
  if (run.error) throw new Error(`\`${basename(command)}\`: ${run.error.message}\n${output}`);
  if (run.status !== 0) {
    throw new Error(`\`${basename(command)} ${rest.join(" ")}\` ended with ${run.status ?? run.signal}:\n${output}`);
  }
  return output;
}

/**
 * Runs npm. On Windows it is a batch file, which Node starts only through a shell that reads every word again: there its
 * program is started by Node, beside which it stands.
 */
export function runNpm(rest, cwd, options) {
  if (process.platform !== "win32") return runStep("npm", rest, cwd, options);
  const program = join(dirname(process.execPath), "node_modules", "npm", "bin", "npm-cli.js");
  return runStep(process.execPath, [program, ...rest], cwd, options);
}

/** The same step several times in a row is reported once. */
function tell(words) {
  const line = words.replaceAll("\n", " ").slice(0, MAX_LINE_CHARS);
  if (line !== lastLine) console.log(`  … ${line}`);
  lastLine = line;
}
