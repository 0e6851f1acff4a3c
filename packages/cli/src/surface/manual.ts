/**
 * The manual page pi-bash(1), made from the tables beside this file. `npm run api` writes it into the package.
 *
 * In the macros of man(7), which groff, mandoc and BusyBox's `man` read.
 */
import { COMMAND_NAMES, type CommandName, commandEntry } from "./commands.ts";
import type { Option } from "./options.ts";

/** Where documents are read that the page names. */
const DOCUMENTS = "https://github.com/pi-bash/pi-bash/tree/main/";

/** The whole page; `version` is that of the program. */
export function manualText(version: string): string {
  return [
    `.TH PI-BASH 1 "" "pi-bash ${text(version)}" "User Commands"`,
    ".SH NAME",
    `pi-bash ${text("- real bash for programs that run commands")}`,
    ".SH SYNOPSIS",
    ...COMMAND_NAMES.flatMap((name) => commandEntry(name).usage.flatMap(synopsis)),
    ".SH DESCRIPTION",
    line(
      "Runs commands in bash as a coding agent does: it streams the output, bounds it, and leaves no process behind.",
    ),
    line("Each command below has options of its own, which come after its name."),
    ".SH COMMANDS",
    ...COMMAND_NAMES.flatMap(commandSection),
    ".SH SEE ALSO",
    line("bash(1), setsid(1), ssh(1)"),
    ".PP",
    line(`Documents: ${DOCUMENTS}docs`),
    "",
  ].join("\n");
}

function commandSection(name: CommandName): string[] {
  const { summary, usage, options, remarks, statuses, examples, page } = commandEntry(name);
  const rows = Object.entries(options) as readonly (readonly [string, Option])[];
  return [
    `.SS ${text(name)}`,
    line(`${sentence(summary)}`),
    ...usage.flatMap((each) => [".PP", ...synopsis(each)]),
    ...rows.flatMap(([option, { value, text: meaning }]) => [
      ".TP",
      `\\fB\\-\\-${text(option)}\\fR${value === undefined ? "" : ` \\fI${text(value)}\\fR`}`,
      line(sentence(meaning)),
    ]),
    ...(remarks === undefined ? [] : [".PP", line(remarks)]),
    ".PP",
    line("Exit status:"),
    ...statuses.flatMap(([status, meaning]) => [".TP", `\\fB${text(status)}\\fR`, line(sentence(meaning))]),
    ".PP",
    line("Examples:"),
    ...examples.flatMap(([example, meaning]) => [".TP", line(`pi-bash ${example}`), line(sentence(meaning))]),
    ".PP",
    line(`More: ${DOCUMENTS}${page}`),
  ];
}

function synopsis(usage: string): string[] {
  return [`\\fBpi\\-bash\\fR ${text(usage)}`, ".br"];
}

function sentence(phrase: string): string {
  return `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;
}

/** A line of text: what begins like a request is kept from being one, and what stands in backticks is bold. */
function line(words: string): string {
  const set = text(words).replaceAll(/`([^`]*)`/g, "\\fB$1\\fR");
  return /^[.']/.test(set) ? `\\&${set}` : set;
}

/** Characters that groff_char(7) says to write otherwise: a plain `-` may come out as a hyphen that no shell reads. */
function text(words: string): string {
  return words.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("…", "...");
}
