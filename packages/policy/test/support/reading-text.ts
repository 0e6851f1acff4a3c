/**
 * A reading in a few rows: what the policy takes a command line to mean before it judges it. A row for each command, with
 * what its words may be, and then the texts and the readings that are looked at beside it.
 */
import { analyzeCommand, type CommandAnalysis, type EffectiveCommand } from "@pi-bash/command";
import { assignedNames } from "../../src/assigned-names.ts";
import { type Folder, targetOf } from "../../src/danger-paths.ts";
import { LineReading } from "../../src/dangers/line-reading.ts";
import { readFind } from "../../src/dangers/searches/find-expression.ts";
import { variableTexts } from "../../src/dangers/texts/callback-texts.ts";
import { evaluatedTexts } from "../../src/dangers/texts/evaluated-texts.ts";
import { expandWord, type Field, type Part } from "../../src/dangers/values/fields.ts";
import { effectiveFolders } from "../../src/folders.ts";
import { filesOf } from "../../src/unasked/download-files.ts";
import { expandedLines } from "../../src/unasked/expanded-line.ts";
import { withGivenWords } from "../../src/unasked/given-words.ts";
import { programTexts } from "../../src/unasked/program-text.ts";
import { PLACE } from "./danger-answer.ts";

/** Values of one word that are shown. */
const MAX_VALUES = 6;
/** Characters of a text that are shown. */
const MAX_CHARS = 120;

const shortened = (text: string): string =>
  text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}… of ${text.length}`;

/** Known text as it is, in quotes where it looks like something else. */
const shownText = (text: string): string =>
  /^[\w./:=,@%+-]+$/.test(text) ? shortened(text) : JSON.stringify(shortened(text)).replaceAll("\\n", "⏎");

function shownPart(part: Part): string {
  if (part.kind === "text") return shownText(part.text);
  if (part.kind !== "unknown") return part.kind === "star" ? "*" : "?";
  const kinds = [part.mayBeAbsolute ? "any" : "relative", ...(part.mayBeEmpty ? [] : ["not empty"])];
  return `<${kinds.join(", ")}>`;
}

const shownField = (field: Field): string => (field.length === 0 ? "''" : field.map(shownPart).join(""));

function shownFields(fields: readonly Field[]): string {
  const shown = fields.slice(0, MAX_VALUES).map(shownField);
  if (fields.length === 1) return shown.join();
  return `{${shown.join(" | ")}${fields.length > MAX_VALUES ? ` | … of ${fields.length}` : ""}}`;
}

const listed = (title: string, texts: readonly string[]): readonly string[] =>
  texts.length === 0
    ? []
    : [`${title} ${texts.map((text) => `\`${shortened(text).replaceAll("\n", "⏎")}\``).join(" ")}`];

function shownFolder({ cwd, lost }: Folder): readonly string[] {
  if (lost === true) return ["somewhere"];
  return cwd === PLACE.cwd ? [] : [`in ${cwd ?? "any folder"}`];
}

/** What a word names that is protected. */
function shownTargets(fields: readonly Field[], folder: Folder): readonly string[] {
  const targets = fields.slice(0, MAX_VALUES).map((field) => targetOf(field, folder));
  const shown = targets.flatMap(({ certain, possible }) => [
    ...(certain === undefined ? [] : [`${certain.kind} ${certain.name}`]),
    ...(possible === undefined ? [] : [`perhaps ${possible.kind} ${possible.name}`]),
  ]);
  return [...new Set(shown)];
}

function shownSearch({ argv }: EffectiveCommand): readonly string[] {
  if (argv[0]?.value !== "find") return [];
  const { starts, prints, devices, actions } = readFind(argv);
  const shown = actions.map(({ predicate, at, narrowed, reach }) => {
    const { start, folders, contents } = reach;
    return `${predicate} ${at} ${[narrowed, start, folders, contents, reach.devices].join("/")}`;
  });
  return [`searches ${[starts.length, prints, devices, ...shown].join(" ")}`];
}

function shownCommand(command: EffectiveCommand, reading: LineReading): string {
  const folder = reading.folderOf(command);
  const values = reading.bindings.at(command);
  const words = command.argv.map((word) => expandWord(word, values));
  const added = reading.added(command);
  const { inside, around, exceeded } = reading.texts.of(command, () => added);
  const targets = [...words.slice(1), added.fields ?? []].flatMap((fields) => shownTargets(fields, folder));
  const fed = reading.fed(command);
  const programs = programTexts(command).map((each) =>
    each.kind === "stdin" ? "input" : `${each.kind} ${each.word.text}`,
  );
  return [
    words.map(shownFields).join(" "),
    ...shownFolder(folder),
    ...(added.fields === undefined ? [] : [`adds ${shownFields(added.fields)} at ${added.placeholder ?? "the end"}`]),
    ...(fed === undefined ? [] : [`reads ${shownFields(fed)}`]),
    ...(targets.length === 0 ? [] : [`names ${[...new Set(targets)].join(", ")}`]),
    ...shownSearch(command),
    ...listed("runs", inside),
    ...listed("runs as a whole", around),
    ...(exceeded ? ["runs more"] : []),
    ...listed("programs", programs),
    ...listed("as a download saves", filesOf(command)),
  ].join("; ");
}

function otherReadings(line: string, analysis: CommandAnalysis): readonly string[] {
  const names = assignedNames(analysis).map(({ name, by }) => `${name ?? "?"} by ${by}`);
  const held = [...variableTexts(analysis), ...evaluatedTexts(analysis)].map(({ how, text }) => `${how}: ${text}`);
  return [
    ...listed("sets", names),
    ...listed("may run", held),
    ...listed("also", expandedLines(line, analysis, PLACE)),
    ...listed("given", withGivenWords(analysis, effectiveFolders(analysis, PLACE))),
  ];
}

/** The rows of a line's reading. */
export function readingText(line: string): readonly string[] {
  const analysis = analyzeCommand(line);
  const reading = new LineReading(analysis, PLACE);
  return [...analysis.effective.map((command) => shownCommand(command, reading)), ...otherReadings(line, analysis)];
}
