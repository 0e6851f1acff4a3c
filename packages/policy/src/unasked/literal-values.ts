/**
 * Other readings of a command line: variables whose value stands in the line are replaced by it.
 *
 * `d=/etc; cd $d; > x` is read as `d=/etc; cd /etc; > x` as well. Only values without any meaning for the shell are
 * followed, and only as text: what a loop or a branch makes of them is not known here, so the last one written counts,
 * and each word of a `for` gives a reading of its own.
 */
import type { CommandAnalysis, SimpleCommand, Span, Word } from "@pi-bash/command";

/** Text that is the same for the shell wherever it stands unquoted, blanks aside. */
const PLAIN_VALUE = /^[\w./:@%+=,~ -]*$/;
/** Readings of one line, one for each word of its loops. */
const MAX_READINGS = 16;
/** Longest line that is read again, in UTF-16 units. */
const MAX_CHARS = 16 * 1024;

/** The text with known variables replaced, once for each word that a loop goes through; empty where nothing changes. */
export function withLiteralValues(
  command: string,
  analysis: CommandAnalysis,
  env: Readonly<Record<string, string>> = {},
): string[] {
  if (command.length > MAX_CHARS || !command.includes("$")) return [];
  const loops = loopsOf(analysis);
  const count = Math.min(MAX_READINGS, Math.max(1, ...loops.map(({ words }) => words.length)));
  const readings = Array.from({ length: count }, (_, turn) => replaceAll(command, analysis, loops, { env, turn }));
  return [...new Set(readings)].filter((text) => text !== command);
}

interface Loop {
  readonly name: string;
  readonly start: number;
  readonly words: readonly string[];
}

/** Each `for` with the words it goes through: the list is the first that stands in it. */
function loopsOf({ constructs }: CommandAnalysis): Loop[] {
  return constructs.flatMap((loop): Loop[] => {
    if (loop.kind !== "for") return [];
    const list = constructs.find((each) => each.kind === "word-list" && contains(loop.span, each.span));
    const words = list?.kind === "word-list" ? list.words.flatMap(({ value }) => plain(value)) : [];
    return [{ name: loop.name, start: loop.span.start, words }];
  });
}

function plain(value: string | null | undefined): string[] {
  return value !== null && value !== undefined && PLAIN_VALUE.test(value) ? [value] : [];
}

function contains(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

/** What stands in the line, from left to right: a word to be read, or a name that has a value from here on. */
type Step = { readonly at: number } & (
  | { readonly word: Word }
  | { readonly name: string; readonly value: Word | string | null }
);

function replaceAll(
  command: string,
  analysis: CommandAnalysis,
  loops: readonly Loop[],
  { env, turn }: { env: Readonly<Record<string, string>>; turn: number },
): string {
  const values = new Map(Object.entries(env).filter(([, value]) => PLAIN_VALUE.test(value)));
  const steps = stepsOf(analysis, loops, turn).sort((one, other) => one.at - other.at);
  let text = "";
  let from = 0;
  for (const step of steps) {
    if ("word" in step) {
      const { span, text: source } = step.word;
      if (span.start < from || command.slice(span.start, span.end) !== source) continue;
      text += command.slice(from, span.start) + replaced(source, values);
      from = span.end;
    } else {
      assign(values, step.name, typeof step.value === "string" ? step.value : knownValue(step.value, values));
    }
  }
  return text + command.slice(from);
}

function assign(values: Map<string, string>, name: string, value: string | undefined): void {
  if (value !== undefined && PLAIN_VALUE.test(value)) values.set(name, value);
  else values.delete(name);
}

/** The value of an assigned word with what is known so far in it. */
function knownValue(word: Word | null, values: ReadonlyMap<string, string>): string | undefined {
  if (word === null) return "";
  if (word.value !== null) return word.value;
  const { substitution, process, arithmetic, glob, brace, locale } = word.expansions;
  if (substitution || process || arithmetic || glob || brace || locale) return undefined;
  const text = replaced(word.display, values);
  return text.includes("$") ? undefined : text;
}

function stepsOf(analysis: CommandAnalysis, loops: readonly Loop[], turn: number): Step[] {
  const turns = loops.flatMap(({ name, start, words }): Step[] => {
    const value = words[Math.min(turn, words.length - 1)];
    return value === undefined ? [] : [{ at: start, name, value }];
  });
  const redirected = analysis.constructs.flatMap((each) =>
    each.kind === "redirection" ? read(each.redirection.target) : [],
  );
  return [...turns, ...redirected, ...analysis.commands.flatMap(commandSteps)];
}

function read(word: Word | null): Step[] {
  return word?.expansions.variable === true ? [{ at: word.span.start, word }] : [];
}

function commandSteps({ assignments, argv, redirections }: SimpleCommand): Step[] {
  const declares = /^(?:export|declare|typeset|local|readonly)$/.test(argv[0]?.value ?? "");
  return [
    ...assignments.map(({ name, value, span }): Step => ({ at: span.start, name, value })),
    ...(declares ? argv.slice(1).flatMap(declared) : []),
    ...[...argv, ...redirections.map(({ target }) => target)].flatMap(read),
  ];
}

/** `NAME=value` as an argument. */
function declared({ value, span }: Word): Step[] {
  const [, name, given] = /^(\w+)=([\s\S]*)$/.exec(value ?? "") ?? [];
  return name === undefined || given === undefined ? [] : [{ at: span.start, name, value: given }];
}

/** `$x` and `${x}` outside single quotes, replaced where the value is known. */
function replaced(source: string, values: ReadonlyMap<string, string>): string {
  let isDouble = false;
  return source.replaceAll(
    /\\[\s\S]|"|'[^']*'|\$(?:\{(\w+)\}|([A-Za-z_]\w*))/g,
    (token, braced: string | undefined, bare: string | undefined, at: number) => {
      if (token === '"') isDouble = !isDouble;
      if (token.startsWith("'") && isDouble) {
        // Inside double quotes a single one is a character: what follows it is read all the same.
        return `'${replaced(`"${source.slice(at + 1, at + token.length)}`, values).slice(1)}`;
      }
      const name = braced ?? bare;
      return name === undefined ? token : (values.get(name) ?? token);
    },
  );
}
