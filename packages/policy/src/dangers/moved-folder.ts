/**
 * The folder that a command starts in where its wrappers go elsewhere first: `env -C FOLDER`, `sudo -D FOLDER`,
 * `chroot FOLDER`.
 */
import type { Word } from "@pi-bash/command";
import type { Folder } from "../danger-paths.ts";
import { folderAt } from "./folders.ts";
import { expandWord, knownText, type Values } from "./values/fields.ts";

/** The folder behind all wrappers; lost where one goes to a folder that is not known. */
export function movedFolder(here: Folder, movedTo: readonly Word[], values: Values): Folder {
  return movedTo.reduce((folder, word) => goTo(word, folder, values), here);
}

function goTo(word: Word, here: Folder, values: Values): Folder {
  const [path = "", ...others] = new Set(expandWord(word, values).map(knownText));
  // A folder below this one may be a link to any; one above it is what its name says.
  const goesUp = here.lost !== true && /^(?:\.\.\/)*\.\.\/?$/.test(path);
  return folderAt(others.length === 0 && (path.startsWith("/") || goesUp) ? path : undefined, here);
}
