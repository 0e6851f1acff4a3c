/**
 * The texts of one line that are read once more: commands completed with what is known, and what shells read.
 *
 * Words and texts are worked out by different means: to `rm` each word that a command prints is a path, and to a shell
 * its whole output is one text. So the variables have values of their own here.
 */
import type { CommandAnalysis, EffectiveCommand, Word } from "@pi-bash/command";
import { firstValue, isBeyondLimits, programName, readsCode, singleQuoted } from "@pi-bash/command/internal";
import type { Folder } from "../../danger-paths.ts";
import { type Added, filledIn, isFilled } from "../values/added.ts";
import { type BindingPlace, Bindings, type Printing } from "../values/bindings.ts";
import { expandWord, type Field, knownText, textField, UNKNOWN, type Values } from "../values/fields.ts";
import { withoutNul } from "../values/formatted-texts.ts";
import { PrintedTexts } from "../values/printed-texts.ts";
import { plainText } from "../values/rendered-fields.ts";
import type { Use } from "../values/source.ts";
import { callbackTexts } from "./callback-texts.ts";
import { commandsOfTable, readsTable } from "./cron-texts.ts";
import { parallelTexts } from "./parallel-texts.ts";
import { searchTexts } from "./search-texts.ts";
import { completedTexts, inputTexts, withSettings } from "./shell-texts.ts";
import { isOwnShell, ownShellTexts } from "./unknown-programs.ts";

/** What a command gives to shells. */
export interface GivenTexts {
  /** Texts that run in the place of the command. */
  readonly inside: readonly string[];
  /** Texts that have the command's wrappers in them. */
  readonly around: readonly string[];
  /** Some of it was not looked at. */
  readonly exceeded: boolean;
}

/** The texts of one line. */
export class LineTexts {
  readonly #bindings: Bindings;
  readonly #printed: PrintedTexts;
  readonly #words: Printing;
  readonly #effective: readonly EffectiveCommand[];
  readonly #seen = new Set<string>();
  #folders: ((command: EffectiveCommand) => Folder) | undefined;
  #exceeded = false;

  constructor(analysis: CommandAnalysis, place: BindingPlace, words: Printing) {
    this.#bindings = new Bindings(analysis, place, this.#printing(words));
    this.#words = words;
    this.#effective = analysis.effective;
    this.#printed = new PrintedTexts(analysis, (command) => this.valuesAt(command));
  }

  /** Says where commands run: see `Bindings`. */
  follow(folders: (command: EffectiveCommand) => Folder): void {
    this.#bindings.follow(folders);
    this.#folders = folders;
  }

  /** What words mean in a command. */
  valuesAt(command: EffectiveCommand): Values {
    return this.#bindings.at(command);
  }

  /** What words mean in a place. */
  valuesIn(use: Use): Values {
    return this.#bindings.use(use);
  }

