/**
 * The places of a line that give a variable a number: `((x=1))`, `$((x++))`, `let`, `for ((…))`, and the variables that
 * are declared as integers.
 */
import type { CommandAnalysis, Construct, Word } from "@pi-bash/command";
import { GIVES_ATTRIBUTES } from "../../builtins.ts";
import { assignedFields, assignedIn, countedFields, countedLoop } from "./computed-values.ts";
import type { Field, Values } from "./fields.ts";
import type { Source, Surroundings } from "./source.ts";

type ArithmeticConstruct = Extract<Construct, { readonly kind: "arithmetic" }>;

/** The variables that arithmetic of a line sets; `runs` says that it surely runs before what is behind it. */
export function fromArithmetic(
  construct: ArithmeticConstruct,
  runs: boolean,
  bindings: Surroundings,
): (readonly [string, Source])[] {
  if (construct.literal) return [];
  const { span, context, text } = construct;
  // What it is made of was there before.
  const values = (): Values => bindings.use({ command: undefined, start: span.start - 1, context });
  const header = countedLoop(text);
  if (header !== undefined) {
    return assignedIn(header.join(";")).map((name) => [
      name,
      { start: span.start, within: span, always: false, values: () => countedFields(header, name, values()) },
    ]);
  }
  const expression = expressionIn(text);
  // Behind one of these it may not be computed.
  const first = assignedIn(expression.split(/&&|\|\||[?(]/, 1).join(""));
  return assignedIn(expression).map((name) => {
    const always = runs && first.includes(name);
    return [name, { start: span.start, always, values: () => assignedFields(expression, name, values()) }];
  });
}

/** What stands between `((` and `))`. */
function expressionIn(text: string): string {
  const start = /^\$?\(\(|^\$\[/.exec(text)?.[0] ?? "";
  return text.slice(start.length, start === "" ? undefined : start === "$[" ? -1 : -2);
}

/** The variables that the words of `let` set. */
export function fromLet(
  words: readonly Word[],
  values: () => Values,
): (readonly [name: string, values: () => readonly Field[]])[] {
  const texts = words.map(({ value, display }) => value ?? display);
  return texts.flatMap((text) =>
    assignedIn(text).map((name) => [name, () => assignedFields(text, name, values())] as const),
  );
}

/** The names that a line declares as integers. */
export function integerNames({ effective }: CommandAnalysis): ReadonlySet<string> {
  const declared = effective.flatMap(({ argv: [program, ...words] }) => {
    const isInteger =
      GIVES_ATTRIBUTES.has(program?.value ?? "") && words.some(({ value }) => /^-[a-zA-Z]*i/.test(value ?? ""));
    return isInteger ? words.flatMap(({ text }) => /^[A-Za-z_]\w*/.exec(text)?.[0] ?? []) : [];
  });
  return new Set(declared);
}
