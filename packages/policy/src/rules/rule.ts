/**
 * Permission rules: their notation and what it means.
 *
 * `Bash(npm run test:*)`, `Bash(git push !--force **)`, `Bash(re:^npm )`, `Write(build/**)`,
 * `Env(CI_*)`, `Bash(npm test) in /srv/**`, `Bash(rm **) on ssh:prod*`. Patterns are matched
 * against words after quote removal, never against text: a pattern over text is defeated by one more blank or quote.
 * The matching is in `match.ts`, files of rules in `rule-file.ts`.
 */
import { compilePattern, type LinearPattern } from "../linear-pattern.ts";

/** What a rule says about a command it matches; the strictest of all matching rules counts. */
export type RuleBehavior = "allow" | "ask" | "deny";

/** Where a rule comes from. Rules of a project may only tighten until its folder is trusted. */
export type RuleSource = "managed" | "cli" | "local" | "project" | "user" | "session";

/** One token of an argument pattern that has a place: the program's, or that of an argument. */
export type PlaceToken =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "one-of"; readonly texts: readonly string[] }
  /** `*` inside a token: any characters of that one argument. */
  | { readonly kind: "glob"; readonly pattern: LinearPattern; readonly text: string }
  /** `*` alone: exactly one argument. */
  | { readonly kind: "one" };

type Token =
  | PlaceToken
  /** `**`, and ` *` or `:*` at the end: any number of arguments. */
  | { readonly kind: "rest" }
  /** `--flag` anywhere among the arguments. */
  | { readonly kind: "flag"; readonly text: string }
  /** `!--flag`: nowhere among the arguments. */
  | { readonly kind: "no-flag"; readonly text: string };

/** A program and its arguments. */
export interface CallPattern {
  readonly kind: "call";
  readonly program: PlaceToken;
  /** Behind the program in this order, flags left out. */
  readonly words: readonly PlaceToken[];
  /** Any number of arguments may follow. */
  readonly hasRest: boolean;
  /** Anywhere among the arguments. */
  readonly flags: readonly string[];
  /** Nowhere among the arguments. */
  readonly absentFlags: readonly string[];
}

/** What a rule matches. */
export type Pattern =
  /** `Bash` alone: every command. */
  | { readonly kind: "everything" }
  | CallPattern
  /** `re:` over the words joined by blanks. */
  | { readonly kind: "regex"; readonly pattern: LinearPattern; readonly whole: LinearPattern }
  /** `Write(glob)`: targets of redirections. */
  | { readonly kind: "write"; readonly pattern: LinearPattern; readonly relative: boolean }
  /** `Env(NAME)`, `Env(PREFIX_*)`: variables. */
  | { readonly kind: "env"; readonly name: string; readonly prefix: boolean };

/** A rule ready to be matched. */
export interface Rule {
  readonly behavior: RuleBehavior;
  /** As written, without the behavior: `Bash(npm run test:*)`. */
  readonly text: string;
  readonly source: RuleSource;
  readonly pattern: Pattern;
  /** Folders outside of the workspace in which an allow rule covers commands as well; absent: none. */
  readonly folders?: LinearPattern;
  /** Names of places on which the rule counts; absent: on all, and on this machine. */
  readonly places?: LinearPattern;
  /** Why the rule exists, for the person who meets it. */
  readonly reason?: string;
}

