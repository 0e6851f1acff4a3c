/**
 * Runs one program of the packing to its end. What fails is thrown with everything that it printed.
 */
import { spawnSync } from "node:child_process";
import { basename } from "node:path";

/** An install from a slow registry, a tour with its gigabyte: both take seconds, and neither may hang a release. */
const STEP_LIMIT_MS = 300_000;

/** Returns what the program wrote to both streams. */
export function runStep(command, rest, cwd, { env = process.env, limitMs = STEP_LIMIT_MS } = {}) {
  const run = spawnSync(command, rest, {
    cwd,
    env,
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
