/**
 * Where a command starts: the directory of the call, made absolute, and looked at where that cannot be left to the core.
 *
 * The path stays as it was written (no link is resolved), because `pwd` shows it to the model again. A look at the disk
 * costs as much as a plain builtin, and the core (for a session's first command: the executor) refuses a folder that is
 * missing before it runs anything: so the tool looks where something takes time between the check and the run, and where
 * another program runs the command.
 */
import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { SessionPlace } from "@pi-bash/executor";
import { checkFarDirectory, checkWorkingDirectory } from "@pi-bash/executor/internal";
import { refusal, ToolError } from "./tool-error.ts";

/** Refusals of the core that may be about the folder of a call. */
const FOLDER_CODES = new Set(["PI_MISSING_CWD", "PI_CWD_NOT_A_DIRECTORY", "PI_CWD_DENIED", "PI_INVALID_OPTION"]);

/** A directory against the session's, without `.`, `..` and a slash at the end; `~` and `~/x` mean `home()`. */
export function resolveToCwd(path: string, sessionCwd: string, home: () => string): string {
  if (path === "~") return resolve(home());
  if (path.startsWith("~/")) return resolve(home(), path.slice("~/".length));
  return resolve(sessionCwd, path);
}

/**
 * The folder of a call while something takes time: a question may take minutes, and what was approved for one folder does
 * not run in another one. Where nothing takes time, nothing is looked at.
 */
export class FolderWatch {
  readonly #path: string;
  readonly #mayBeMissing: boolean;
  readonly #place: SessionPlace | undefined;
  #seen: string | undefined;

  /** `mayBeMissing`: the folder is made once the call is approved. */
  constructor(path: string, mayBeMissing: boolean, place?: SessionPlace) {
    this.#path = path;
    this.#place = place;
    this.#mayBeMissing = mayBeMissing;
  }

  /** To be called right before what takes time. Throws `ToolError` unless the path leads to a directory. */
  async record(): Promise<void> {
    if (!this.#mayBeMissing) await checkDirectory(this.#path, this.#place);
    this.#seen = await directoryIdentity(this.#path, this.#place);
  }

  /** To be called afterwards. Throws `ToolError` where the path leads elsewhere than it did. */
  async compare(): Promise<void> {
    if (this.#seen === undefined || (await directoryIdentity(this.#path, this.#place)) === this.#seen) return;
    throw new ToolError("The working directory changed after the call was checked; try again.");
  }
}

/** What is thrown for what the executor rejected with: of a folder that cannot be used, in the words of `checkDirectory`. */
export async function folderRefusal(error: unknown, path: string, place?: SessionPlace): Promise<unknown> {
  if (!(error instanceof Error && "code" in error && FOLDER_CODES.has(String(error.code)))) return refusal(error);
  return checkDirectory(path, place).then(
    () => refusal(error),
    (found: unknown) => found,
  );
}

/** What a path leads to now, to be compared later; undefined where there is nothing. */
async function directoryIdentity(path: string, place: SessionPlace | undefined): Promise<string | undefined> {
  try {
    if (place !== undefined) return (await place.stat(path)).realPath;
    const [real, { dev, ino }] = await Promise.all([realpath(path), stat(path, { bigint: true })]);
    return `${dev}:${ino} ${real}`;
  } catch {
    return undefined; // `checkDirectory` says why.
  }
}

/** Throws `ToolError` unless the path leads to a directory. */
export async function checkDirectory(path: string, place?: SessionPlace): Promise<void> {
  try {
    if (place === undefined) await checkWorkingDirectory(path);
    else await checkFarDirectory(place.name, place, path);
  } catch (error) {
    throw refusal(error);
  }
}
