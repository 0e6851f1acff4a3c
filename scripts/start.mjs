/**
 * `npm start`: builds what is not built, then shows the engine at work on real commands (the tour).
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

for (const command of [["scripts/build.mjs"], ["packages/cli/bin/pi-bash.mjs", "tour", ...process.argv.slice(2)]]) {
  const { status, error } = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
