/**
 * Reads the arguments of a call while a model is still writing them: what is there of `command`, `cwd`, `env`.
 *
 * For display only. What runs is what the finished JSON says, parsed by the schema.
 */

/** Arguments as far as they are known. */
export interface PartialArguments {
  readonly command?: string;
  readonly description?: string;
  readonly cwd?: string;
  readonly timeout?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Longest text that is looked at, in UTF-16 units: more than any screen shows. */
const MAX_UNITS = 64 * 1024;

/** The beginning of a JSON object, as far as it can be read. The object has no prototype. */
export function partialObject(text: string): Readonly<Record<string, unknown>> {
  return new Reader(text.slice(0, MAX_UNITS)).object(0).value;
}

/** What can be read of the beginning of a JSON text; the rest is left out. */
export function partialArguments(text: string): PartialArguments {
  const { command, description, cwd, timeout, env } = partialObject(text);
  const pairs =
    typeof env === "object" && env !== null && !Array.isArray(env)
      ? Object.entries(env).filter(([, each]) => typeof each === "string")
      : [];
  return {
    ...(typeof command === "string" ? { command } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof cwd === "string" ? { cwd } : {}),
    ...(typeof timeout === "number" ? { timeout } : {}),
    ...(pairs.length > 0 ? { env: Object.fromEntries(pairs) as Record<string, string> } : {}),
  };
}

type Value = string | number | boolean | null | undefined | readonly Value[] | { readonly [key: string]: Value };

/** Deeper objects are no arguments of ours. */
const MAX_DEPTH = 4;

/** Reads as far as there is text. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  object(depth: number): { value: Record<string, Value> } {
    const value: Record<string, Value> = Object.create(null);
    if (!this.#take("{") || depth > MAX_DEPTH) return { value };
    while (!this.#isAtEnd() && !this.#take("}")) {
      const start = this.#at;
      const key = this.#string();
      if (key !== undefined && this.#take(":")) {
        const found = this.#value(depth + 1);
        if (found !== undefined) value[key] = found;
      }
      this.#take(",");
      if (this.#at === start) break; // Not JSON: nothing more can be read.
    }
    return { value };
  }

  #value(depth: number): Value {
    this.#blanks();
    const next = this.#text[this.#at];
    if (next === '"') return this.#string();
    if (next === "{") return this.object(depth).value;
    if (next === "[") return this.#array(depth);
    const word = /[-+.\w]+/y;
    word.lastIndex = this.#at;
    const found = word.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    if (found === "true" || found === "false") return found === "true";
    const number = Number(found);
    return Number.isNaN(number) ? null : number;
  }

  #array(depth: number): Value[] {
    const values: Value[] = [];
    if (!this.#take("[") || depth > MAX_DEPTH) return values;
    while (!this.#isAtEnd() && !this.#take("]")) {
      const start = this.#at;
      const found = this.#value(depth + 1);
      if (found !== undefined) values.push(found);
      this.#take(",");
      if (this.#at === start) break; // Not JSON: nothing more can be read.
    }
    return values;
  }

  /** A string, also one whose end has not come yet. */
  #string(): string | undefined {
    if (!this.#take('"')) return undefined;
    const body = /(?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*/y;
    body.lastIndex = this.#at;
    const found = body.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    const isEnded = this.#text[this.#at] === '"';
    // What is left of an unfinished escape is the rest of the text.
    this.#at = isEnded ? this.#at + 1 : this.#text.length;
    try {
      return JSON.parse(`"${found.replaceAll(/\p{Cc}/gu, " ")}"`) as string;
    } catch {
      return found;
    }
  }

  #take(character: string): boolean {
    this.#blanks();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #blanks(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at += 1;
  }

  #isAtEnd(): boolean {
    this.#blanks();
    return this.#at >= this.#text.length;
  }
}
