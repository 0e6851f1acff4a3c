/** Which lines of which files differ from a revision, so that only their mutants are judged. */
import { execFileSync } from "node:child_process";
import { root } from "../child.mjs";

/**
 * Reads `git diff --unified=0`: a map of each path to its changed lines, as `[first, last]`, counted from 1.
 *
 * @param {string} diff
 * @returns {Map<string, [number, number][]>}
 */
export function changedLines(diff) {
  const files = new Map();
  let ranges;
  for (const line of diff.split("\n")) {
    const file = /^\+\+\+ (?:b\/(.*)|\/dev\/null)$/.exec(line);
    if (file !== null) {
      ranges = [];
      if (file[1] !== undefined) files.set(file[1], ranges);
    }
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    const length = hunk === null ? 0 : Number(hunk[2] ?? 1);
    if (length > 0) ranges.push([Number(hunk[1]), Number(hunk[1]) + length - 1]);
  }
  return files;
}

/** The lines that differ between the work tree and where it left `revision`. */
export function changedSince(revision) {
  const git = (...rest) => execFileSync("git", rest, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  const base = git("merge-base", revision, "HEAD").trim();
  return changedLines(git("-c", "core.quotePath=false", "diff", "--unified=0", "--no-color", "--no-ext-diff", base));
}

/** Does any line from `first` to `last` of a file belong to the change? */
export function isChanged(changed, { file, first, last }) {
  return (changed.get(file) ?? []).some(([from, to]) => first <= to && from <= last);
}
