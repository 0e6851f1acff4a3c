/**
 * Removing files one by one until a folder of the system is empty: `find / | while read f; do rm "$f"; done`, and
 * `rm /usr/bin/*`. Without `-r` a folder stays where it is, so what counts is where the names come from.
 */
import { type Folder, namesSystemFiles, targetOf } from "../danger-paths.ts";
import type { Refusal } from "../finding.ts";
import { type DangerCall, type DangerJudge, leadingText, worst } from "./call.ts";
import { judgeWholeDevice } from "./devices/disk-programs.ts";
import { readGivenOptions } from "./given-options.ts";
import { removal } from "./targets.ts";
import { type Field, knownText } from "./values/fields.ts";

/** The judges of programs that remove or empty files alone. */
export const FILE_REMOVAL_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ["unlink", judgeFiles],
  ["truncate", judgeFiles],
  ["gtruncate", judgeFiles],
  ...["shred", "gshred"].map((name): [string, DangerJudge] => [
    name,
    (call) => worst([judgeWholeDevice(call), judgeFiles(call)]),
  ]),
];

/** True where the words come from a search, one by one, so that no option is needed. */
export function isFedBySearch({ feeder = "" }: DangerCall): boolean {
  return /^(?:g?find|fd|fdfind)$/.test(feeder);
}

function judgeFiles(call: DangerCall): Refusal | undefined {
  if (!isFedBySearch(call)) return removesFiles(call);
  const { operands } = readGivenOptions(call, { valued: "nsr", longValued: "iterations size random-source reference" });
  const emptied = operands.filter((field) => !emptiesLogs(call.name, field));
  return worst(emptied.map((field) => removal(`\`${call.name}\``, field, targetOf(field, call.folder))));
}

/** To empty all logs is daily work. */
function emptiesLogs(program: string, field: Field): boolean {
  return /^g?truncate$/.test(program) && /^\/var\/log\b/.test(leadingText(field));
}

/** The output of a search as words: `$(find /usr -type f)`. */
const SEARCH_OUTPUT = /(?:\$\(|`)\s{0,9}(?:sudo\s{1,9})?(?:g?find|fd|fdfind)\s/;
/** One variable: what a loop goes through. */
const VARIABLE = /^"?\$(?:\w+|\{\w+\})"?$/;

/** What a program does that removes the files it is given, and no folders. */
export function removesFiles(call: DangerCall): Refusal | undefined {
  const { args, fieldsOf, name } = call;
  return worst(
    args.flatMap((word) => {
      if (word.value !== null) return [];
      const isOutput = SEARCH_OUTPUT.test(word.text);
      const isOfLoop = call.command.simple.context.loop && VARIABLE.test(word.text);
      return fieldsOf(word)
        .filter((field) => !emptiesLogs(name, field) && standsForFiles(field, call.folder, { isOutput, isOfLoop }))
        .map((field) => removal(`\`${name}\` of all files`, field, targetOf(field, call.folder)));
    }),
  );
}

interface Origin {
  readonly isOutput: boolean;
  readonly isOfLoop: boolean;
}

/** A folder that a search began in stands for the files below it; a pattern may match all that the system starts. */
function standsForFiles(field: Field, folder: Folder, { isOutput, isOfLoop }: Origin): boolean {
  if (knownText(field) === undefined) return namesSystemFiles(field, folder);
  return isOutput || (isOfLoop && targetOf(field, folder).certain?.kind === "main");
}
