/**
 * Evaluates the expressions of workflow files (`${{ … }}` and `if:`), as far as ours use them.
 *
 * What is unknown is an error: a name that is not there would be the empty text on GitHub, and with it a condition that is
 * never true.
 */

const TOKEN = /\s*(?:(==|!=|&&|\|\||[!().,[\]])|'((?:[^']|'')*)'|(\d+(?:\.\d+)?)|([A-Za-z_][\w-]*))/y;

function tokensOf(text) {
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (text.slice(TOKEN.lastIndex).trim() !== "") {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) throw new Error(`cannot read \`${text.slice(at)}\` of the expression \`${text}\``);
    const [, sign, string, number, name] = match;
    if (sign !== undefined) tokens.push({ kind: "sign", value: sign });
    else if (string !== undefined) tokens.push({ kind: "literal", value: string.replaceAll("''", "'") });
    else if (number !== undefined) tokens.push({ kind: "literal", value: Number(number) });
    else tokens.push({ kind: "name", value: name });
  }
  return tokens;
}

const LITERALS = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);

const FUNCTIONS = {
  contains: (where, what) => (Array.isArray(where) ? where.includes(what) : textOf(where).includes(textOf(what))),
  startsWith: (text, start) => textOf(text).startsWith(textOf(start)),
  endsWith: (text, end) => textOf(text).endsWith(textOf(end)),
};

/** Functions that tell how the job stands; each is given the status. */
const STATUS = {
  always: () => true,
  success: (status) => status === "success",
  failure: (status) => status === "failure",
  cancelled: () => false,
};

/** What GitHub makes of a value in a text. */
export function textOf(value) {
  return value === null || value === undefined ? "" : String(value);
}

const isTrue = (value) => value !== false && value !== 0 && value !== "" && value !== null && value !== undefined;

/** GitHub compares values of different kinds as numbers, and texts without regard to case. */
function isEqual(a, b) {
  if (typeof a === "string" && typeof b === "string") return a.toLowerCase() === b.toLowerCase();
  if (typeof a === typeof b && a !== null && b !== null) return a === b;
  const numberOf = (value) => (value === null || value === undefined || value === "" ? 0 : Number(value));
  return numberOf(a) === numberOf(b);
}

class Reader {
  #tokens;
  #at = 0;
  #scope;
  #text;

  constructor(text, scope) {
    this.#text = text;
    this.#tokens = tokensOf(text);
    this.#scope = scope;
  }

  read() {
    const value = this.#or();
    if (this.#at < this.#tokens.length) this.#fail(`\`${this.#tokens[this.#at].value}\` is not expected`);
    return value;
  }

  #fail(why) {
    throw new Error(`the expression \`${this.#text.trim()}\`: ${why}`);
  }

  #takes(sign) {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "sign" || token.value !== sign) return false;
    this.#at += 1;
    return true;
  }

  #expect(sign) {
    if (!this.#takes(sign)) this.#fail(`\`${sign}\` is missing`);
  }

  #or() {
    let value = this.#and();
    while (this.#takes("||")) {
      const other = this.#and();
      value = isTrue(value) ? value : other;
    }
    return value;
  }

  #and() {
    let value = this.#comparison();
    while (this.#takes("&&")) {
      const other = this.#comparison();
      value = isTrue(value) ? other : value;
    }
    return value;
  }

  #comparison() {
    const value = this.#unary();
    if (this.#takes("==")) return isEqual(value, this.#unary());
    if (this.#takes("!=")) return !isEqual(value, this.#unary());
    return value;
  }

  #unary() {
    if (this.#takes("!")) return !isTrue(this.#unary());
    if (!this.#takes("(")) return this.#operand();
    const value = this.#or();
    this.#expect(")");
    return value;
  }

  #operand() {
    const token = this.#tokens[this.#at];
    if (token === undefined || token.kind === "sign") this.#fail("a value is missing");
    this.#at += 1;
    if (token.kind === "literal") return token.value;
    if (this.#takes("(")) return this.#call(token.value);
    if (LITERALS.has(token.value)) return LITERALS.get(token.value);
    return this.#lookUp(token.value);
  }

  #call(name) {
    const given = [];
    while (!this.#takes(")")) {
      given.push(this.#or());
      if (!this.#takes(",")) {
        this.#expect(")");
        break;
      }
    }
    if (Object.hasOwn(STATUS, name)) return STATUS[name](this.#scope.status);
    if (!Object.hasOwn(FUNCTIONS, name)) this.#fail(`\`${name}\` is a function that the rehearsal does not have`);
    return FUNCTIONS[name](...given);
  }

  #lookUp(first) {
    const path = [first];
    while (true) {
      if (this.#takes(".")) path.push(this.#tokens[this.#at++]?.value);
      else if (this.#takes("[")) {
        path.push(textOf(this.#or()));
        this.#expect("]");
      } else break;
    }
    let value = this.#scope.contexts;
    for (const [depth, name] of path.entries()) {
      // A step that is there may have left anything out; which outputs an action has is not written down.
      if (depth === 3 && path[0] === "steps" && path[2] === "outputs" && !Object.hasOwn(value, name)) return "";
      if (value === null || typeof value !== "object" || !Object.hasOwn(value, name))
        this.#fail(`there is no \`${path.slice(0, depth + 1).join(".")}\``);
      value = value[name];
    }
    return value;
  }
}

/**
 * @typedef {object} Scope
 * @property {Record<string, object>} contexts `github`, `runner`, `matrix`, …
 * @property {"success" | "failure"} status of the job so far
 */

/** The value of an expression without its `${{ }}`. @param {string} text @param {Scope} scope */
export function evaluate(text, scope) {
  return new Reader(text, scope).read();
}

/** A text with its expressions replaced; what is one expression and nothing else keeps its kind of value. */
export function interpolate(value, scope) {
  if (typeof value !== "string") return value;
  const whole = /^\s*\$\{\{((?:(?!\}\}).)*)\}\}\s*$/s.exec(value);
  if (whole) return evaluate(whole[1], scope);
  const text = value.replace(/\$\{\{(.*?)\}\}/gs, (_, expression) => textOf(evaluate(expression, scope)));
  if (text.includes("${{") && !value.replace(/\$\{\{.*?\}\}/gs, "").includes("${{")) return text;
  if (text.includes("${{")) throw new Error(`\`${value}\` has an expression without its end`);
  return text;
}

/** Whether a job or a step with this `if:` is to run. A condition that does not ask for the status wants success. */
export function isWanted(condition, scope) {
  if (condition === undefined) return scope.status === "success";
  const text = String(condition).replace(/^\s*\$\{\{(.*)\}\}\s*$/s, "$1");
  const asksForStatus = /\b(?:always|success|failure|cancelled)\s*\(/.test(text);
  if (!asksForStatus && scope.status !== "success") return false;
  return isTrue(evaluate(text, scope));
}
