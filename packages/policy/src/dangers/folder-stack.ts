/**
 * What `pushd`, `popd` and `dirs -c` do to the folder of the shell and to its stack of folders.
 *
 * Source: bash(1), "pushd", "popd" and "dirs". With `-n` the stack changes alone: `pushd -n /; popd` goes to `/`.
 */
import type { Word } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import type { Folder } from "../danger-paths.ts";

/** A folder of the stack, with those below it. */
export interface Pushed {
  readonly folder: Folder;
  readonly below: Pushed | undefined;
}

/** Where a shell is, and where `popd` leads. */
export interface Place {
  readonly folder: Folder;
  readonly pushed: Pushed | undefined;
}

/** True for `dirs -c`, which forgets all but the folder of the shell. */
export function clearsStack(argv: readonly Word[]): boolean {
  return firstValue(argv) === "dirs" && argv.some(({ value }) => /^-[lpv]*c/.test(value ?? ""));
}

/** Behind one of the three; `target` is where a folder among the words of `pushd` leads, undefined without one. */
export function stackAfter(argv: readonly Word[], place: Place, target: Folder | undefined): Place {
  const { folder, pushed } = place;
  if (clearsStack(argv)) return { folder, pushed: undefined };
  const stays = argv.some(({ value }) => value === "-n");
  const counted = argv.find(({ value }) => /^[-+]\d+$/.test(value ?? ""))?.value;
  // A place of the stack that is counted: which folder that is depends on the session as well.
  if (counted != null && counted !== "+0") return countedPlace(argv, place, stays);
  if (firstValue(argv) === "popd") {
    // Without a `pushd` in the line `popd` goes where the session has been, or nowhere.
    if (pushed === undefined) return place;
    return stays ? { folder, pushed: pushed.below } : { folder: pushed.folder, pushed: pushed.below };
  }
  if (target === undefined) return swapped(place, stays);
  return stays
    ? { folder, pushed: { folder: target, below: pushed } }
    : { folder: target, pushed: { folder, below: pushed } };
}

/** `pushd` alone goes to the first folder of the stack. */
function swapped(place: Place, stays: boolean): Place {
  const { folder, pushed } = place;
  if (stays) return place;
  if (pushed === undefined) return { folder: lost(folder), pushed };
  return { folder: pushed.folder, pushed: { folder, below: pushed.below } };
}

/** `popd +1` takes a folder out of the stack, and `pushd +1` goes to one. */
function countedPlace(argv: readonly Word[], { folder, pushed }: Place, stays: boolean): Place {
  if (pushed === undefined && firstValue(argv) === "popd") return { folder, pushed };
  const here = stays || firstValue(argv) === "popd" ? folder : lost(folder);
  return { folder: here, pushed: { folder: lost(folder), below: undefined } };
}

/** Some folder that is not known. */
export function lost({ cwd: _, ...places }: Folder): Folder {
  return { ...places, lost: true };
}
