/**
 * Finds the bash driver: the object that a session's bash loads, beside the addon or in a package of its own.
 *
 * The engine opens it and bash loads it, and both know files only. An object that stands in an archive (a zip of Yarn's
 * Plug'n'Play, an `asar` of Electron, an executable of Bun) is shown to JavaScript and to no other program: it is unpacked
 * (`unpack-driver.ts`), and where that fails it is named with the remedy and not given to sessions.
 */
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

/** The package with an object for each architecture, each an entry of its own. */
export const DRIVER_PACKAGE = "@pi-bash/bash-driver";

/** The file name of the object. */
const DRIVER_NAME = "pi-driver.so";

/** What may be an archive in a path, and a file to everything but JavaScript. */
const ARCHIVE = /^(?:\/\$bunfs|.*?\.(?:zip|asar))(?=[\\/])/;

/** What is known of the driver before a session has tried it. */
export type DriverPlace =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "archived"; readonly path: string; readonly reason: string }
  | { readonly kind: "absent"; readonly reason: string };

/** Where a driver is looked for. */
export interface DriverSearch {
  /** Absolute path of the folder with the addon: a checkout has the driver there. */
  readonly folder: string;
  /** As `process.platform` and `process.arch` name the system. */
  readonly platform: string;
  readonly arch: string;
  /** Whether this is Electron, where an `asar` looks like a folder. */
  readonly isElectron: boolean;
  /** The file that a package's entry stands for, as `require.resolve` finds it; throws where there is none. */
  readonly resolve: (entry: string) => string;
  /** Makes a file of what stands in an archive under this path, and returns its own path; throws where it cannot. */
  readonly unpack: (path: string) => string;
}

/** Looks beside the addon, then in the package. */
export function findDriver(search: DriverSearch): DriverPlace {
  const { folder, platform, arch, resolve } = search;
  if (platform !== "linux") return { kind: "absent", reason: "the bash driver is for Linux only" };
  const beside = join(folder, DRIVER_NAME);
  if (existsSync(beside)) return placeOf(beside, search);
  let path: string;
  try {
    path = resolve(`${DRIVER_PACKAGE}/linux-${arch}`);
  } catch (error) {
    return { kind: "absent", reason: whyAbsent(error, arch) };
  }
  return placeOf(path, search);
}

function placeOf(path: string, { isElectron, unpack }: DriverSearch): DriverPlace {
  const archive = ARCHIVE.exec(path)?.[0];
  if (archive === undefined || isFolder(archive, isElectron)) return { kind: "file", path };
  // What Electron's packers leave out of an archive stands beside it, below the same path.
  const unpacked = `${archive}.unpacked${path.slice(archive.length)}`;
  if (archive.endsWith(".asar") && existsSync(unpacked)) return { kind: "file", path: unpacked };
  try {
    return { kind: "file", path: unpack(path) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const reason = `it is in the archive \`${archive}\`, from which bash cannot load it, and cannot be unpacked (${why}); keep \`${DRIVER_PACKAGE}\` unpacked`;
    return { kind: "archived", path, reason };
  }
}

/** A folder can have the name of an archive. */
function isFolder(archive: string, isElectron: boolean): boolean {
  if (isElectron && archive.endsWith(".asar")) return false;
  return statSync(archive, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function whyAbsent(error: unknown, arch: string): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED") return `\`${DRIVER_PACKAGE}\` has no driver for ${arch}`;
  return `\`${DRIVER_PACKAGE}\` is not installed`;
}
