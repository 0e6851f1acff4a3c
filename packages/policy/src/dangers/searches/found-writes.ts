/**
 * What a search hands to a command that writes there: `find /dev -type b -exec dd of={} \;` overwrites every disk, and
 * `find / -exec cp /dev/null {} \;` every file.
 *
 * Whether a command writes what it is given is asked of the judges of devices: it is read once more with the name of a
 * device in the place of what is found, through whatever wrapper, shell or loop stands around it. A search that is
 * narrowed to some files may be honest work; what the tests leave is in `reach.ts`.
 */
import type { CommandAnalysis, Construct, SimpleCommand, Word } from "@pi-bash/command";
import { firstValue, programName, SHELLS } from "@pi-bash/command/internal";
import { READS_LINES } from "../../builtins.ts";
import { type Folder, targetOf } from "../../danger-paths.ts";
import type { Refusal } from "../../finding.ts";
import { block, type DangerCall, undecided, worst } from "../call.ts";
import { placed } from "../devices/device-paths.ts";
import { isDeviceField } from "../devices/devices.ts";
import { isFedBySearch } from "../removal-of-files.ts";
import type { Added } from "../values/added.ts";
import { type Field, knownText, textField } from "../values/fields.ts";
import { readFd } from "./fd-searches.ts";
import { narrowest, type Reach } from "./reach.ts";
import { readSearch } from "./searches.ts";

/** A command with a device in the place of what is found, and the answer if it writes there. */
interface FoundWrite {
  readonly text: string;
  readonly refusal: Refusal;
}

/** A device by its folder alone, so that copying it elsewhere is not writing a device. */
const FOUND = "/dev/disk/by-id/any-name";

/** Commands of one search that are read once more. */
const MAX_COMMANDS = 16;

/** What a text does that has a device in it. */
export interface TextAnswer {
  readonly writesDevice: boolean;
  /** The text was not judged. */
  readonly doubt: Refusal | undefined;
}

/** The answer to a command that writes what a search has found. */
export function judgeFound(call: DangerCall, added: Added, judge: (text: string) => TextAnswer): Refusal | undefined {
  const found = foundWrites(call, added);
  return worst(
    found.map(({ text, refusal }) => {
      const { writesDevice, doubt } = judge(text);
      return writesDevice ? refusal : doubt;
    }),
  );
}

function foundWrites(call: DangerCall, { fields, placeholder }: Added): readonly FoundWrite[] {
  if (/^g?find$/.test(call.name)) return writesOfFind(call);
  if (/^fd(?:find)?$/.test(call.name)) return writesOfFd(call);
  return fields === undefined ? writesOfLoop(call) : writesOfFed(call, fields, placeholder);
}

/** What the commands of `find -exec` may write. */
function writesOfFind(call: DangerCall): readonly FoundWrite[] {
  const { argv, actions, starts } = readSearch(call);
  const running = actions.filter(({ predicate }) => /^-(?:exec|ok)(?:dir)?$/.test(predicate)).slice(0, MAX_COMMANDS);
  const isOfFolders = FOLDERS_ONLY.test(argv.map(({ text }) => text).join(" "));
  return running.flatMap(({ at, reach }): FoundWrite[] => {
    const refusal = answerFor("`find`", reach, starts, call.folder);
    if (refusal === undefined || isOfFolders) return [];
    const words = argv.slice(at + 1, endOf(argv, at + 1));
    return [{ text: words.map(withFound).join(" "), refusal }];
  });
}

