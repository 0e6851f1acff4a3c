/**
 * The package of the bash driver: for which systems it has an object, how these are cross-built, and what an object must be.
 *
 * One object for each architecture serves glibc and musl, since it links with neither. Both are linked by zig on any Linux
 * machine. There is none for macOS: docs/decisions/0010-bash-driver.md says why.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { zigFolder } from "./cross.mjs";
import { ELF_MACHINES, readSharedObject } from "./elf.mjs";
import { runStep } from "./run-step.mjs";
import { GLIBC_FLOOR, TARGETS } from "./targets.mjs";

/** The name of the package, in the registry and to our loader. */
export const DRIVER_PACKAGE = "@pi-bash/bash-driver";

/** Its folder in the workspace, and below the folders of binaries and of staged packages. */
export const DRIVER_FOLDER = "bash-driver";

/** What bash finds in the object by the name of the builtin. */
const BUILTIN = "pi_driver_struct";

/**
 * What the object may take of the C library: names that glibc and musl have both had for as long as bash 5.1 is there. All
 * others are bash's and stand in `src/bash.h`.
 */
const LIBRARY_NAMES = new Set(
  (
    "__errno_location __fpurge __sigsetjmp _exit chdir clearerr close dup2 dup3 fcntl fflush getpid getrlimit getrusage getsockopt " +
    "kill lseek memchr memcpy memset open pipe2 poll pread readlink recvmsg sendmsg setpgid snprintf stdout stpcpy strchr strcmp " +
    "strcpy strcspn strlen strncmp strncpy strpbrk strrchr syscall unlink"
  ).split(" "),
);

const ZIG_CPU = { x64: "x86_64", arm64: "aarch64" };

/** @typedef {{ name: string, cpu: "x64" | "arm64" }} DriverTarget `name` is the package's entry, e.g. `linux-x64` */

/** Each architecture of Linux that there is a prebuilt package for. @type {DriverTarget[]} */
export const DRIVER_TARGETS = [...new Set(TARGETS.filter(({ os }) => os === "linux").map(({ cpu }) => cpu))].map(
  (cpu) => ({ name: `linux-${cpu}`, cpu }),
);

/** Where an object is in the package. */
export function objectOf(driver) {
  return `bin/${driver.name}/pi-driver.so`;
}

/** The driver for a target's processor; undefined where there is none. */
export function driverFor(target) {
  return target.os === "linux" ? DRIVER_TARGETS.find(({ cpu }) => cpu === target.cpu) : undefined;
}

/** Whether a file is the packed package of the driver. */
export function isDriverTarball(path) {
  return basename(path).startsWith("pi-bash-bash-driver-");
}

/** Where the object of each is, below a folder of binaries. */
export function crossBuilt(binaries) {
  return DRIVER_TARGETS.map((driver) => ({ driver, folder: join(binaries, DRIVER_FOLDER, driver.name) }));
}

/** Builds all of them into `build/binaries`. Returns the folder with theirs. */
export function buildDrivers(root) {
  if (process.platform !== "linux") throw new Error("the bash driver is built on Linux only");
  const binaries = join(root, "build", "binaries");
  rmSync(join(binaries, DRIVER_FOLDER), { recursive: true, force: true });
  for (const { driver, folder } of crossBuilt(binaries)) {
    mkdirSync(folder, { recursive: true });
    const env = {
      ...process.env,
      PATH: `${zigFolder(root)}${delimiter}${process.env.PATH}`,
      CC: `python-zig cc -target ${ZIG_CPU[driver.cpu]}-linux-gnu.${GLIBC_FLOOR}`,
    };
    runStep(process.execPath, [join(root, DRIVER_FOLDER, "build.mjs"), folder], root, { env });
  }
  return join(binaries, DRIVER_FOLDER);
}

/** The drivers whose objects are missing below a folder of binaries, by name. */
export function missingDrivers(binaries) {
  return crossBuilt(binaries)
    .filter(({ folder }) => !existsSync(join(folder, "pi-driver.so")))
    .map(({ driver }) => `${DRIVER_FOLDER}/${driver.name}`);
}

/**
 * Checks the objects of a staged package. Returns a line for the report.
 *
 * @throws Error for an object of another processor, and for one that needs more than bash and what every C library has
 */
export function verifyDriver(folder, drivers) {
  const ofBash = new Set(readFileSync(join(folder, "src", "bash.h"), "utf8").match(/\b\w+\b/g));
  const sizes = drivers.map((driver) => {
    const bytes = readFileSync(join(folder, objectOf(driver)));
    const fail = (what) => {
      throw new Error(`${objectOf(driver)} of ${DRIVER_PACKAGE} ${what}`);
    };
    const { machine, needed, given, wanted } = readSharedObject(bytes);
    if (machine !== ELF_MACHINES[driver.cpu]) fail(`is of the machine ${machine}, not ${driver.cpu}`);
    if (needed.length > 0) fail(`needs the library ${needed[0]}; it has to link with nothing`);
    if (given.join() !== BUILTIN) fail(`gives the names ${given.join(", ") || "of nothing"}, not ${BUILTIN} alone`);
    const unknown = wanted.filter((name) => !ofBash.has(name) && !LIBRARY_NAMES.has(name));
    if (unknown.length > 0)
      fail(`wants \`${unknown[0]}\`, which is neither in src/bash.h nor among the names that every C library has`);
    return `${driver.name} ${(bytes.length / 1000).toFixed(1)} kB`;
  });
  return `${DRIVER_PACKAGE}: ${sizes.join(", ")}`;
}
