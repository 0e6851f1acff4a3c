/**
 * Builds the supervisor of a Linux: static, whatever C library the addon beside it has.
 *
 * Every session, one-shot and terminal starts one. Measured on two processors: 700 µs of processor time for one that is linked
 * with glibc, 185 for this one.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { cargoFolder } from "./napi-build.mjs";
import { OWN_LINKER, requireTarget } from "./static-target.mjs";

/**
 * @param {string} root the workspace
 * @param {{ triple: string, targetFolder: string, profile: string, limitMs?: number }} options `triple` is a static one
 * @returns {string} the path of the executable
 * @throws Error where Rust cannot build for the triple
 */
export function buildStaticSupervisor(root, { triple, targetFolder, profile, limitMs }) {
  requireTarget(triple);
  const what = ["rustc", "--locked", "--package", "pi-supervisor", "--bin", "pi-supervisor", "--profile", profile];
  const where = ["--target", triple, "--target-dir", targetFolder];
  const { status, signal, error } = spawnSync("cargo", [...what, ...where, "--", ...OWN_LINKER], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: limitMs,
  });
  if (error) throw error;
  if (status !== 0)
    throw new Error(`the supervisor was not built for ${triple}: \`cargo\` ended with ${status ?? signal}`);
  return join(cargoFolder(targetFolder, triple, profile), "pi-supervisor");
}
