/**
 * The commands in a table for cron: `* * * * * rm -rf /`, `@reboot rm -rf /`.
 *
 * Source: crontab(5). Behind the times stands a text for a shell; its first `%` ends it, and what follows is its input.
 */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { firstValue, programName, singleQuoted } from "@pi-bash/command/internal";

/** `NAME = value` and comments run nothing; options between the times and the command are those of OpenBSD and fcron. */
const ENTRY =
  /^[ \t]*(?:@[\w-]+(?:\([^)]*\))?|[&!%]?(?:[\w*?/,~.:#-]+[ \t]+){4}[\w*?/,~.:#-]+)[ \t]+((?:-[nqs]+[ \t]+)*)(?=\S)/;

/** True for a program that takes such a table. */
export function readsTable({ argv }: EffectiveCommand): boolean {
  return /^(?:f?crontab)$/.test(programName(firstValue(argv)));
}

/** The files that it takes the table from; none for its input. */
export function tableFiles(argv: readonly Word[]): readonly Word[] {
  return argv.slice(1).filter(({ leading }, at) => !/^-./.test(leading) && argv[at]?.value !== "-u");
}

/** The commands of a table, as one text for a shell. */
export function commandsOfTable(table: string): string {
  return table
    .split("\n")
    .flatMap((line) => {
      const entry = ENTRY.exec(line);
      return entry === null ? [] : [commandOf(line.slice(entry[0].length))];
    })
    .join("\n");
}

function commandOf(entry: string): string {
  const [command = "", ...input] = entry.split(/(?<!\\)%/).map((part) => part.replaceAll("\\%", "%"));
  return input.length === 0 ? command : `${command} <<< ${singleQuoted(input.join("\n"))}`;
}
