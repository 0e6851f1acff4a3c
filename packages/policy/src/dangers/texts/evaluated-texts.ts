/**
 * Texts in quotes that bash expands once more: subscripts and arithmetic (`let 'a[$(x)]'`, `[[ -v 'a[$(x)]' ]]`), the
 * names that builtins assign to, and the words of `compgen -W`. What variables hold is in `callback-texts.ts`.
 *
 * Source: bash(1), "Arithmetic Evaluation" and "Arrays". Whether bash gets to the text is not known here: a block in one
 * is undecided.
 */
import type { CommandAnalysis, Construct, SimpleCommand } from "@pi-bash/command";
import type { HeldText } from "./callback-texts.ts";

const SUBSTITUTION = /\$\(|`/;
/** Builtins all words of which may be names with subscripts, or arithmetic. */
const EVALUATES = /^(?:let|read|mapfile|readarray|declare|typeset|local|unset|getopts)$/;
/** Builtins that do so with the value of an option. */
const OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ["test", /^-[vR]$/],
  ["[", /^-[vR]$/],
  ["printf", /^-v/],
  ["wait", /^-p/],
  ["compgen", /^-[WC]/],
  ["complete", /^-[WC]/],
]);

/** The texts of a line. */
export function evaluatedTexts(analysis: CommandAnalysis): readonly HeldText[] {
  const commands = [...analysis.commands, ...analysis.nestedCommands];
  return [...commands.flatMap(ofCommand), ...analysis.constructs.flatMap(ofConstruct)];
}

function ofCommand(simple: SimpleCommand): readonly HeldText[] {
  const { argv, assignments } = simple;
  // `a['b[$(x)]']=1`; a value in quotes is a text that the variable holds.
  const subscripts = assignments.map(({ text }) => subscriptOf(text));
  const words = argv.map(({ value }) => value ?? "");
  const start = words.findIndex((word) => EVALUATES.test(word) || OPTIONS.has(word));
  const option = OPTIONS.get(words[start] ?? "");
  const given = start === -1 ? [] : words.slice(start + 1);
  const evaluated = given.filter(
    (word, at) => option === undefined || option.test(word) || option.test(given[at - 1] ?? ""),
  );
  const texts = [...subscripts, ...evaluated]
    .filter((text) => SUBSTITUTION.test(text))
    .map((text) => held(text, simple));
  return [...texts, ...completions(words[start], given, simple)];
}

/** `compgen -C text`: the text is a command. */
function completions(name: string | undefined, given: readonly string[], simple: SimpleCommand): readonly HeldText[] {
  if (name !== "compgen" && name !== "complete") return [];
  const commands = given.flatMap((word, at) => {
    if (/^-[a-zA-Z]*C$/.test(word)) return given[at + 1] ?? [];
    return /^-[a-zA-Z]*C(.+)$/s.exec(word)?.[1] ?? [];
  });
  return commands.map((text) => ({ how: `what \`${name} -C\` is given runs`, text, simple }));
}

/** The source of what stands between a name and `=`, where quotes hide a part of it. */
function subscriptOf(assignment: string): string {
  const [, subscript = ""] = /^\w+\[(.*?)\]\+?=/s.exec(assignment) ?? [];
  return isHidden(subscript) ? subscript : "";
}

function ofConstruct(construct: Construct): readonly HeldText[] {
  const { kind, text, span, context } = construct;
  const evaluates =
    kind === "arithmetic" ||
    (kind === "test" && construct.evaluates) ||
    (kind === "parameter" && construct.acts !== "none");
  if (!evaluates || !SUBSTITUTION.test(text) || !isHidden(text)) return [];
  return [held(text, { argv: [], assignments: [], redirections: [], context, span })];
}

/** A substitution without quotes is a command of the line, and is judged as that. */
function isHidden(source: string): boolean {
  return /['\\]/.test(source);
}

/** As one word in double quotes; quotes inside a substitution do not matter to what is looked for. */
function held(text: string, simple: SimpleCommand): HeldText {
  return {
    how: "bash may expand a text in quotes",
    text: `: "${text.replaceAll(/["']|\\(?=[$`])/g, "")}"`,
    simple,
  };
}
