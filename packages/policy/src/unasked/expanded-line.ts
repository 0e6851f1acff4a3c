/**
 * A line once more, with what its words may be in their place: `X=/etc; tee $X/a` reads as `X=/etc; tee '/etc/a'`.
 *
 * A word that begins with something unknown stays as it is.
 */
import type { CommandAnalysis, CommandContext, EffectiveCommand, Span, Word } from "@pi-bash/command";
import type { PathContext } from "../danger-paths.ts";
import { LineReading } from "../dangers/line-reading.ts";
import { expandWord, type Field, textField } from "../dangers/values/fields.ts";
import { asWord } from "../dangers/values/rendered-fields.ts";
import { ownVariable } from "../dangers/values/shell-variables.ts";
import { loopValues } from "./listed-values.ts";

/** Longest line that is read, and that is made, in UTF-16 units. */
const MAX_CHARS = 64 * 1024;

/** Readings of one line: with all that a word may become, and with one of it at a time. */
const MAX_TURNS = 16;

/** The readings of a line with its words expanded; none where nothing of it changes. `env` has what the call sets. */
export function expandedLines(
  line: string,
  analysis: CommandAnalysis,
  context: PathContext,
  env: Readonly<Record<string, string>> = {},
): readonly string[] {
  const expanding = wordsOfLine(line, analysis);
  if (line.length > MAX_CHARS || expanding.length === 0) return [];
  const outer = (name: string): readonly Field[] => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    return value === undefined ? ownVariable(name) : [textField(value)];
  };
  const { bindings } = new LineReading(analysis, context, outer);
  const words = expanding.flatMap(({ word, command, context: around }): readonly Expanded[] => {
    const fields = expandWord(word, bindings.use({ command, start: word.span.start, context: around }));
    const texts = fields.filter(beginsKnown).map(asWord);
    return texts.length === 0 ? [] : [{ span: word.span, texts }];
  });
  const most = Math.min(MAX_TURNS, Math.max(0, ...words.map(({ texts }) => texts.length)));
  const turns = Array.from({ length: most }, (_, turn) =>
    replaced(line, words, (texts) => texts[Math.min(turn, texts.length - 1)] ?? ""),
  );
  const whole = replaced(line, words, (texts) => texts.join(" "));
  const readings = [...turns, whole, ...withListed(line, analysis)];
  return [...new Set(readings)].filter((text) => text !== line && text.length <= MAX_CHARS);
}

/** The line with what a loop goes through in the place of its variable: `for f in $(find /etc -name x)`. */
function withListed(line: string, analysis: CommandAnalysis): readonly string[] {
  return loopValues(analysis).map(({ name, value }) =>
    line.replaceAll(new RegExp(String.raw`\$(?:\{${name}\}|${name}\b)`, "g"), () => value),
  );
}

interface Expanded {
  readonly span: Span;
  readonly texts: readonly string[];
}

function replaced(line: string, words: readonly Expanded[], chosen: (texts: readonly string[]) => string): string {
  let text = "";
  let from = 0;
  for (const { span, texts } of words) {
    if (span.start < from) continue;
    text += line.slice(from, span.start) + chosen(texts);
    from = span.end;
  }
  return text + line.slice(from);
}

interface Placed {
  readonly word: Word;
  readonly command: EffectiveCommand | undefined;
  readonly context: CommandContext;
}

/** The words that expand, from left to right, as far as they stand in the line itself. */
function wordsOfLine(line: string, analysis: CommandAnalysis): readonly Placed[] {
  const effective = new Map(analysis.effective.map((command) => [command.simple, command]));
  const ofCommands = [...analysis.commands, ...analysis.nestedCommands].flatMap((simple) => {
    const words = [...simple.argv, ...simple.redirections.flatMap(({ target }) => target ?? [])];
    const command = effective.get(simple);
    return words.map((word): Placed => ({ word, command, context: simple.context }));
  });
  const ofBlocks = analysis.constructs.flatMap(({ context, ...construct }): readonly Placed[] => {
    const word = construct.kind === "redirection" ? construct.redirection.target : null;
    return word === null ? [] : [{ word, command: undefined, context }];
  });
  return [...ofCommands, ...ofBlocks]
    .filter(({ word: { span, text } }) => /[$`]/.test(text) && line.slice(span.start, span.end) === text)
    .toSorted((one, other) => one.word.span.start - other.word.span.start);
}

/** What it begins with says what it names: `/etc/$x` is below `/etc`. */
function beginsKnown([first]: Field): boolean {
  return first !== undefined && first.kind !== "unknown";
}
