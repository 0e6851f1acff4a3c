/**
 * Texts that the analysis could not read: a command whose words expand (`R=rm; sudo $R -rf /`, `bash -c "rm -rf $X"`),
 * and what a shell reads as its input (`echo 'rm -rf /' | sh`, `source <(echo x)`).
 *
 * The first kind is written out with what the line says about its variables and read once more, as if it had been
 * written so: every wrapper, shell and option is then understood as ever. What stays open becomes a variable of its own,
 * so that the judges see that it is not known.
 */
import type { EffectiveCommand, SimpleCommand, Word } from "@pi-bash/command";
import {
  firstValue,
  programName,
  readsCommands,
  SHELLS,
  type ShellLanguage,
  shellOptions,
  singleQuoted,
} from "@pi-bash/command/internal";
import { alternativesOf } from "../values/alternatives.ts";
import type { Field, Values } from "../values/fields.ts";
import { knownText } from "../values/fields.ts";
import { joined, withoutNul } from "../values/formatted-texts.ts";
import { isInputFile, longOr, type PrintedTexts } from "../values/printed-texts.ts";
import { scriptOf } from "../values/process-substitution.ts";
import { asWord, isPartlyKnown, plainText } from "../values/rendered-fields.ts";
import { readsTable, tableFiles } from "./cron-texts.ts";

/** What is known about the words of a command. */
export interface WordReader {
  readonly argv: readonly Word[];
  /** The fields of one word, what a wrapper fills in included. */
  expand(word: Word): readonly Field[];
}

/** A command written out with what is known; none where that adds nothing to what the analysis saw. */
export function completedTexts({ argv, expand }: WordReader): readonly string[] {
  const words = argv.map((word) => ({ word, fields: longOr(expand(word), word.display) }));
  const open = words.filter(({ word, fields }) => isOpen(word) && (fields.length === 0 || fields.some(isPartlyKnown)));
  // Beside a word that is known as a whole, what is open stays open; so it does in a program with words: `rm$IFS/*`.
  if (
    open.some(({ word, fields }) => isKnown(fields) || (word === argv[0] && fields.length > 1 && fields.some(isText)))
  ) {
    return writtenOut({ argv, expand });
  }
  // Elsewhere it stands inside a text, and is open where the text runs; so does a pattern.
  const isPattern = open.length === 0;
  if (isPattern && !argv.some(isPlainPattern)) return [];
  const inText = (field: Field): string => singleQuoted(plainText(field));
  return rendered(
    words.map(({ fields }) => fields),
    (field, at) => (isOpen(argv[at]) || (isPattern && isPlainPattern(argv[at])) ? inText(field) : asWord(field)),
  );
}

/** The words of a command. Settings of git that expand belong to them: what git starts may depend on their values. */
export function withSettings({ argv, assignments }: SimpleCommand): readonly Word[] {
  const [program] = argv;
  const settings = assignments.filter(({ name, value }) => name.startsWith("GIT_CONFIG_") && value !== null);
  if (program === undefined || settings.every(({ value }) => value?.value !== null)) return argv;
  const words = settings.flatMap(({ name, value, text }): readonly Word[] => {
    if (value === null) return [];
    const head = `${name}=`;
    const whole = value.value === null ? null : head + value.value;
    return [{ ...value, value: whole, text, leading: head + value.leading, display: head + value.display }];
  });
  const env = { ...program, value: "env", text: "env", leading: "env", display: "env" };
  return [env, ...words, ...argv];
}

function isKnown(fields: readonly Field[]): boolean {
  return fields.every(isText);
}

function isText(field: Field): boolean {
  return knownText(field) !== undefined;
}

/** Words as they are; what is not known of them stays open. */
export function writtenOut({ argv, expand }: WordReader): readonly string[] {
  const words = argv.map((word) => ({ word, fields: longOr(expand(word), word.display) }));
  return rendered(
    words.map(({ word, fields }) => (isUnknown(word, fields) ? word.text : fields)),
    asWord,
  );
}

/** The readings of a command's words; those that are given as text are written so. */
function rendered(
  words: readonly (string | readonly Field[])[],
  write: (field: Field, at: number) => string,
): readonly string[] {
  const each = words.map((word, at) => (typeof word === "string" ? [word] : word.map((field) => write(field, at))));
  // All fields of a word may be one: `"$*"`.
  const whole = words.flatMap((word, at) => {
    if (typeof word === "string") return [word];
    return word.length === 0 ? [] : [write(joined(word, " "), at)];
  });
  return [...new Set([...alternativesOf(each), whole].map((texts) => texts.join(" ")))];
}

/** A word that another reading may know. */
function isOpen(word: Word | undefined): boolean {
  if (word === undefined || word.value !== null) return false;
  const { variable, substitution, arithmetic, brace, tilde, input } = word.expansions;
  return variable || substitution || arithmetic || brace || tilde || input;
}

/** A word of which only the files are open that it matches. */
function isPlainPattern(word: Word | undefined): boolean {
  return word?.value === null && word.expansions.glob && !isOpen(word);
}

/** A word of which nothing is known is read again as it is written: it may be a substitution that a shell runs. */
function isUnknown(word: Word, fields: readonly Field[]): boolean {
  return word.value === null && !word.expansions.input && fields.length > 0 && !fields.some(isPartlyKnown);
}

/** The texts that a shell reads: its input, or what the file that it is given prints. */
export function inputTexts(command: EffectiveCommand, printed: PrintedTexts, values: Values): readonly Field[] {
  const files = commandFiles(command);
  if (files === undefined) return [];
  const scripts = files.flatMap((word): readonly Field[] => {
    const script = scriptOf(word.text);
    return script === undefined ? [] : (printed.ofScript(script, values) ?? []);
  });
  const readsInput = files.length === 0 || files.some(({ value }) => isInputFile(value));
  return readsInput ? [...scripts, ...(printed.input(command) ?? []).map(withoutNul)] : scripts;
}

/** The files that a shell takes commands from, none for its input; undefined for what takes none, or has them in a text. */
function commandFiles(command: EffectiveCommand): readonly Word[] | undefined {
  const { argv, unresolved } = command;
  const name = programName(firstValue(argv));
  if (name === "source" || name === ".") {
    const file = argv[argv[1]?.value === "--" ? 2 : 1];
    return file === undefined ? undefined : [file];
  }
  // It starts a shell: newgrp(1).
  if (name === "newgrp") return [];
  if (readsTable(command)) return tableFiles(argv);
  if (unresolved === undefined) return undefined;
  const language = SHELLS.get(name);
  return language === undefined ? (readsCommands(command) ? [] : undefined) : shellFiles(argv, language);
}

/** The files of a program that is a shell by its name. */
function shellFiles(argv: readonly Word[], language: ShellLanguage): readonly Word[] | undefined {
  const { index, readsText, readsInput, problem } = shellOptions(argv, language);
  const substitutions = argv.filter((word) => scriptOf(word.text) !== undefined);
  if (problem !== undefined) return substitutions;
  if (readsText) return undefined;
  const script = readsInput ? undefined : argv[index];
  return script === undefined ? substitutions : [script, ...substitutions];
}
