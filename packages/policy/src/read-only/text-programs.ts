/**
 * Judges of the programs whose arguments are a language of their own: `sed`, `awk`, `jq`, `find`, `tar`, `test`.
 *
 * Each accepts what its checker understands completely. The plain option tables are in `programs.ts`, `git` is in
 * `git.ts`.
 */
import type { Word } from "@pi-bash/command";
import { findValues } from "@pi-bash/command/internal";
import { type Refusal, refuse } from "../finding.ts";
import { isHarmlessAwkProgram } from "./awk-program.ts";
import {
  type Call,
  isSurelyOperand,
  type Judge,
  mayMultiply,
  type OptionValue,
  parseOptions,
  parseWordOptions,
  refuseOption,
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
  const scripts = given.length > 0 ? given.map(({ value }) => value?.text ?? null) : [literal(parsed.operands[0])];
  if (scripts.includes(null)) return notLiteral("`sed` script");
  return isHarmlessSedScript(scripts.join("\n"))
    ? undefined
    : refuse("sed-script", "write", "the `sed` script can write files or run programs");
};

/** `awk` with a program that only prints. */
export const judgeAwk: Judge = (call) => {
  const parsed = parseOptions(leadingOptions(call), { valued: "Fv", longValued: "field-separator assign" });
  if (!parsed.ok) return parsed.refusal;
  const program = literal(parsed.operands[0]);
  if (program === null) return notLiteral("`awk` program");
  if (call.args.some(mayBeSocket)) {
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
  const { variable, substitution, brace, locale, input } = word.expansions;
  return (variable || substitution || brace || locale || input) && "/inet".startsWith(start);
}

/** `jq` with a filter that reads its input alone. */
export const judgeJq: Judge = (call) => {
  const parsed = parseWordOptions(call, { valuesOf: jqValues });
  if ("refusal" in parsed) return parsed.refusal;
  const filter = literal(parsed.operands[0]);
  if (filter === null) return notLiteral("`jq` filter");
  return /\$ENV|(?<![.\w])(?:env|input_filename|import|include|get_search_list|modulemeta)\b/.test(filter)
    ? refuse("jq-filter", "unknown", "the `jq` filter reads more than its input")
    : undefined;
};

function jqValues(option: string): number | undefined {
  if (!JQ_OPTION.test(option)) return undefined;
  if (/^--(?:arg|argjson|slurpfile|rawfile)$/.test(option)) return 2;
  return option === "--indent" ? 1 : 0;
}

const JQ_OPTION =
  /^(?:-[nrRsSaCMjce]+|--(?:arg|argjson|slurpfile|rawfile|indent|null-input|raw-input|slurp|compact-output|raw-output|join-output|ascii-output|sort-keys|color-output|monochrome-output|tab|exit-status|stream|args|jsonargs|seq|unbuffered))$/;

/** `find` with tests and printing; what its `-exec` runs is a command of its own and judged as such. */
export const judgeFind: Judge = (call) => {
  let index = 0;
  for (let word = call.args[index]; word !== undefined; word = call.args[index]) {
    const width = findWidth(call.args, index);
    if (typeof width !== "number") return width;
    index += width;
  }
  return undefined;
};

/** Predicates with a value that write, or that read names out of a file. */
const FIND_REFUSED_VALUED = /^-(?:f(?:ls|print[0f]?)|files0-from)$/;
const FIND_PLAIN =
  /^(?:-(?:print0?|ls|prune|quit|depth|d|daystart|mount|xdev|follow|empty|executable|readable|writable|true|false|nouser|nogroup|noleaf|ignore_readdir_race|warn|nowarn|o|or|a|and|not|H|L|P|O[0-3])|[!(),])$/;

function findWidth(args: readonly Word[], index: number): number | Refusal {
  const word = args[index];
  if (word === undefined) return 1;
  if (word.value === null) {
    const path = isSurelyOperand(word) && !/^[!(),]/.test(word.leading);
    return path ? 1 : refuseOption("find", word);
  }
  if (FIND_PLAIN.test(word.value) || !word.value.startsWith("-")) return 1;
  if (findValues(word.value) === 1 && !FIND_REFUSED_VALUED.test(word.value)) {
    const value = args[index + 1];
    return value !== undefined && mayMultiply(value) ? refuseOption("find", value) : 2;
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
  return expanding === undefined ? end - index + 1 : refuseOption("find", expanding);
}

/** `tar` that lists an archive named in the line. */
export const judgeTar: Judge = (call) => {
  const [mode, ...rest] = call.args;
  const text = mode?.value ?? "";
  const lists = /^-?[vzjJap]*t[vzjJap]*f?$/.test(text);
  if (!lists && text !== "--list") {
    return refuse("tar-mode", "write", "`tar` is read-only only when it lists (`tar -tf`)");
  }
  const inner = parseOptions(
    { ...call, args: rest },
    { flags: "vzjJ", valued: "fC", long: "verbose gzip bzip2 xz wildcards", longValued: "file directory" },
  );
  if (!inner.ok) return inner.refusal;
  const [first] = rest;
  const bundled = text.endsWith("f") && first !== undefined ? [{ text: first.value, leading: first.leading }] : [];
  // A directory is not an archive; refusing a colon in its name does no harm.
  const named = inner.options.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return [...bundled, ...named].some(mayBeRemote)
    ? refuse("tar-archive", "network", "the archive of `tar` may be on another host")
    : undefined;
};

/** `host:file` is an archive on another host; behind a slash a colon names none. */
function mayBeRemote({ text, leading }: OptionValue): boolean {
  const before = (text ?? leading).split("/", 1)[0] ?? "";
  return text === null ? before.includes(":") || !leading.includes("/") : before.includes(":");
}

/**
 * `test` and `[`. `-v` evaluates the subscript of its operand and can run a command in it, so an expanding word may
 * only stand where no operator can.
 */
export const judgeTest: Judge = (call) => {
  const words = call.name === "[" ? call.args.slice(0, -1) : call.args;
  if (words.some(mayMultiply)) {
    return refuse("test-operands", "unknown", `\`${call.name}\` with an unquoted expansion could evaluate anything`);
  }
  let term: Word[] = [];
  const terms = [term];
  for (const word of words) {
    // Behind one word `!` and `(` are operands of what may be an operator.
    const joins = term.length === 1 ? /^(?:-a|-o|\))$/ : /^(?:!|-a|-o|\(|\))$/;
    if (joins.test(word.value ?? "")) {
      term = [];
      terms.push(term);
    } else {
      term.push(word);
    }
  }
  return terms.every(isHarmlessTerm)
    ? undefined
    : refuse("test-operator", "unknown", `\`${call.name}\` evaluates an operand that is not known`);
};

function isHarmlessTerm(term: readonly Word[]): boolean {
  if (term.length < 2) return true;
  const [first = "", second = ""] = term.map(({ value }) => value ?? "");
  if (term.length === 2) return /^-[a-uw-zGLNOS]$/.test(first);
  return term.length === 3 && /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/.test(second);
}

/** Options stand before the program; what follows it are files, which may begin with a dash. */
function leadingOptions(call: Call): Call {
  const at = call.args.findIndex((word, index) => {
    const before = call.args[index - 1]?.value;
    return isSurelyOperand(word) && before !== "-F" && before !== "-v";
  });
  return at === -1 ? call : { ...call, args: call.args.slice(0, at + 1) };
}

function literal(word: Word | undefined): string | null {
  return word?.value ?? null;
}
