/**
 * Numbers that a line computes, as fields: `$((…))`, and what `let`, `((…))`, `for ((…))` and `declare -i` assign.
 *
 * A number that is not known is still one: neither empty nor an absolute path.
 */
import { compute, type NameReader } from "./arithmetic.ts";
import { expandText, type Field, knownText, textField, UNKNOWN_RELATIVE, type Values } from "./fields.ts";

/** Values of one name that an expression is computed for. */
const MAX_READINGS = 16;
/** Rounds of a counted loop that are followed. */
const MAX_ROUNDS = 64;
/** What a number does by itself: to `kill`, and to `init`. */
const TELLING = new Set([-1n, 0n, 1n, 6n]);

/** What an expression comes to, for each value of the names in it. */
export function computedFields(expression: string, values: Values): readonly Field[] {
  return numberFields(
    sourcesOf(expression, values).flatMap((source) => readings(values, (read) => compute(source, read))),
  );
}

/** The values that a name gets from an expression, which may assign several. */
export function assignedFields(expression: string, name: string, values: Values): readonly Field[] {
  const found = sourcesOf(expression, values).flatMap((source) =>
    readings(values, (read) => {
      const assigned = new Map<string, bigint | undefined>();
      compute(source, read, assigned);
      return assigned.get(name);
    }),
  );
  return numberFields(found);
}

/** An expression is expanded as in double quotes before it is computed; what is not known of it is not a number. */
function sourcesOf(expression: string, values: Values): readonly string[] {
  if (!/[$`]/.test(expression)) return [expression];
  const source = /[$`]\(/.test(expression) ? expression : expression.replaceAll('"', "");
  return expandText(`"${source}"`, values).map((field) => knownText(field) ?? "?");
}

/** The header of `for ((…;…;…))`; undefined for other texts. */
export function countedLoop(text: string): readonly string[] | undefined {
  const start = /^for\s*\(\(/.exec(text)?.[0].length;
  if (start === undefined) return undefined;
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "(") depth++;
    else if (text[at] === ")" && depth-- === 0) return text.slice(start, at).split(";");
  }
  return undefined;
}

/** The values of a name in the rounds of a counted loop: the first, and those that mean something by themselves. */
export function countedFields(
  [start = "", test = "", step = ""]: readonly string[],
  name: string,
  values: Values,
): readonly Field[] {
  const [found = []] = readings(values, (read) => rounds({ start, test, step }, name, read));
  const [first] = found;
  return numberFields(
    found.map((value, at) =>
      at === 0 || value === first || (value !== undefined && TELLING.has(value)) ? value : undefined,
    ),
  );
}

function rounds(
  { start, test, step }: { readonly start: string; readonly test: string; readonly step: string },
  name: string,
  read: NameReader,
): readonly (bigint | undefined)[] {
  const assigned = new Map<string, bigint | undefined>();
  const found: (bigint | undefined)[] = [];
  compute(start, read, assigned);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    found.push(assigned.get(name));
    const goesOn = test.trim() === "" ? 1n : compute(test, read, assigned);
    if (goesOn === 0n) return found;
    if (goesOn === undefined) break;
    compute(step, read, assigned);
  }
  return [...found, undefined];
}

/** Names that an expression assigns to. */
export function assignedIn(expression: string): readonly string[] {
  const name = "([A-Za-z_]\\w*)";
  const matches = expression.matchAll(
    new RegExp(`${name}(?:\\[[^\\]]*\\])?\\s*(?:(?:[-+*/%&^|]|<<|>>)?=(?!=)|\\+\\+|--)|(?:\\+\\+|--)\\s*${name}`, "g"),
  );
  return [...new Set([...matches].flatMap((match) => match[1] ?? match[2] ?? []))];
}

/** What is computed with the first value of each name, with the second, and so on. */
function readings<T>(values: Values, computeWith: (read: NameReader) => T): readonly T[] {
  let most = 1;
  const known = new Map<string, readonly Field[]>();
  const readAt =
    (turn: number): NameReader =>
    (name) => {
      const fields = known.get(name) ?? values.variable(name);
      known.set(name, fields);
      most = Math.max(most, Math.min(fields.length, MAX_READINGS));
      const field = fields[Math.min(turn, fields.length - 1)];
      return field === undefined ? undefined : knownText(field);
    };
  const found: T[] = [];
  for (let turn = 0; turn < most; turn++) found.push(computeWith(readAt(turn)));
  return found;
}

/** Each number once. */
function numberFields(numbers: readonly (bigint | undefined)[]): readonly Field[] {
  return [...new Set(numbers)].map((each) => (each === undefined ? [UNKNOWN_RELATIVE] : textField(String(each))));
}

/** What a calculator prints: `expr 0 - 1`, `bc <<< 0-1`; undefined for what is more than numbers and signs. */
export function calculated(words: readonly Field[] = []): readonly Field[] | undefined {
  const texts = words.map(knownText);
  const text = texts.join(" ");
  if (texts.includes(undefined) || !/^[-+*/%()\d\s]+$/.test(text)) return undefined;
  return numberFields([compute(text, () => undefined)]);
}
