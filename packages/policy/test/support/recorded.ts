/** Recorded files: command lines, and below each, indented, what the policy says of it. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const INDENT = "    ";

/** The names of a folder's files; `folder` ends with a slash. */
export function recordsIn(folder: URL): readonly string[] {
  return readdirSync(folder).toSorted();
}

function linesOf(recorded: string): readonly string[] {
  return recorded.split("\n").filter((row) => row !== "" && !row.startsWith(INDENT));
}

/** Has every line of a file again what the file says of it. `-u` writes the file again. */
export async function expectRecorded(
  folder: URL,
  name: string,
  rowsOf: (line: string) => readonly string[],
): Promise<void> {
  const path = fileURLToPath(new URL(name, folder));
  const lines = linesOf(readFileSync(path, "utf8"));
  const rows = lines.flatMap((line) => [line, ...rowsOf(line.replaceAll("⏎", "\n")).map((row) => INDENT + row)]);

  expect(lines.length).toBeGreaterThan(0);
  await expect(rows.map((row) => `${row}\n`).join("")).toMatchFileSnapshot(path);
}
