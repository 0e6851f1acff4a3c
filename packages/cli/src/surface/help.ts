/**
 * The texts of `--help`: the short list of all commands, and the page of each, made from the tables beside this file.
 *
 * Also whether a command line asks for one. What is printed fits a terminal of 80 columns.
 */
import { parseArgs } from "node:util";
import { pagePath } from "../document.ts";
import { COMMAND_NAMES, type CommandEntry, type CommandName, commandEntry } from "./commands.ts";
import type { Option, Options } from "./options.ts";
import { wrapped } from "./wrapped.ts";

/** Column of the second part of a row. */
const TEXT_COLUMN = 26;

/** What `pi-bash --help` prints. */
export function listText(): string {
  const rows = COMMAND_NAMES.map((name) => row(`  pi-bash ${name}`, commandEntry(name).summary));
  return [
    "pi-bash: real bash for programs that run commands\n\n",
    ...rows,
    "\n`pi-bash COMMAND --help` has options, exit statuses and examples of one command.\n",
    `More: ${pagePath("docs/cli.md")}\n`,
  ].join("");
}

/** What `pi-bash NAME --help` prints. */
export function commandText(name: CommandName): string {
  const entry = commandEntry(name);
  return [
    `${wrapped(`pi-bash ${name}: ${entry.summary}`, 0)}\n`,
    section(
      "Usage",
      entry.usage.map((line) => `  pi-bash ${line}\n`),
    ),
    section("Options", [...Object.entries(entry.options).map(optionRow), row("  --help, -h", "print this")]),
    ...(entry.remarks === undefined ? [] : [`\n${wrapped(entry.remarks, 0)}\n`]),
    section(
      "Exit status",
      entry.statuses.map(([status, meaning]) => row(`  ${status}`, meaning, 10)),
    ),
    section("Examples", entry.examples.map(exampleText)),
    `\nMore: ${pagePath(entry.page)}\n`,
  ].join("");
}

/** Whether the words after a command ask for its help: `--help` or `-h` before its own words and before `--`. */
export function asksForHelp(words: readonly string[], options: Options): boolean {
  const { tokens } = parseArgs({
    args: [...words],
    options: { ...(options as Readonly<Record<string, Pick<Option, "type">>>), help: { type: "boolean", short: "h" } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const end = tokens.findIndex(({ kind }) => kind !== "option");
  const own = end < 0 ? tokens : tokens.slice(0, end);
  return own.some((token) => token.kind === "option" && token.name === "help");
}

function optionRow([name, { value, text }]: [string, Option]): string {
  return row(`  --${name}${value === undefined ? "" : ` ${value}`}`, text);
}

function exampleText([line, meaning]: CommandEntry["examples"][number]): string {
  return `  pi-bash ${line}\n      ${meaning}\n`;
}

function section(title: string, rows: readonly string[]): string {
  return `\n${title}:\n${rows.join("")}`;
}

/** A term and what it means; a long term has a line of its own. */
function row(term: string, meaning: string, column = TEXT_COLUMN): string {
  const text = wrapped(meaning, column);
  return term.length + 2 > column ? `${term}\n${" ".repeat(column)}${text}\n` : `${term.padEnd(column)}${text}\n`;
}
