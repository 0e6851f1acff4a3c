/**
 * Texts for a shell that expand or come through a pipe: `bash -c "rm -rf $X"`, `env -S 'rm -rf /'`, `echo 'rm -rf /' | sh`.
 *
 * They are completed with what the line says about their variables; what stays open becomes a variable of its own, so
 * that the judges see that it is not known.
 */
import type { EffectiveCommand, Span, Word } from "@pi-bash/command";
import { programName } from "@pi-bash/command/internal";
import { type Field, MAX_FIELDS, type Part } from "./fields.ts";

const SHELL = /^(?:bash|sh|dash|zsh|ksh|ash|rbash)$/;
/** A variable that no line sets. */
const OPEN = "${unknown_to_policy}";
/** Texts of one command that are judged. */
const MAX_TEXTS = 4;
/** Longest text that is judged, in UTF-16 units. */
const MAX_TEXT_CHARS = 4_096;

/** The texts that a command gives to a shell, as far as they are known. */
export function renderedTexts(
  command: EffectiveCommand,
  expand: (word: Word) => readonly Field[],
  feeding: () => readonly Field[] | undefined,
): readonly string[] {
  const name = programName(command.argv[0]?.value ?? "");
  const texts = name === "env" ? splitStrings(command.argv, expand) : shellTexts(name, command, expand, feeding);
  return texts.filter((text) => text.length <= MAX_TEXT_CHARS && !/^\s*$/.test(text)).slice(0, MAX_TEXTS);
}

/** Programs that join their words to a text for a shell. */
const JOINERS = /^(?:ssh|watch)$/;

/** Programs that have a shell run the text behind an option with `c`. */
const TAKES_TEXT = /^(?:su|runuser|flock|script)$/;

function shellTexts(
  name: string,
  command: EffectiveCommand,
  expand: (word: Word) => readonly Field[],
  feeding: () => readonly Field[] | undefined,
): string[] {
  if (command.unresolved === undefined) return [];
  const { argv } = command;
  const joined = (words: readonly Word[]) => words.map((word) => rendered(expand(word)).join(" ")).join(" ");
  if (name === "eval") return [joined(argv.slice(1))];
  // Behind the wrapper's own options.
  if (JOINERS.test(command.via.at(-1) ?? "")) return [joined(argv)];
  if (!SHELL.test(name) && !TAKES_TEXT.test(name)) return [];
  const at = argv.findIndex((word) => /^-[A-Za-z]*c[A-Za-z]*$/.test(word.value ?? ""));
  const text = argv.find((word, index) => index > at && !/^[-+]/.test(word.value ?? "x"));
  if (at !== -1) return text === undefined ? [] : asTexts(expand(text));
  const here = command.simple.redirections.find(({ operator }) => operator === "<<<")?.target;
  if (here != null) return asTexts(expand(here));
  const fed = feeding();
  return fed === undefined ? [] : [rendered(fed).join(" ")];
}

/** `env -S text`, `-Stext` and `--split-string=text`. */
function splitStrings(argv: readonly Word[], expand: (word: Word) => readonly Field[]): string[] {
  return argv.flatMap((word, at): string[] => {
    const text = word.value ?? word.leading;
    const attached = /^(?:-[A-Za-z0]*S|--split-string=)(?=.)/.exec(text)?.[0];
    const rest = argv.slice(at + (attached === undefined ? 2 : 1));
    const tail = rest.map((each) => rendered(expand(each)).join(" ")).join(" ");
    if (attached !== undefined) return rendered(expand(word)).map((each) => `${each.slice(attached.length)} ${tail}`);
    const value = argv[at + 1];
    if (!/^(?:-[A-Za-z0]*S|--split-string)$/.test(text) || value === undefined) return [];
    return rendered(expand(value)).map((each) => `${each} ${tail}`);
  });
}

/** What a quoted substitution prints is one text, and each of several values is one. */
function asTexts(fields: readonly Field[]): string[] {
  const each = rendered(fields);
  return each.length > 1 ? [each.join(" "), ...each] : each;
}

function rendered(fields: readonly Field[]): string[] {
  return fields.slice(0, MAX_FIELDS).map((field) => field.map(renderedPart).join(""));
}

function renderedPart(part: Part): string {
  if (part.kind === "text") return part.text;
  if (part.kind !== "unknown") return part.kind === "star" ? "*" : "?";
  return part.mayBeAbsolute ? OPEN : "any-name";
}

/** A word of known text. */
export function literalText(value: string, span: Span): Word {
  const none = {
    variable: false,
    substitution: false,
    process: false,
    arithmetic: false,
    glob: false,
    brace: false,
    tilde: false,
    locale: false,
    input: false,
  };
  return { value, text: value, display: value, leading: value, splits: false, quoted: false, expansions: none, span };
}
