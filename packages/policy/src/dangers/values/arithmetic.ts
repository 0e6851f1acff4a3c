/**
 * The value of bash arithmetic, as far as the line says what its names hold: `$((0-1))`, `((x=2*y))`, `let`, `declare -i`.
 *
 * Everything but the code of a subscript is computed. What depends on a name that is not known, or is not an expression,
 * has no value. Source: bash(1), "Arithmetic Evaluation".
 */

/** A number, or undefined where it is not known. */
type Number64 = bigint | undefined;

/** The text that a name holds; undefined where it is not known. */
export type NameReader = (name: string) => string | undefined;

/** Longest expression that is computed, and longest one that a name holds, in UTF-16 units. */
const MAX_CHARS = 1_024;
const MAX_HELD_CHARS = 64;
/** Expressions in the values of names, all together: each may have many others in it. */
const MAX_HELD = 64;
/** Parentheses inside each other. */
const MAX_PARENTHESES = 32;

const TOKEN =
  /\s*(?:(\d+#[\w@]+|0[xX][\da-fA-F]+|\d+)|\$?\{?([A-Za-z_]\w*)\}?(?:\[[^\][]*\])?|(<<=|>>=|\*\*|\+\+|--|<<|>>|&&|\|\||[-+*/%&^|=!<>]=|[-+*/%&^|=!<>~?:,()]))/y;

/** Operators with two operands, those that bind least first. */
const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["|"],
  ["^"],
  ["&"],
  ["==", "!="],
  ["<", ">", "<=", ">="],
  ["<<", ">>"],
  ["+", "-"],
  ["*", "/", "%"],
  ["**"],
];

const ASSIGNS = /^(?:[-+*/%&^|]|<<|>>)?=$/;

/** What an expression comes to, and what it assigns; `assigned` has what was assigned before, and is added to. */
export function compute(expression: string, read: NameReader, assigned: Map<string, Number64> = new Map()): Number64 {
  return expression.length > MAX_CHARS ? undefined : computed(expression, { read, assigned, held: 0 });
}

function computed(expression: string, names: Names): Number64 {
  const tokens = tokensOf(expression.replaceAll('"', ""));
  if (tokens === undefined) return undefined;
  if (tokens.length === 0) return 0n;
  const reader = new Expression(tokens, names);
  const value = reader.list();
  return reader.isDone ? value : undefined;
}

function tokensOf(text: string): string[] | undefined {
  const source = text.trimEnd();
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < source.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(source);
    if (match === null) return undefined;
    tokens.push(match[1] ?? match[2] ?? match[3] ?? "");
  }
  return tokens;
}

interface Names {
  readonly read: NameReader;
  readonly assigned: Map<string, Number64>;
  /** Values that were taken for expressions. */
  held: number;
}

/** One expression, read from left to right. */
class Expression {
  readonly #tokens: readonly string[];
  readonly #names: Names;
  #at = 0;
  #parentheses = 0;
  #failed = false;

  constructor(tokens: readonly string[], names: Names) {
    this.#tokens = tokens;
    this.#names = names;
  }

  /** True where all of it was read. */
  get isDone(): boolean {
    return !this.#failed && this.#at === this.#tokens.length;
  }

  /** Expressions between commas; the last one counts. */
  list(): Number64 {
    let value = this.#assignment();
    while (this.#takes(",")) value = this.#assignment();
    return value;
  }

  #assignment(): Number64 {
    const name = this.#tokens[this.#at] ?? "";
    const operator = this.#tokens[this.#at + 1] ?? "";
    if (!isName(name) || !ASSIGNS.test(operator)) return this.#choice();
    this.#at += 2;
    const given = this.#assignment();
    return this.#assign(name, operator === "=" ? given : applied(operator.slice(0, -1), this.#valueOf(name), given));
  }

  /** `a ? b : c`. */
  #choice(): Number64 {
    const condition = this.#binary(0);
    if (!this.#takes("?")) return condition;
    const yes = this.#branch(condition === 0n, () => this.list());
    if (!this.#takes(":")) return this.#fail();
    const no = this.#branch(condition !== undefined && condition !== 0n, () => this.#assignment());
    if (condition === undefined) return undefined;
    return condition === 0n ? no : yes;
  }

  #binary(level: number): Number64 {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#unary();
    let value = this.#binary(level + 1);
    for (let next = this.#tokens[this.#at] ?? ""; operators.includes(next); next = this.#tokens[this.#at] ?? "") {
      this.#at++;
      const isDecided = (next === "&&" && value === 0n) || (next === "||" && value !== undefined && value !== 0n);
      // Only powers are read from right to left.
      const other = this.#branch(isDecided, () => this.#binary(next === "**" ? level : level + 1));
      value = isDecided ? BigInt(next === "||") : applied(next, value, other);
    }
    return value;
  }

