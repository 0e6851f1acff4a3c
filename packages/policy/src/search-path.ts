/**
 * Which folders of a search path a project cannot have filled.
 *
 * A path with `.` or `node_modules/.bin` in it is usual, and there a file of a hostile repository is the program of that
 * name. So what this package starts itself is looked for elsewhere, and where nothing confines a command, no table of
 * names holds on such a path. Symbolic links count by where they lead.
 */
import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, sep } from "node:path";

/** The folders of a search path that are absolute, and neither in `folder` nor in the repository around it. */
export function foreignFolders(searchPath: string, folder: string): string[] {
  const own = [folder, repositoryOf(folder)].flatMap((path) => (path === undefined ? [] : [path, whereItLeads(path)]));
  const isOwn = (path: string): boolean => own.some((each) => path === each || path.startsWith(`${each}${sep}`));
  return foldersOf(searchPath).filter((path) => isAbsolute(path) && !isOwn(path) && !isOwn(whereItLeads(path)));
}

/** Whether a program could be one of the project's: a folder of the path is relative, or lies in the project. */
export function hasOwnFolders(searchPath: string, folder: string): boolean {
  return foreignFolders(searchPath, folder).length < foldersOf(searchPath).length;
}

/** The first file of that name that can be executed. */
export function programIn(folders: readonly string[], name: string): string | undefined {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  return folders.map((folder) => join(folder, file)).find(canExecute);
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** An empty one stands for the working directory, as `.` does. */
function foldersOf(searchPath: string): string[] {
  return searchPath === "" ? [] : searchPath.split(delimiter);
}

/** The folder above that has a `.git`, where that is not the root of all files. */
function repositoryOf(folder: string): string | undefined {
  for (let path = folder; dirname(path) !== path; path = dirname(path)) {
    if (existsSync(join(path, ".git"))) return path;
  }
  return undefined;
}

function whereItLeads(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
