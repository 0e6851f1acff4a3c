/**
 * Compiles all packages: the types of the addon first, where the native build has given other ones, then one `tsc -b`.
 *
 *   node scripts/build-ts.mjs [--tests]   with `--tests` the tests are type-checked as well
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { placeTypes, publishTypes } from "./native/types.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

placeTypes(root);
const projects = ["tsconfig.build.json", ...(process.argv.includes("--tests") ? ["tsconfig.json"] : [])];
const { status, error } = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-b", ...projects], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
if (error) throw error;
publishTypes(root);
process.exitCode = status ?? 1;
