/**
 * Builds everything that runs: the native half, then the packages. What is built already is left alone.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs one step and ends with its status where it fails: a later step would only repeat the same complaint. */
function step(script, ...rest) {
  const { status, error } = spawnSync(process.execPath, [script, ...rest], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

step("scripts/build-native.mjs");
step("node_modules/typescript/bin/tsc", "-b", "tsconfig.build.json");
