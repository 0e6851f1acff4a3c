/**
 * Looks at the folder a command is to run in, where the core would do so only after it has started a shell for it.
 *
 * The core refuses a folder that cannot be used, in these words, before it runs the command. Before a session's first
 * command it starts the session, and the executor reads the user's rc: nothing of that is to happen for a folder that is
 * missing. One look costs as much as a plain builtin, so a session that stands is spared it.
 */
import { stat } from "node:fs/promises";
import type { PlaceFiles } from "./places/place.ts";

/** A folder that no command can run in. The codes are those of the core. */
export class WorkingDirectoryError extends Error {
  readonly code: "PI_MISSING_CWD" | "PI_CWD_NOT_A_DIRECTORY" | "PI_CWD_DENIED";

  constructor(code: WorkingDirectoryError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "WorkingDirectoryError";
    this.code = code;
  }
}

/** Throws `WorkingDirectoryError` unless the absolute path leads to a directory. */
export async function checkWorkingDirectory(path: string): Promise<void> {
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(path)).isDirectory();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    // A file where a folder should be on the way: the path does not exist either.
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new WorkingDirectoryError("PI_MISSING_CWD", `Working directory does not exist: ${path}`, { cause });
    }
    throw new WorkingDirectoryError("PI_CWD_DENIED", `Working directory cannot be used: ${path} (${code})`, { cause });
  }
  if (!isDirectory) {
    throw new WorkingDirectoryError("PI_CWD_NOT_A_DIRECTORY", `Working directory is not a directory: ${path}`);
  }
}

/** The same on a place: throws `WorkingDirectoryError` unless the absolute path leads to a directory there. */
export async function checkFarDirectory(place: string, files: Pick<PlaceFiles, "stat">, path: string): Promise<void> {
  const { kind } = await files.stat(path);
  switch (kind) {
    case "directory":
      return;
    case "missing":
      throw new WorkingDirectoryError("PI_MISSING_CWD", `Working directory does not exist on ${place}: ${path}`);
    case "denied":
      throw new WorkingDirectoryError("PI_CWD_DENIED", `Working directory cannot be used on ${place}: ${path}`);
    case "file":
    case "other":
      throw new WorkingDirectoryError(
        "PI_CWD_NOT_A_DIRECTORY",
        `Working directory is not a directory on ${place}: ${path}`,
      );
  }
}
