/**
 * Judges of the programs whose arguments are a language of their own: `sed`, `awk`, `jq`, `find`, `tar`, `test`.
 *
 * Each accepts what its checker understands completely. The plain option tables are in `programs.ts`, `git` is in
 * `git.ts`.
 */
import type { Word } from "@pi-bash/command";
import { type Refusal, refuse } from "../finding.ts";
import { isHarmlessAwkProgram } from "./awk-program.ts";
import {
  appendedOptions,
  type Call,
  dropValues,
  type GivenOption,
  isSurelyOperand,
  type Judge,
  mayBecomeOption,
  parseOptions,
  splitArguments,
  unknownOption,
} from "./options.ts";
import { isHarmlessSedScript } from "./sed-script.ts";

const notLiteral = (what: string): Refusal =>
  refuse("program-not-literal", "unknown", `the ${what} is not literal text, so what it does is not known`);

/** `sed` with a script that only edits and prints. */
export const judgeSed: Judge = (call) => {
  const parsed = parseOptions(call, {
    flags: "nErsuz",
    valued: "el",
    long: "quiet silent regexp-extended posix debug separate unbuffered null-data sandbox",
    longValued: "expression line-length",
  });
  if (!parsed.ok) return parsed.refusal;
  const given = parsed.options.filter((option) => option.name === "-e" || option.name === "--expression");
  const scripts = given.length > 0 ? given.map(literalValue) : [parsed.operands[0]?.value ?? undefined];
  if (scripts.some((script) => script === undefined)) return notLiteral("`sed` script");
  return isHarmlessSedScript(scripts.join("\n"))
    ? undefined
    : refuse("sed-script", "write", "the `sed` script can write files or run programs");
};

/** `awk` with a program that only prints. */
export const judgeAwk: Judge = (call) => {
  const parsed = parseOptions(leadingOptions(call), { valued: "Fv", longValued: "field-separator assign" });
  if (!parsed.ok) return parsed.refusal;
  const program = parsed.operands[0]?.value;
  if (program === undefined || program === null) return notLiteral("`awk` program");
  if (call.appended || call.args.some(mayBeSocket)) {
    return refuse("awk-input", "network", "`awk` connects where a file is named `/inet/…`");
  }
  return isHarmlessAwkProgram(program)
    ? undefined
    : refuse("awk-program", "exec", "the `awk` program can run commands or write files");
};

/** gawk takes `/inet/tcp/0/host/port` for a connection, also where it reads its files. */
function mayBeSocket(word: Word): boolean {
  const start = word.value ?? word.leading;
  if (start.startsWith("/inet")) return true;
  // A pattern only becomes names that begin as it does, `<(…)` a descriptor, `~` a folder.
  const { variable, substitution, brace, locale } = word.expansions;
  return (variable || substitution || brace || locale) && "/inet".startsWith(start);
}

/** `jq` with a filter that reads its input alone. */
export const judgeJq: Judge = (call) => {
  if (call.appended) return appendedOptions("jq");
  const { options, operands } = splitArguments(dropValues(call.args, jqValues));
  const bad = options.find((word) => !JQ_OPTION.test(word.value ?? ""));
  if (bad !== undefined) return bad.value === null ? mayBecomeOption(bad) : unknownOption("jq", bad.value);
  const filter = operands[0]?.value;
  if (filter === undefined || filter === null) return notLiteral("`jq` filter");
  return /\$ENV|\b(?:env|input_filename|import|include|get_search_list|modulemeta)\b/.test(filter)
    ? refuse("jq-filter", "unknown", "the `jq` filter reads more than its input")
    : undefined;
};

function jqValues(option: string): number {
  if (option === "--arg" || option === "--argjson") return 2;
  return option === "--indent" ? 1 : 0;
}

const JQ_OPTION =
  /^(?:-[nrRsSaCMjce]+|--(?:arg|argjson|indent|null-input|raw-input|slurp|compact-output|raw-output|join-output|ascii-output|sort-keys|color-output|monochrome-output|tab|exit-status|stream|args|jsonargs|seq|unbuffered))$/;

/** `find` with tests and printing; what its `-exec` runs is a command of its own and judged as such. */
export const judgeFind: Judge = (call) => {
  if (call.appended) return appendedOptions("find");
  let index = 0;
  for (let word = call.args[index]; word !== undefined; word = call.args[index]) {
    const width = findWidth(call.args, index);
    if (typeof width !== "number") return width;
    index += width;
  }
  return undefined;
};

const FIND_VALUED =
  /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|x?type|size|[acm]time|[acm]min|newer|[ac]newer|newer[aBcm][aBcmt]|user|group|[ug]id|perm|links|inum|samefile|fstype|used|maxdepth|mindepth|regextype|printf|context|D)$/;
