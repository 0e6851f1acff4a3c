/**
 * Finds and loads the native addon, once per environment and only when it is first needed.
 *
 * The only file that touches a `.node` file. Two places are tried: `bin/` of this package (a checkout, or a package that
 * ships its own build) and the prebuilt package of the target.
 */
import { accessSync, constants, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DRIVER_PACKAGE, type DriverPlace, findDriver } from "./find-driver.ts";
import type * as Addon from "./generated/binding.d.ts";
import { type LoadAttempt, NativeLoadError } from "./native-load-error.ts";
import { currentTarget, supervisorName } from "./target.ts";
import { unpackDriver } from "./unpack-driver.ts";

/** Which addon is in use. */
export interface AddonInfo {
  /** E.g. `linux-x64-gnu`. */
  readonly target: string;
  /** Absolute path of the addon. */
  readonly path: string;
  /** Its version, which is that of this package. */
  readonly version: string;
}

/** The loaded addon and the executable that was built with it. */
export interface Binding {
  /** What the addon exports. */
  readonly addon: typeof Addon;
  /** Absolute path of the addon. */
  readonly path: string;
  /** Absolute path of the supervisor, which stands beside the addon. Absent where there is none (Windows). */
  readonly supervisor: string | undefined;
  /** Absolute path of the bash driver that sessions are given. Absent where there is none that bash could load. */
  readonly driver: string | undefined;
  /** Where the driver is, or why sessions are given none. */
  readonly driverPlace: DriverPlace;
}

/** Where to look. */
export interface AddonPlaces {
  /** E.g. `linux-x64-gnu`. */
  readonly target: string;
  /** Absolute path of the folder with `pi-natives.<target>.node`. */
  readonly folder: string;
  /** Name of the package whose main file is the addon. */
  readonly packageName: string;
}

const require = createRequire(import.meta.url);

let loaded: Binding | undefined;

/**
 * The addon of this platform. A failure is not remembered: the next call looks again.
 *
 * @throws NativeLoadError when no place has an addon that loads
 */
export function binding(): Binding {
  loaded ??= loadBinding(defaultPlaces());
  return loaded;
}

/**
 * Which addon is in use: for a report of what is installed.
 *
 * @throws NativeLoadError when no place has an addon that loads
 */
export function addonInfo(): AddonInfo {
  const { addon, path } = binding();
  return { target: currentTarget(), path, version: addon.version() };
}

/**
 * The bash driver for a Linux machine of an architecture (as `process.arch` names it), for a session over there. Undefined
 * where none is installed for it.
 */
export function driverFor(arch: string): string | undefined {
  if (process.platform === "linux" && process.arch === arch) return binding().driver;
  try {
    return require.resolve(`${DRIVER_PACKAGE}/linux-${arch}`);
  } catch {
    return undefined;
  }
}

/** Looks in `places`, in order. */
export function loadBinding(places: AddonPlaces): Binding {
  const attempts: LoadAttempt[] = [];
  let cause: unknown;
  const file = join(places.folder, `pi-natives.${places.target}.node`);
  for (const [place, locate] of [
    [file, () => (existsSync(file) ? file : undefined)],
    [places.packageName, () => resolvePackage(places.packageName)],
  ] as const) {
    const path = locate();
    if (path === undefined) {
      attempts.push({ place, reason: place === file ? "no such file" : "not installed" });
      continue;
    }
    try {
      return loadFile(path);
    } catch (error) {
      attempts.push({ place, reason: error instanceof Error ? error.message : String(error) });
      cause ??= error;
    }
  }
  throw new NativeLoadError(places.target, attempts, cause);
}

function loadFile(path: string): Binding {
  const addon: typeof Addon = require(path);
  checkVersion(addon);
  const supervisor = join(dirname(path), supervisorName());
  const driverPlace = findDriver({
    folder: dirname(path),
    platform: process.platform,
    arch: process.arch,
    isElectron: "electron" in process.versions,
    resolve: (entry) => require.resolve(entry),
    // What makes archives readable replaces functions of this object, which an import of their names does not see.
    unpack: (archived) => unpackDriver((require("node:fs") as typeof import("node:fs")).readFileSync(archived)),
  });
  const driver = driverPlace.kind === "file" ? driverPlace.path : undefined;
  if (!existsSync(supervisor)) return { addon, path, supervisor: undefined, driver, driverPlace };
  checkExecutable(supervisor);
  return { addon, path, supervisor, driver, driverPlace };
}

/** Both halves speak a private protocol with each other: two versions would fail later, and in stranger ways. */
function checkVersion(addon: typeof Addon): void {
  // Of `../package.json`: `src` and `dist` are both beside it.
  const { version: own } = require("../package.json") as { version: string };
  const found = typeof addon.version === "function" ? addon.version() : "unknown";
  if (found === own) return;
  throw new Error(`it is version ${found}, and \`@pi-bash/natives\` is ${own}; install both in one version`);
}

/** Some ways to copy packages drop the run bit, and a spawn that fails would not say so. */
function checkExecutable(supervisor: string): void {
  try {
    accessSync(supervisor, constants.X_OK);
  } catch (cause) {
    throw new Error(`\`${supervisor}\` beside it cannot be run; give it its run bit back (\`chmod +x\`)`, { cause });
  }
}

function defaultPlaces(): AddonPlaces {
  const target = currentTarget();
  // `src` and `dist` are both beside `bin`.
  const folder = fileURLToPath(new URL("../bin", import.meta.url));
  return { target, folder, packageName: `@pi-bash/natives-${target}` };
}

function resolvePackage(name: string): string | undefined {
  try {
    return require.resolve(name);
  } catch {
    return undefined;
  }
}
