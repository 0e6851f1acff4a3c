/**
 * The expansions of a word that can be replaced by text: variables with a known value, defaults, slices and arithmetic.
 */
import { compute } from "../dangers/values/arithmetic.ts";

/** Text that is the same for the shell wherever it stands unquoted, blanks aside. */
const PLAIN_TEXT = /^[\w./:@%+=,~ -]*$/;
/** Longest value that is followed, in UTF-16 units: `x=$x$x` doubles it each time. */
const MAX_VALUE_CHARS = 1_024;
/** Text that may stand in the place of the expansions of one word, in UTF-16 units. */
const MAX_REPLACED_CHARS = 16 * 1024;
/** Expansions inside each other: `${x:-${y:-777}}`. */
const MAX_PASSES = 4;

/** True for a value that is followed. */
export function isPlainValue(value: string): boolean {
  return value.length <= MAX_VALUE_CHARS && PLAIN_TEXT.test(value);
}

/** The source of a word with what is known replaced, outside single quotes. */
export function replaced(source: string, values: ReadonlyMap<string, string>): string {
  let text = source;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const next = replacedOnce(text, values);
    if (next === text) break;
    text = next;
  }
  return text;
}

/** What an expression assigns; undefined where that is not known. */
export function assignedNumbers(
  expression: string,
  values: ReadonlyMap<string, string>,
): readonly (readonly [string, string | undefined])[] {
  const assigned = new Map<string, bigint | undefined>();
  compute(expression, (name) => values.get(name), assigned);
  return [...assigned].map(([name, value]) => [name, value?.toString()]);
}

const TOKEN =
  /\\[\s\S]|"|'[^']*'|\$\{([A-Za-z_]\w*)([^{}$`\\]*)\}|\$([A-Za-z_]\w*)|\$\(\(((?:[^$`'"]|\$\{?\w)*?)\)\)(?!\))|\$\[((?:[^$`'"\]]|\$\{?\w)*)\]/g;

function replacedOnce(source: string, values: ReadonlyMap<string, string>): string {
  let isDouble = false;
  let left = MAX_REPLACED_CHARS;
  const put = (text: string | undefined, token: string): string => {
    left -= text?.length ?? 0;
    return left < 0 ? token : (text ?? token);
  };
  return source.replaceAll(
    TOKEN,
    (token, braced?: string, operation?: string, bare?: string, double?: string, bracketed?: string, at?: number) => {
      if (token === '"') isDouble = !isDouble;
      if (token.startsWith("'") && isDouble) {
        // Inside double quotes a single one is a character: what follows it is read all the same.
        const rest = source.slice((at ?? 0) + 1, (at ?? 0) + token.length);
        return `'${replacedOnce(`"${rest}`, values).slice(1)}`;
      }
      if (bare !== undefined) return put(values.get(bare), token);
      if (braced !== undefined) return put(parameter(braced, operation ?? "", values), token);
      const expression = double ?? bracketed;
      const number = expression === undefined ? undefined : compute(expression, (name) => values.get(name));
      return put(number?.toString(), token);
    },
  );
}

/** `${x}`, `${x:-default}`, `${x:0:3}`; undefined for what is not known. */
function parameter(name: string, operation: string, values: ReadonlyMap<string, string>): string | undefined {
  const own = values.get(name);
  if (operation === "") return own;
  const [, kind = "", given = ""] = /^(:?[-=+])(.*)$/s.exec(operation) ?? [];
  if (kind !== "") {
    const isUsed = kind.endsWith("+") || own === undefined || (own === "" && kind.startsWith(":"));
    const text = given.replaceAll(/["']/g, "");
    return isUsed && !isPlainValue(text) ? undefined : isUsed ? text : own;
  }
  // Whatever is left of it, it separates words.
  if (name === "IFS") return own;
  const [, start, length] = /^:\s*(-?\d+)(?::(\d+))?$/.exec(operation) ?? [];
  const from = start === undefined ? undefined : own?.slice(Number(start));
  return length === undefined ? from : from?.slice(0, Number(length));
}