const FIND_PLAIN =
  /^(?:-(?:print0?|ls|prune|quit|depth|d|daystart|mount|xdev|follow|empty|executable|readable|writable|true|false|nouser|nogroup|noleaf|ignore_readdir_race|warn|nowarn|o|or|a|and|not|H|L|P|O[0-3])|[!(),])$/;

function findWidth(args: readonly Word[], index: number): number | Refusal {
  const word = args[index];
  if (word === undefined) return 1;
  if (word.value === null) {
    const path = isSurelyOperand(word) && !/^[!(),]/.test(word.leading);
    return path ? 1 : mayBecomeOption(word);
  }
  if (FIND_PLAIN.test(word.value) || !word.value.startsWith("-")) return 1;
  if (FIND_VALUED.test(word.value)) {
    const value = args[index + 1];
    return value?.splits === true || value?.expansions.brace === true || value?.expansions.glob === true
      ? mayBecomeOption(value)
      : 2;
  }
  if (word.value === "-exec" || word.value === "-execdir") return execWidth(args, index);
  const severity = /^-(?:delete|f(?:print|ls))/.test(word.value) ? "write" : "exec";
  return refuse("find-predicate", severity, `\`find ${word.value}\` is not read-only`);
}

function execWidth(args: readonly Word[], index: number): number | Refusal {
  let end = index + 1;
  while (end < args.length && args[end]?.value !== ";" && !(args[end]?.value === "+" && args[end - 1]?.value === "{}"))
    end++;
  if (end === args.length) return refuse("find-exec", "exec", "`find -exec` without an end");
  const expanding = args.slice(index + 1, end).find((word) => word.value === null && !isSurelyOperand(word));
  return expanding === undefined ? end - index + 1 : mayBecomeOption(expanding);
}

/** `tar` that lists. */
export const judgeTar: Judge = (call) => {
  const [mode, ...rest] = call.args;
  if (call.appended || mode === undefined) return appendedOptions("tar");
  const lists = /^-?[vzjJap]*t[vzjJap]*f?$/.test(mode.value ?? "");
  const listsLong = mode.value === "--list";
  if (!lists && !listsLong) return refuse("tar-mode", "write", "`tar` is read-only only when it lists (`tar -tf`)");
  const inner = parseOptions(
    { ...call, args: rest },
    { flags: "vzjJ", valued: "fC", long: "verbose gzip bzip2 xz wildcards", longValued: "file directory" },
  );
  if (!inner.ok) return inner.refusal;
  const archive = mode.value?.endsWith("f") === true ? rest[0] : undefined;
  const files = [archive, ...inner.options.map((option) => option.value)];
  const remote = files.some((file) => (typeof file === "string" ? file : (file?.value ?? "")).includes(":"));
  // Behind a slash a colon names no host; a name that expands could hold one.
  const unknown = files.some((file) => typeof file === "object" && file.value === null && !file.leading.includes("/"));
  return remote || unknown
    ? refuse("tar-archive", "network", "the archive of `tar` may be on another host")
    : undefined;
};

/**
 * `test` and `[`. `-v` evaluates the subscript of its operand and can run a command in it, so an expanding word may
 * only stand where no operator can.
 */
export const judgeTest: Judge = (call) => {
  const words = call.name === "[" ? call.args.slice(0, -1) : call.args;
  if (call.appended || words.some((word) => word.splits)) {
    return refuse("test-operands", "unknown", `\`${call.name}\` with an unquoted expansion could evaluate anything`);
  }
  const terms: Word[][] = [[]];
  for (const word of words) {
    if (/^(?:!|-a|-o|\(|\))$/.test(word.value ?? "") && terms.at(-1)?.length !== 1) terms.push([]);
    else if (/^(?:-a|-o|\))$/.test(word.value ?? "")) terms.push([]);
    else terms.at(-1)?.push(word);
  }
  return terms.every(isHarmlessTerm)
    ? undefined
    : refuse("test-operator", "unknown", `\`${call.name}\` evaluates an operand that is not known`);
};

function isHarmlessTerm(term: readonly Word[]): boolean {
  if (term.length < 2) return true;
  const operator = term.length === 2 ? term[0]?.value : term[1]?.value;
  if (operator === undefined || operator === null || term.length > 3) return false;
  return term.length === 2
    ? /^-[a-uw-zGLNOS]$/.test(operator)
    : /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/.test(operator);
}

/** Options stand before the program; what follows it are files, which may begin with a dash. */
function leadingOptions(call: Call): Call {
  const at = call.args.findIndex((word, index) => {
    const before = call.args[index - 1]?.value;
    return isSurelyOperand(word) && before !== "-F" && before !== "-v";
  });
  return at === -1 ? call : { ...call, args: call.args.slice(0, at + 1) };
}

function literalValue(option: GivenOption): string | undefined {
  return typeof option.value === "object" ? (option.value.value ?? undefined) : option.value;
}
