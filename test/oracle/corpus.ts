/**
 * The corpus of scripts: files of `cases/`, in which a line `#### <name>` begins a script that ends before the next one.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** One script of the corpus. */
export interface Script {
  /** `<file>: <name>`, unique. */
  readonly id: string;
  readonly text: string;
}

/** A theme of the corpus, which is one file. */
export interface Theme {
  readonly name: string;
  readonly scripts: readonly Script[];
}

const HEADING = "#### ";
const folder = new URL("cases/", import.meta.url);

/** All themes, in the order of their names. */
export function readCorpus(): Theme[] {
  return readdirSync(fileURLToPath(folder))
    .filter((file) => file.endsWith(".txt"))
    .sort()
    .map((file) => readTheme(basename(file, ".txt"), readFileSync(new URL(file, folder), "utf8")));
}

function readTheme(name: string, text: string): Theme {
  const [before, ...parts] = `\n${text}`.split(`\n${HEADING}`);
  if (before !== "") throw new Error(`${name}: text before the first heading`);
  const scripts = parts.map((part) => {
    const end = part.indexOf("\n");
    return { id: `${name}: ${part.slice(0, end)}`, text: part.slice(end + 1) };
  });
  return { name, scripts };
}
