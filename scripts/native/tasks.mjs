/**
 * Runs tasks of `turbo.json`, without the network: telemetry, the remote cache and the look for updates are off.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sourceDigest, writeToolchainKey } from "./key.mjs";
import { removeUnfitting } from "./stamp.mjs";
import { placeTypes } from "./types.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs tasks and those that they depend on; returns the exit status. */
export function runTasks(...tasks) {
  writeToolchainKey(root);
  removeUnfitting(root, sourceDigest(root, process.env.PI_BASH_CARGO_PROFILE || "release"));
  const words = [join(root, "node_modules", "turbo", "bin", "turbo"), "run", ...tasks];
  const options = ["--output-logs=new-only", "--log-prefix=none", "--log-order=stream"];
  const { status, error } = spawnSync(process.execPath, [...words, ...options], {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (error) throw error;
  if (status === 0) placeTypes(root);
  return status ?? 1;
}
