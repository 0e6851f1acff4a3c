/**
 * Follows the `cd`s of a line: in which folder each command runs, and whether that is still the workspace.
 *
 * Read off the text alone: a variable, `cd -` or a directory stack leads to a folder that is not known. What a program
 * does with a folder of its own (`git -C`, `make -C`) is a matter of its words.
 */
import type { CommandAnalysis, EffectiveCommand } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { CHANGES_FOLDER } from "./builtins.ts";
import type { PathContext } from "./danger-paths.ts";

/** Longer paths lead nowhere: `PATH_MAX` of Linux. */
export const MAX_PATH_CHARS = 4_096;

/** The folder each command runs in, or undefined once it cannot be determined. */
export function effectiveFolders(
  analysis: CommandAnalysis,
  context: PathContext,
): (command: EffectiveCommand) => PathContext {
  const folders = new Map<EffectiveCommand, PathContext>();
  let here = context;
  for (const command of analysis.effective) {
    folders.set(command, here);
    // A `cd` in a subshell is over at its end, but what follows inside it obeys: the last one counts for both.
    if (isMove(command)) here = { ...context, cwd: folderAfter(command, here) };
  }
  return (command) => folders.get(command) ?? context;
}

/** The commands that run, or may run, outside of a folder: behind a `cd` that leaves it, or by `find -execdir`. */
export function commandsOutside(
  analysis: CommandAnalysis,
  start: PathContext,
  root: string | undefined,
): ReadonlySet<EffectiveCommand> {
  const outside = new Set<EffectiveCommand>();
  let here = start;
  let left = !isInside(start.cwd, root);
  for (const command of analysis.effective) {
    if (left || command.elsewhere) outside.add(command);
    if (!isMove(command)) continue;
    here = { ...start, cwd: folderAfter(command, here) };
    // A way back may fail: what has left stays outside for the rest of the line.
    left ||= here.cwd === undefined || !isInside(here.cwd, root);
  }
  return outside;
}

/** Whether a folder is a root or below it; true where one of them is not known. */
export function isInside(folder: string | undefined, root: string | undefined): boolean {
  if (root === undefined || folder === undefined) return true;
  return folder === root || root === "/" || folder.startsWith(`${root}/`);
}

/** `cd`, `pushd` and `popd` change the folder of what follows. */
export function isMove(command: EffectiveCommand): boolean {
  return CHANGES_FOLDER.has(firstValue(command.argv));
}

/** Where a `cd` leads, as far as its words say. */
export function folderAfter(command: EffectiveCommand, { cwd, home }: PathContext): string | undefined {
  const literal = command.argv.length === 2 ? command.argv[1]?.value : undefined;
  if (literal === undefined || literal === null) return homeOf(command, { home });
  // `cd -`, `pushd +1` and `popd` go where the session has been.
  if (firstValue(command.argv) === "popd" || /^[-+]/.test(literal)) return undefined;
  if (!literal.startsWith("/") && cwd === undefined) return undefined;
  const path = stepThrough(literal.startsWith("/") ? "" : (cwd ?? ""), literal);
  return path.length > MAX_PATH_CHARS ? undefined : path;
}

/** The folder behind a path, reading the path alone: thousands of `cd` would each pay for the whole of where they are. */
export function stepThrough(from: string, path: string): string {
  let here = from.endsWith("/") ? from.slice(0, -1) : from;
  for (const name of path.split("/")) {
    if (name === "..") here = here.slice(0, Math.max(0, here.lastIndexOf("/")));
    else if (name !== "" && name !== ".") here = `${here}/${name}`;
  }
  return here === "" ? "/" : here;
}

/** `cd` and `cd ~` go home; any other expanding target is unknown. */
function homeOf(command: EffectiveCommand, context: PathContext): string | undefined {
  if (firstValue(command.argv) !== "cd") return undefined;
  // With a second folder bash 4.4 and newer stay where they are, and older ones go to the first.
  if (command.argv.length > 2) return undefined;
  const text = command.argv[1]?.text;
  return command.argv.length === 1 || text === "~" || text === "$HOME" || text === '"$HOME"' ? context.home : undefined;
}
