/**
 * Where a command starts: the directory of the call, made absolute and looked at before anything runs.
 *
 * The path stays as it was written (no link is resolved), because `pwd` shows it to the model again.
 */
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolError } from "./tool-error.ts";

/** A directory against the session's, without `.`, `..` and a slash at the end; `~` and `~/x` mean `home()`. */
export function resolveToCwd(path: string, sessionCwd: string, home: () => string): string {
  if (path === "~") return resolve(home());
  if (path.startsWith("~/")) return resolve(home(), path.slice("~/".length));
  return resolve(sessionCwd, path);
}

/** What a path leads to now, to be compared later; undefined where there is nothing. */
export async function directoryIdentity(path: string): Promise<string | undefined> {
  try {
    const [place, { dev, ino }] = await Promise.all([realpath(path), stat(path, { bigint: true })]);
    return `${dev}:${ino} ${place}`;
  } catch {
    return undefined; // `checkDirectory` says why.
  }
}

/** Throws `ToolError` unless the path leads to a directory. */
export async function checkDirectory(path: string): Promise<void> {
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(path)).isDirectory();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    // A file where a folder should be on the way: the path does not exist either.
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new ToolError(`Working directory does not exist: ${path}`, { cause: error });
    }
    throw new ToolError(`Working directory cannot be used: ${path} (${code})`, { cause: error });
  }
  if (!isDirectory) throw new ToolError(`Working directory is not a directory: ${path}`);
}