/** A rule, or why its text is none. `warning` names a pattern that matches more than it seems to. */
export type ParsedRule =
  | { readonly ok: true; readonly rule: Rule; readonly warning?: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads `Bash(…)`, `Write(…)` or `Env(…)`; a behavior may stand before it (`deny Bash(rm **)`) and then counts, and ` in GLOB`
 * behind an allow rule for commands names folders outside of the workspace. ` on GLOB` at the end names places: the rule counts
 * only where commands run there, e.g. `deny Bash(rm **) on ssh:prod*`.
 */
export function parseRule(text: string, behavior: RuleBehavior, source: RuleSource, reason?: string): ParsedRule {
  const match = /^(?:(allow|ask|deny)\s+)?(Bash|Write|Env)(?:\(([\s\S]*)\))?(?:\s+in\s+(\S+))?(?:\s+on\s+(\S+))?$/.exec(
    text.trim(),
  );
  if (match === null) {
    return { ok: false, problem: `\`${text}\` is not a rule: expected \`Bash(…)\`, \`Write(…)\` or \`Env(…)\`` };
  }
  const [, said, tool, body, folder, place] = match;
  const base = {
    behavior: (said as RuleBehavior | undefined) ?? behavior,
    text: `${body === undefined ? (tool ?? "") : `${tool}(${body})`}${scopeText({ folder, place })}`,
    source,
    ...(reason === undefined ? {} : { reason }),
  };
  const parsed = tool === "Env" ? parseEnv(body) : tool === "Write" ? parseWrite(body) : parseBash(body);
  if ("problem" in parsed) return { ok: false, problem: `\`${text}\`: ${parsed.problem}` };
  const scope = parseScope({ folder, place }, tool === "Bash" && base.behavior === "allow");
  if ("problem" in scope) return { ok: false, problem: `\`${text}\`: ${scope.problem}` };
  const { warning, pattern } = parsed;
  const rule = { ...base, pattern, ...scope };
  return { ok: true, rule, ...(warning === undefined ? {} : { warning }) };
}

/** What stands behind a pattern: where the rule counts. */
interface ScopeText {
  readonly folder: string | undefined;
  readonly place: string | undefined;
}

function scopeText({ folder, place }: ScopeText): string {
  return `${folder === undefined ? "" : ` in ${folder}`}${place === undefined ? "" : ` on ${place}`}`;
}

function parseScope(
  { folder, place }: ScopeText,
  takesFolders: boolean,
): Pick<Rule, "folders" | "places"> | { problem: string } {
  const folders = folder === undefined ? undefined : parseFolder(folder, takesFolders);
  if (folders !== undefined && "problem" in folders) return folders;
  const places = place === undefined ? undefined : parsePlace(place);
  return places !== undefined && "problem" in places ? places : { ...folders, ...places };
}

/** `ssh:build7`, `ssh:*`: names of places, a `*` for any characters. */
function parsePlace(glob: string): { readonly places: LinearPattern } | { problem: string } {
  const compiled = compilePattern(`^${escapeRegex(glob).replaceAll(String.raw`\*`, ".*")}$`, "s");
  return compiled.ok ? { places: compiled.pattern } : { problem: compiled.problem };
}

/** `/srv/**`: a folder and everything in it; `**`: any folder. */
function parseFolder(glob: string, isAllowed: boolean): { readonly folders: LinearPattern } | { problem: string } {
  if (!isAllowed) return { problem: "only an allow rule for commands takes `in`" };
  if (!glob.startsWith("/") && glob !== "**") return { problem: `the folder \`${glob}\` is not absolute` };
  const compiled = compilePattern(`^${globSource(glob.replace(/\/\*\*$/, ""))}(?:/.*)?$`, "s");
  return compiled.ok ? { folders: compiled.pattern } : { problem: compiled.problem };
}

type ParsedPattern = { readonly pattern: Pattern; readonly warning?: string } | { readonly problem: string };

function parseBash(body: string | undefined): ParsedPattern {
  if (body === undefined || body.trim() === "*" || body.trim() === "**") return { pattern: { kind: "everything" } };
  if (body.trim() === "") return { problem: "the pattern is empty" };
  if (body.startsWith("re:")) return parseRegex(body.slice(3));
  const texts = splitTokens(body.trim().replace(/:\*$/, " **"));
  if (texts === undefined) return { problem: "a quote is not closed" };
  const tokens: Token[] = [];
  for (const [index, text] of texts.entries()) {
    const token = parseToken(text, index, texts.length);
    if ("problem" in token) return token;
    tokens.push(token);
  }
  return callPattern(tokens);
}

function callPattern(tokens: readonly Token[]): ParsedPattern {
  const hasRest = tokens.at(-1)?.kind === "rest";
  const [program, ...words] = tokens.filter(hasPlace);
  const flags = textsOf(tokens, "flag");
  const absentFlags = textsOf(tokens, "no-flag");
  // `Bash(!--force **)`: any program.
  if (program === undefined && !hasRest) return { problem: "a program is missing: `*` is any" };
  const pattern: CallPattern = {
    kind: "call",
    program: program ?? { kind: "one" },
    words,
    hasRest,
    flags,
    absentFlags,
  };
  const [only] = tokens;
  if (tokens.length !== 1 || only?.kind !== "glob") return { pattern };
  // `ls*` reads like "ls with anything" and also matches `lsof`; it is kept, with any arguments, and reported.
  const warning = `\`${only.text}\` matches every program that begins so; \`${only.text.replace("*", "")} *\` has a word boundary`;
  return { pattern: { ...pattern, hasRest: true }, warning };
}

function hasPlace(token: Token): token is PlaceToken {
  return token.kind !== "rest" && token.kind !== "flag" && token.kind !== "no-flag";
}

function textsOf(tokens: readonly Token[], kind: "flag" | "no-flag"): readonly string[] {
  return tokens.flatMap((token) => (token.kind === kind ? [token.text] : []));
}

function parseRegex(source: string): ParsedPattern {
  const anywhere = compilePattern(source);
  const whole = compilePattern(`^(?:${source})$`);
  if (!anywhere.ok) return { problem: `the regular expression does not compile: ${anywhere.problem}` };
  if (!whole.ok) return { problem: `the regular expression does not compile: ${whole.problem}` };
  return { pattern: { kind: "regex", pattern: anywhere.pattern, whole: whole.pattern } };
}

function parseWrite(body: string | undefined): ParsedPattern {
  if (body === undefined || body.trim() === "") return { problem: "a path pattern is missing" };
  const glob = body.trim().replace(/^\.\//, "");
  const compiled = compilePattern(`^${globSource(glob)}$`, "s");
  if (!compiled.ok) return { problem: compiled.problem };
  return { pattern: { kind: "write", pattern: compiled.pattern, relative: !glob.startsWith("/") } };
}

function globSource(glob: string): string {
  return escapeRegex(glob)
    .replaceAll(String.raw`\*\*/`, "(?:.*/)?")
    .replaceAll(String.raw`\*\*`, ".*")
    .replaceAll(String.raw`\*`, "[^/]*");
}

/** A whole name, or the start of one with a `*` behind it. */
function parseEnv(body: string | undefined): ParsedPattern {
  const match = /^([A-Za-z_]\w*)(\*)?$/.exec(body?.trim() ?? "");
  if (match === null) return { problem: "a variable is missing: `Env(NAME)` or `Env(PREFIX_*)`" };
  return { pattern: { kind: "env", name: match[1] ?? "", prefix: match[2] !== undefined } };
}

interface TokenText {
  readonly text: string;
  readonly quoted: boolean;
}

/** Splits at blanks, of which none stand at the end; quotes make a literal token. */
function splitTokens(body: string): TokenText[] | undefined {
  const tokens: TokenText[] = [];
  const token = /\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/y;
  let at = 0;
  while (at < body.length) {
    token.lastIndex = at;
    const match = token.exec(body);
    if (match === null) return undefined;
    tokens.push({ text: match[1] ?? match[2] ?? match[3] ?? "", quoted: match[3] === undefined });
    at = token.lastIndex;
  }
  return tokens;
}

function parseToken({ text, quoted }: TokenText, index: number, count: number): Token | { problem: string } {
  const last = index === count - 1;
  if (quoted) return { kind: "literal", text };
  if (text === "**" || (text === "*" && last)) {
    return last ? { kind: "rest" } : { problem: "`**` may only stand at the end" };
  }
  if (text === "*") return { kind: "one" };
  if (/^!-/.test(text)) return { kind: "no-flag", text: text.slice(1) };
  const choice = /^\{([^{}]+)\}$/.exec(text)?.[1];
  if (choice !== undefined) return { kind: "one-of", texts: choice.split(",") };
  if (text.includes("*")) return globToken(text);
  return index > 0 && text.startsWith("-") && text !== "-" && text !== "--"
    ? { kind: "flag", text }
    : { kind: "literal", text };
}

function globToken(text: string): Token | { problem: string } {
  const compiled = compilePattern(`^${escapeRegex(text).replaceAll(String.raw`\*`, ".*")}$`, "s");
  return compiled.ok ? { kind: "glob", pattern: compiled.pattern, text } : { problem: compiled.problem };
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`).replaceAll(String.raw`\/`, "/");
}