/** The same of `fd -x`, which adds what it finds where there is no placeholder. */
function writesOfFd(call: DangerCall): readonly FoundWrite[] {
  if (!call.args.some(({ value }) => /^(?:--exec|-\w*[xX])/.test(value ?? ""))) return [];
  const { commands, reach, starts, folder } = readFd(call);
  // A start itself is never found, so that what is in it counts alone.
  const refusal = answerFor("`fd`", { ...reach, start: reach.contents }, starts, folder);
  const isOfFolders = FOLDERS_ONLY.test(call.args.map(({ text }) => ` ${text}`).join(""));
  if (refusal === undefined || isOfFolders) return [];
  return commands.slice(0, MAX_COMMANDS).map((words) => {
    const texts = words.map(({ text }) => text.replaceAll(/\{[/.]{0,2}\}/g, FOUND));
    const isFilled = words.some(({ text }, at) => text !== texts[at]);
    return { text: [...texts, ...(isFilled ? [] : [FOUND])].join(" "), refusal };
  });
}

function endOf(argv: readonly Word[], from: number): number {
  const end = argv.findIndex(
    ({ value }, at) => at >= from && (value === ";" || (value === "+" && argv[at - 1]?.value === "{}")),
  );
  return end === -1 ? argv.length : end;
}

function withFound({ text }: Word): string {
  return text.replaceAll("{}", FOUND);
}

/** What it means that all that a search leaves is written; undefined where that may be honest. */
function answerFor(program: string, reach: Reach, starts: readonly Field[], folder: Folder): Refusal | undefined {
  const start = reach.devices === "yes" ? undefined : starts.find((field) => holdsDevices(field, folder));
  if (start !== undefined && reach.devices === "no") {
    return block("writes-device", `${program} that overwrites the devices in \`${knownText(start) ?? "/dev"}\``);
  }
  const main = narrowest(reach) === "no" ? overwritten(starts, folder) : undefined;
  if (main !== undefined) return main;
  return start === undefined ? undefined : undecided(`${program} that overwrites devices`);
}

/** True for a place that a search comes past devices in. */
function holdsDevices(field: Field, folder: Folder): boolean {
  const path = placed(field, folder);
  const text = knownText(path);
  return (
    text === "/" ||
    text === "/dev" ||
    isDeviceField(path, folder) ||
    isDeviceField([...path, ...textField("/x")], folder)
  );
}

/** Everything in a folder of the system; to empty all logs is daily work. */
function overwritten(starts: readonly Field[], folder: Folder): Refusal | undefined {
  for (const field of starts) {
    const { certain } = targetOf(field, folder);
    if (certain?.kind !== "main" || /^\/var\/log\b/.test(knownText(placed(field, folder)) ?? "")) continue;
    return block("remove-system", `overwriting everything in ${certain.name}`);
  }
  return undefined;
}

/** What `xargs` gives to a command. */
function writesOfFed(call: DangerCall, fed: readonly Field[], placeholder: string | undefined): readonly FoundWrite[] {
  const refusal = isFedBySearch(call) ? overwritten(fed, call.folder) : undefined;
  if (refusal === undefined || searchesAround(call).length === 0) return [];
  const words = call.args.map(({ text }) => (placeholder === undefined ? text : text.replaceAll(placeholder, FOUND)));
  return [{ text: [call.name, ...words, ...(placeholder === undefined ? [FOUND] : [])].join(" "), refusal }];
}

/** What a command in a loop does with the names that a search prints. */
function writesOfLoop(call: DangerCall): readonly FoundWrite[] {
  return call.args.flatMap((word, at): readonly FoundWrite[] => {
    const refusal = word.value === null ? variableOverwritten(word, call) : undefined;
    if (refusal === undefined) return [];
    const words = call.args.map(({ text }, index) => (index === at ? text.replace(VARIABLE, `$1${FOUND}`) : text));
    return [{ text: [call.name, ...words].join(" "), refusal }];
  });
}

/** One variable, perhaps behind a name: `"$f"`, `of=$f`. */
const VARIABLE = /^((?:\w{1,9}=)?"?)\$(?:(\w{1,99})|\{(\w{1,99})\})(?="?$)/;