  /** The texts that a command runs in the shell itself, with what is known. */
  inShell(command: EffectiveCommand): readonly string[] {
    const values = this.valuesAt(command);
    const completed = completedTexts({ argv: command.argv, expand: (word) => expandWord(word, values) });
    return [...inputTexts(command, this.#printed, values).map(plainText), ...completed];
  }

  /** The texts of a command; what `xargs` adds is asked for where it matters. */
  of(command: EffectiveCommand, added: () => Added): GivenTexts {
    const given = isUnderstood(command) ? {} : added();
    const isNew = (text: string): boolean => /\S/.test(text) && this.#isNew(text, command);
    const read = inputTexts(command, this.#printed, this.valuesAt(command)).map(plainText);
    const reads = readsTable(command) ? read.map(commandsOfTable) : read;
    const completed = isUnderstood(command) ? [] : this.#completed(command, given);
    const isInside = isBehindXargs(command, given);
    const inside = [...reads, ...this.#code(command), ...(isInside ? completed : [])].filter(isNew);
    const around = isInside ? [] : completed.filter(isNew);
    const exceeded = isBeyondLimits(command) || (this.#printed.exceeded && !this.#exceeded);
    this.#exceeded ||= exceeded;
    return { inside, around, exceeded };
  }

  /** Several commands, or several readings of one, may come to the same text; variables in it count where it stands. */
  #isNew(text: string, command: EffectiveCommand): boolean {
    const { cwd = "", lost = false } = this.#folders?.(command) ?? {};
    const place = /[$`]/.test(text) ? command.written.span.start : "";
    const key = [place, lost, cwd, text].join(" ");
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #completed(command: EffectiveCommand, added: Added): readonly string[] {
    const given = this.#linesFor(command, added);
    const values = this.valuesAt(command);
    const expand = (word: Word): readonly Field[] => {
      if (word === command.appended) return given.fields ?? [[UNKNOWN]];
      return isFilled(word, given) ? filledIn(word, given) : expandWord(word, values);
    };
    // Behind `xargs` the command is read with what that adds, elsewhere as it is written.
    const { appended } = command;
    const isAdded = isBehindXargs(command, added);
    const inner = appended === undefined ? command.argv : [...command.argv, appended];
    const argv = isAdded || isSplit(command) ? inner : withSettings(command.simple);
    const reads = isAdded ? "" : this.#redirected(command);
    const texts = [
      ...completedTexts({ argv, expand }),
      ...ownShellTexts({ argv, expand }),
      ...searchTexts(command, this.#besideOf(command), expand),
      ...callbackTexts(command, expand, () => this.#items(command)),
      ...parallelTexts(command, expand, () => this.#items(command)),
    ];
    return texts.map((text) => text + reads);
  }

  /** A program that reads code, with what is known of its input, as if that stood in the line. */
  #code(command: EffectiveCommand): readonly string[] {
    const { argv, unresolved, simple } = command;
    if (unresolved !== undefined || !readsCode(programName(firstValue(argv)), argv)) return [];
    // What stands in the line was read by the analysis.
    if (simple.redirections.some(({ operator, body }) => operator === "<<<" || body !== undefined)) return [];
    const texts = this.#printed.input(command) ?? [];
    const call = argv.map(({ text }) => text).join(" ");
    return texts.map((text) => `${call} <<< ${singleQuoted(plainText(withoutNul(text)))}`);
  }

  /** What came of the same simple command: of `find -exec` the `find`. */
  #besideOf({ written, via }: EffectiveCommand): readonly EffectiveCommand[] {
    return via.length === 0 ? [] : this.#effective.filter((each) => each.written === written);
  }

  /** With a placeholder `xargs` puts a whole line in its place; without, quotes keep the words of one together. */
  #linesFor(command: EffectiveCommand, added: Added): Added {
    if (added.fields === undefined) return added;
    const lines = this.#printed.input(command)?.flatMap(linesOf) ?? [];
    const isByLine = /^[\n\0]?$/.test(added.separator ?? "");
    if (added.placeholder !== undefined) return lines.length > 0 && isByLine ? { ...added, fields: lines } : added;
    const quoted = lines.flatMap((line) => knownText(line) ?? []).filter((line) => /["']/.test(line));
    return { fields: [...added.fields, ...quoted.map((line) => textField(line.replaceAll(/["']/g, "")))] };
  }

  #items(command: EffectiveCommand): readonly Field[] {
    const lines = this.#printed.input(command)?.flatMap(linesOf);
    return lines ?? this.#words.feeding(command, (each) => this.valuesAt(each)) ?? [[UNKNOWN]];
  }

  /** What the command reads, as a redirection. */
  #redirected(command: EffectiveCommand): string {
    if (!this.#printed.hasInput(command)) return "";
    const texts = this.#printed.input(command);
    return texts === undefined
      ? " < unknown_to_policy"
      : ` <<< ${singleQuoted(texts.map(withoutNul).map(plainText).join("\n"))}`;
  }

  /** The texts of outputs; of what has none, such as the folder that `mktemp` makes, its words. */
  #printing(words: Printing): Printing {
    return {
      ofScript: (script, values) => this.#printed.ofScript(script, values) ?? words.ofScript(script, values),
      feeding: (command, at) =>
        this.#printed.input(command)?.flatMap((text) => [...linesOf(text), ...wordsOf(text)]) ??
        words.feeding(command, at),
    };
  }
}

/** True for a command that is read with what `xargs` adds, without its wrappers. */
function isBehindXargs({ via }: EffectiveCommand, { fields }: Added): boolean {
  return fields !== undefined && via.includes("xargs");
}

/** True for a command whose words expand though none of the line does: `env -S '${X} -rf /'`. */
function isSplit({ argv, simple }: EffectiveCommand): boolean {
  return argv.some(({ expansions }) => expansions.variable) && simple.argv.every(({ value }) => value !== null);
}

/** True where the words say all: an option of a search that expands may be an action. */
function isUnderstood({ argv, unresolved }: EffectiveCommand): boolean {
  const [program] = argv;
  if (unresolved !== undefined || program?.value == null) return false;
  return !SEARCHES.test(programName(program.value)) && !isOwnShell(program);
}

const SEARCHES = /^(?:g?find|fd|fdfind)$/;

/** The lines of a text, also those of `xargs -0`; one of which not all is known is taken as a whole. */
function linesOf(text: Field): readonly Field[] {
  return pieces(text, /[\n\0]/);
}

function wordsOf(text: Field): readonly Field[] {
  return pieces(text, /[\s\0]+/);
}

function pieces(text: Field, between: RegExp): readonly Field[] {
  const known = knownText(text);
  if (known === undefined) return [text];
  return known
    .split(between)
    .filter((piece) => piece !== "")
    .map(textField);
}
