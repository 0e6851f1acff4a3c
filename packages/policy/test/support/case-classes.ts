/** Reads the files of cases in `test/cases`: classes of command lines, each under its title. */
import { readFileSync } from "node:fs";

/** The classes of a file: title and lines. Throws where a class has fewer than ten lines: a class is not one example. */
export function caseClasses(file: string): readonly (readonly [string, readonly string[]])[] {
  const text = readFileSync(new URL(`../cases/${file}`, import.meta.url), "utf8");
  return text
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = "", ...lines] = part.split("\n").filter((line) => line !== "");
      if (lines.length < 10) throw new Error(`the class "${title}" of ${file} has ${lines.length} lines, not ten`);
      return [title, lines.map((line) => line.replaceAll("⏎", "\n"))];
    });
}