  /** A part that may not be computed: what it assigns does not count then. */
  #branch(isSkipped: boolean, read: () => Number64): Number64 {
    if (!isSkipped) return read();
    const before = [...this.#names.assigned];
    const value = read();
    this.#names.assigned.clear();
    for (const [name, each] of before) this.#names.assigned.set(name, each);
    return value;
  }

  #unary(): Number64 {
    for (const operator of ["++", "--"]) {
      const name = this.#tokens[this.#at + 1] ?? "";
      if (this.#tokens[this.#at] !== operator || !isName(name)) continue;
      this.#at += 2;
      return this.#assign(name, applied(operator.slice(1), this.#valueOf(name), 1n));
    }
    if (this.#takes("-")) return applied("-", 0n, this.#unary());
    if (this.#takes("+")) return this.#unary();
    // Before a number, two signs are two signs.
    if (this.#takes("--") || this.#takes("++")) return this.#unary();
    if (this.#takes("~")) return applied("^", -1n, this.#unary());
    if (this.#takes("!")) return applied("==", 0n, this.#unary());
    return this.#primary();
  }

  #primary(): Number64 {
    if (this.#takes("(")) {
      if (++this.#parentheses > MAX_PARENTHESES) return this.#fail();
      const value = this.list();
      this.#parentheses--;
      return this.#takes(")") ? value : this.#fail();
    }
    const token = this.#tokens[this.#at++] ?? "";
    if (/^\d/.test(token)) return numberOf(token);
    if (!isName(token)) return this.#fail();
    const value = this.#valueOf(token);
    for (const operator of ["++", "--"]) {
      if (this.#takes(operator)) this.#assign(token, applied(operator.slice(1), value, 1n));
    }
    return value;
  }

  /** A value is an expression, too. */
  #valueOf(name: string): Number64 {
    const { assigned, read } = this.#names;
    if (assigned.has(name)) return assigned.get(name);
    const text = ++this.#names.held > MAX_HELD ? undefined : read(name);
    return text === undefined || text.length > MAX_HELD_CHARS ? undefined : computed(text, this.#names);
  }

  #assign(name: string, value: Number64): Number64 {
    this.#names.assigned.set(name, value);
    return value;
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #fail(): undefined {
    this.#failed = true;
    this.#at = this.#tokens.length;
    return undefined;
  }
}

function isName(token: string): boolean {
  return /^[A-Za-z_]/.test(token);
}

/** `10`, `010`, `0x8`, `2#1000`. */
function numberOf(token: string): Number64 {
  const [, base = "", digits = ""] = /^(\d+)#(.+)$/.exec(token) ?? [];
  if (base !== "") return inBase(digits, Number(base));
  if (/^0[xX]/.test(token)) return BigInt.asIntN(64, BigInt(token));
  return /^0\d/.test(token) ? inBase(token.slice(1), 8) : BigInt.asIntN(64, BigInt(token));
}

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_";

function inBase(digits: string, base: number): Number64 {
  let value = 0n;
  for (const digit of base <= 36 ? digits.toLowerCase() : digits) {
    const worth = DIGITS.indexOf(digit);
    if (worth === -1 || worth >= base) return undefined;
    value = BigInt.asIntN(64, value * BigInt(base) + BigInt(worth));
  }
  return value;
}

/** Numbers have 64 bits. */
function applied(operator: string, a: Number64, b: Number64): Number64 {
  if (a === undefined || b === undefined) return undefined;
  const value = OPERATIONS[operator]?.(a, b);
  return value === undefined ? undefined : BigInt.asIntN(64, BigInt(value));
}

const OPERATIONS: Readonly<Record<string, (a: bigint, b: bigint) => Number64 | boolean>> = {
  "||": (a, b) => a !== 0n || b !== 0n,
  "&&": (a, b) => a !== 0n && b !== 0n,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "&": (a, b) => a & b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "<<": (a, b) => a << (b & 63n),
  ">>": (a, b) => a >> (b & 63n),
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => (b === 0n ? undefined : a / b),
  "%": (a, b) => (b === 0n ? undefined : a % b),
  "**": power,
};

function power(base: bigint, exponent: bigint): Number64 {
  if (exponent < 0n) return undefined;
  let [value, square] = [1n, base];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) value = BigInt.asIntN(64, value * square);
    square = BigInt.asIntN(64, square * square);
  }
  return value;
}