/** What a variable of such a loop stands for, where that is a folder of the system. */
function variableOverwritten(word: Word, call: DangerCall): Refusal | undefined {
  const [, before = "", bare, braced] = VARIABLE.exec(word.text) ?? [];
  const name = bare ?? braced;
  if (name === undefined || !isFromSearch(name, call)) return undefined;
  const head = before.replaceAll('"', "");
  const values = call.fieldsOf(word).flatMap((field) => knownText(field)?.slice(head.length) ?? []);
  return overwritten(values.map(textField), call.folder);
}

/** True for the variable of a loop over what a search prints. */
function isFromSearch(name: string, call: DangerCall): boolean {
  const around = searchesAround(call);
  const isList = ({ text }: Construct): boolean => SEARCH.test(text.slice(0, text.search(/[;\n]\s*do\b/)));
  if (around.some((each) => each.kind === "for" && each.name === name && isList(each))) return true;
  const reads = ({ argv }: SimpleCommand): boolean =>
    READS_LINES.has(firstValue(argv)) && argv.some(({ value }) => value === name);
  return around.length > 0 && (call.line.commands.some(reads) || call.line.nestedCommands.some(reads));
}

const REPEATS: ReadonlySet<string> = new Set(["for", "while", "pipeline"]);

/** The loops and pipelines around a command that have a search for files; a file may be meant to go into each folder. */
function searchesAround({ command, line }: DangerCall): readonly Construct[] {
  const { span } = command.written;
  return line.constructs.filter(
    (each) =>
      REPEATS.has(each.kind) &&
      each.span.start <= span.start &&
      span.end <= each.span.end &&
      SEARCH.test(each.text) &&
      !FOLDERS_ONLY.test(each.text),
  );
}

const SEARCH = /(?:^|[\s;&|(`/])(?:g?find|fd|fdfind)\s/;
const FOLDERS_ONLY = /\s(?:-type|-t|--type)[\s=]{1,9}['"]?d(?:ir|irectory)?['"]?(?:\s|$)/;

/** A shell behind `xargs`. */
export interface FedShell {
  readonly simple: SimpleCommand;
  /** The shell and its words, with a device in the place of what is added. */
  readonly text: string;
}

/** The shells of a line that `xargs` starts: `find / | xargs -n1 sh -c '> "$0"'`. */
export function fedShells({ commands }: CommandAnalysis): readonly FedShell[] {
  return commands.flatMap((simple): readonly FedShell[] => {
    const programs = simple.argv.map(({ value }) => programName(value ?? ""));
    const xargs = programs.indexOf("xargs");
    const shell = programs.findIndex((name, at) => at > xargs && SHELLS.has(name));
    if (xargs === -1 || shell === -1) return [];
    const options = simple.argv.slice(xargs + 1, shell).map(({ value }) => value ?? "");
    const at = options.findIndex((word) => /^-[0prtx]*I/.test(word));
    const placeholder = at === -1 ? undefined : (/I(.+)$/.exec(options[at] ?? "")?.[1] ?? options[at + 1]);
    const words = simple.argv
      .slice(shell)
      .map(({ text }) => (placeholder ? text.replaceAll(placeholder, FOUND) : text));
    return [{ simple, text: [...words, ...(placeholder ? [] : [FOUND])].join(" ") }];
  });
}

/** The answer to a shell that writes what it is given; `fed` are the words that a program prints for it. */
export function judgeFedShell(fed: readonly Field[], feeder: string | undefined, folder: Folder): Refusal | undefined {
  return /^(?:g?find|fd|fdfind)$/.test(feeder ?? "") ? overwritten(fed, folder) : undefined;
}

/** What it means that a redirection writes to each of what a search found: `find / | while read f; do > "$f"; done`. */
export function overwrittenTarget(
  target: Word | null,
  expand: (word: Word) => readonly Field[],
  folder: Folder,
): Refusal | undefined {
  const isVariable = target !== null && target.value === null && VARIABLE.test(target.text);
  const fields = isVariable ? expand(target) : [];
  return isVariable
    ? overwritten(
        fields.filter((field) => knownText(field) !== undefined),
        folder,
      )
    : undefined;
}
