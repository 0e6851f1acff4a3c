/**
 * The systems for which there is a prebuilt package, and how each is named by npm, by Rust and by our loader.
 *
 * `name` is what `packages/natives/src/target.ts` computes at run time. What is known of each target (built, loaded,
 * tested, and where) is not here: `npm run package` finds it out and writes docs/platforms.md.
 */

/** glibc of the Debian and RHEL releases that Node 20 itself still starts on. */
export const GLIBC_FLOOR = "2.28";

/** Every target, in the order in which documents list them. */
export const TARGETS = [
  { name: "linux-x64-gnu", triple: "x86_64-unknown-linux-gnu", os: "linux", cpu: "x64", libc: "glibc" },
  { name: "linux-arm64-gnu", triple: "aarch64-unknown-linux-gnu", os: "linux", cpu: "arm64", libc: "glibc" },
  { name: "linux-x64-musl", triple: "x86_64-unknown-linux-musl", os: "linux", cpu: "x64", libc: "musl" },
  { name: "linux-arm64-musl", triple: "aarch64-unknown-linux-musl", os: "linux", cpu: "arm64", libc: "musl" },
  { name: "darwin-x64", triple: "x86_64-apple-darwin", os: "darwin", cpu: "x64" },
  { name: "darwin-arm64", triple: "aarch64-apple-darwin", os: "darwin", cpu: "arm64" },
  { name: "win32-x64", triple: "x86_64-pc-windows-msvc", os: "win32", cpu: "x64" },
  { name: "win32-arm64", triple: "aarch64-pc-windows-msvc", os: "win32", cpu: "arm64" },
];

/**
 * Built only to be tried: Windows by the GNU tools, since Microsoft's are on Windows alone. Named as what it stands in
 * for; `folder` keeps its binaries apart.
 */
export const STAND_INS = [
  { name: "win32-x64", triple: "x86_64-pc-windows-gnu", os: "win32", cpu: "x64", folder: "win32-x64-gnu" },
];

/** The npm package of a target. */
export function packageOf(target) {
  return `@pi-bash/natives-${target.name}`;
}

/** The addon's file name in `bin/` and in the package. */
export function addonOf(target) {
  return `pi-natives.${target.name}.node`;
}

/** The supervisor's file name beside the addon. */
export function supervisorOf(target) {
  return target.os === "win32" ? "pi-supervisor.exe" : "pi-supervisor";
}

/** The target of this machine; undefined where there is no package for it. */
export function ownTarget() {
  if (process.platform !== "linux") {
    return TARGETS.find(({ os, cpu }) => os === process.platform && cpu === process.arch);
  }
  // The network part of the report looks up names, which can take seconds.
  process.report.excludeNetwork = true;
  const libc = process.report.getReport().header.glibcVersionRuntime ? "glibc" : "musl";
  return TARGETS.find((target) => target.os === "linux" && target.cpu === process.arch && target.libc === libc);
}
