/**
 * Command lines that code in another language gives to a shell as a literal: `python3 -c 'os.system("x")'`,
 * `node -e 'execSync("x")'`, `awk '{ print | "x" }'`, `sed 's/a/x/e'`, `vim -c '!x'`.
 *
 * A function that removes a folder with all in it is read as `rm -rf`, where the folder is a literal or the home.
 *
 * The code is searched, not read: what stands in a literal behind a name such as `system` counts, wherever that is.
 * What else code does by itself, and a text that it puts together of variables, are not seen. Repetitions in the patterns
 * have bounds, so that the time to search grows with the length of the code and no faster.
 */
import { literalWord, type Word } from "./word.ts";

/** Most texts of one code; more of them are not looked at. */
const MAX_TEXTS = 16;
/** Longest code that is searched, in UTF-16 units. */
const MAX_CODE_CHARS = 50_000;

const DOUBLE = String.raw`"(?:[^"\\]|\\.)*"`;
const SINGLE = String.raw`'(?:[^'\\]|\\.)*'`;
/** A template of JavaScript: what it fills in is as unknown as a variable of the shell, and is written alike. */
const TEMPLATE = "`(?:[^`\\\\]|\\\\.)*`";
const LITERAL = `(?:${DOUBLE}|${SINGLE}|${TEMPLATE})`;

/**
 * Functions that start a program by a literal. Sources: os and subprocess of Python, perlfunc(1), Kernel and Open3 of Ruby,
 * child_process of Node.js, program execution functions of PHP, os and io of Lua, base of R, `shell-command` of Emacs Lisp,
 * `do shell script` of AppleScript, `system` of Octave, gnuplot and Vim script, `execute` of Groovy.
 */
const NAMES = [
  "system(?:list)?|popen[0-9]?|Popen|exec[lv]?[pe]{0,2}|execSync|execFile(?:Sync)?|spawn[lv]?[pe]{0,2}|spawnSync",
  "shell_exec|passthru|proc_open|getoutput|getstatusoutput|check_call|check_output|create_subprocess_(?:shell|exec)",
  "readpipe|pipe",
  "execute|shell-command(?:-to-string)?|do shell script|callCommand|capture[23e]{0,2}|run|call|sh|qx|Command",
].join("|");
const LITERALS = new RegExp(LITERAL, "g");
const CALL = new RegExp(
  `(?<![\\w$-])(?:${NAMES})\\s{0,20}(?:\\(\\s{0,40})?(?:\\[\\s{0,40})?[fbru]?(?<words>${LITERAL}(?:\\s{0,40}(?:[,+.]\\s{0,40})?(?:\\[\\s{0,40})?${LITERAL})*)`,
  "g",
);
/** Backquotes, and Ruby's and Perl's other spellings of them. */
const QUOTED =
  /`(?<text>[^`]{0,4000})`|(?:%x|\bqx)\s{0,9}(?:\{(?<brace>[^}]{0,4000})\}|\((?<round>[^)]{0,4000})\)|\[(?<square>[^\]]{0,4000})\])/g;
/** `exec` of Tcl and `spawn` of Expect take words. */
const BARE =
  /(?:^|[\n;[{])[ \t]{0,40}(?:exec|spawn|system)[ \t]{1,20}(?:-\w{1,30}[ \t]{1,20}){0,8}(?<text>[^\n;\]}"]{1,4000})/g;
/** A literal that no name stands before: a bound keeps the search for its end short. */
const SHORT = LITERAL.replaceAll(")*", "){0,1000}");
const EXECUTED = new RegExp(`(?<words>${SHORT})\\s{0,20}\\.\\s{0,20}execute\\s{0,20}\\(`, "g");

/** Spellings of the home: Node.js, Python, Ruby, Perl. */
const HOME = [
  String.raw`(?:os|require\(['"](?:node:)?os['"]\))\.homedir\(\)|process\.env\.HOME(?![\w$])|Dir\.home(?![\w$])`,
  String.raw`(?:pathlib\.)?Path\.home\(\)|(?:os\.environ|process\.env|ENV|\$ENV)[[{]['"]?HOME['"]?[\]}]`,
  String.raw`os\.(?:getenv|environ\.get)\(['"]HOME['"]\)`,
].join("|");
/** One of them filled into a literal that has nothing else: a template, an f-string, Ruby's and Perl's strings. */
const FILLED_HOME = new RegExp(`^(?:[$#]?\\{(?:${HOME})\\}|\\$ENV\\{HOME\\})/?$`);
/** Functions that give the path that they are given. */
const SAME_PATH = String.raw`(?:[\w.]{0,40}(?:Path|str|expanduser|expand_path|abspath|realpath|resolve)\(\s{0,9}){0,2}`;
/** What is removed: a literal or the home, perhaps as the argument of such a function, and what stands behind it. */
const REMOVED = String.raw`\(?\s{0,9}(?<as>${SAME_PATH})[fbru]?(?<removed>${LITERAL}|${HOME})\s{0,9}(?<close>\){0,4})(?<next>\.expanduser|\s{0,9}[\s\S]?)`;
/**
 * Functions that remove whatever is below a folder: shutil of Python, fs, fs-extra and rimraf of Node.js, FileUtils of Ruby,
 * File::Path of Perl, os of Go, std::fs of Rust; others where they are asked to (`recursive`).
 */
const REMOVALS = [
  `(?<![\\w$'"-])(?:rmtree|rm_rf|rm_r|remove_tree|remove_entry_secure|rmSync|removeSync|emptyDirSync|rimraf(?:Sync)?|RemoveAll|remove_dir_all)\\s{0,9}${REMOVED}`,
  `(?<![\\w$'"-])(?:rm|rmdir|rmdirSync|remove|unlink)\\s{0,9}${REMOVED}(?<=,)(?=[^;]{0,120}?recursive)`,
].map((pattern) => new RegExp(pattern, "g"));
/** What is not code: literals and comments. */
const NO_CODE = new RegExp(`${SHORT}|#[^\\n]*|//[^\\n]*`, "g");

/** The removals of a code, as command lines. One in a literal or a comment is text, as in a script that edits another. */
function removals(code: string): string[] {
  const found = REMOVALS.flatMap((pattern) => [...code.matchAll(pattern)]);
  if (found.length === 0) return [];
  const texts = [...code.matchAll(NO_CODE)].map(({ index, 0: { length } }) => ({ start: index, end: index + length }));
  const isCode = ({ index }: RegExpExecArray): boolean => !texts.some(({ start, end }) => start < index && index < end);
  return found.filter(isCode).flatMap(({ groups = {} }) => removal(groups, /\bchdir\b/.test(code)));
}

/** One of them; none where more belongs to the path than a literal, or where a relative one starts elsewhere. */
function removal(groups: Readonly<Record<string, string | undefined>>, moves: boolean): string[] {
  const { as = "", removed = "", close = "", next = "" } = groups;
  const wrappers = as.split("(").length - 1;
  const isExpanded = next === ".expanduser";
  const isWhole =
    isExpanded || close.length > wrappers || (close.length === wrappers && /^\s*(?:[,;}\n]|$)/.test(next));
  if (!isWhole) return [];
  if (!/^["'`]/.test(removed) || FILLED_HOME.test(removed.slice(1, -1))) return ["rm -rf ~"];
  const path = unescaped(removed.slice(1, -1));
  if ((isExpanded || as.includes("expand")) && /^~(?:\/|$)/.test(path)) {
    return [path === "~" ? "rm -rf ~" : `rm -rf ~/${quoted(path.slice(2))}`];
  }
  return moves && !path.startsWith("/") ? [] : [`rm -rf ${quoted(path)}`];
}

/** Texts that functions of a language get. */
export function calledTexts(code: Word): readonly Word[] {
  return textsOf(code, (text) => [...removals(text), ...called(text, CALL), ...called(text, EXECUTED)]);
}

/** The same of a language in which backquotes run what stands between them, and `open` what stands at a `|`. */
export function quotedTexts(code: Word): readonly Word[] {
  return textsOf(code, (text) => {
    const same = withPlainQuotes(text);
    return [text, ...(same === text ? [] : [same])].flatMap((each) => [
      ...removals(each),
      ...called(each, CALL),
      ...plain(each, QUOTED),
      ...plain(each, QUOTED_LINES),
      ...opened(each),
    ]);
  });
}

/** `` <<`E` `` of Perl and Ruby. */
const QUOTED_LINES = /<<[-~]?`(?<by>\w{1,40})`[^\n]{0,400}\n(?<text>[\s\S]{0,1000}?)\n[ \t]{0,40}\k<by>/g;
/** Perl's and Ruby's other spellings of a literal. */
const OTHER_QUOTES = new RegExp(
  [
    String.raw`(?:\bqq?|%[qQ])\s{0,9}(?:\{(?<brace>[^{}]{0,4000})\}|\((?<round>[^()]{0,4000})\)`,
    String.raw`\[(?<square>[^[\]]{0,4000})\]|<(?<angle>[^<>]{0,4000})>|(?<by>[/!~^|])(?<text>[^\n]{0,400}?)\k<by>)`,
  ].join("|"),
  "g",
);

function withPlainQuotes(code: string): string {
  return code.replace(OTHER_QUOTES, (all, ...found) => {
    const { by: _, ...groups } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const text = Object.values(groups).find((group) => group !== undefined);
    return text === undefined ? all : `"${text.replaceAll('"', '\\"')}"`;
  });
}

/** What opens a file by a name, which may be a command: `open F, "x|"`, `IO.read("|x")`, and `<>` over such names. */
const OPENS = /\bopen\b|\bARGV\b|\bIO\b/;
/** `open F, "-|", "x", "y"` */
const PIPE_MODE = new RegExp(
  `["'](?:-\\||\\|-)["']\\s{0,20}(?:,|=>)\\s{0,20}(?<words>${SHORT}(?:\\s{0,20},\\s{0,20}${SHORT}){0,40})`,
  "g",
);

/** The commands that a language starts by opening them. */
function opened(code: string): string[] {
  if (!OPENS.test(code)) return [];
  const names = literalsOf(code).map((name) => name.trim());
  const piped = names.filter((name) => name.length > 2 && (name.startsWith("|") || name.endsWith("|")));
  return [...piped.map((name) => name.replace(/^\||\|$/g, "")), ...called(code, PIPE_MODE)];
}

const TCL_OPEN = /\bopen[ \t]{1,20}["{]?\|[ \t]{0,20}(?<text>[^"}\n;]{1,4000})/g;

/** The same of Tcl, whose commands take words. */
export function tclTexts(code: Word): readonly Word[] {
  return textsOf(code, (text) => [...plain(text, BARE), ...plain(text, TCL_OPEN), ...called(text, CALL)]);
}

const AWK_PIPE = new RegExp(`(?<words>${SHORT})\\s{0,20}\\|&?\\s{0,20}getline|\\|&?\\s{0,20}(?<into>${DOUBLE})`, "g");

/** A `print` into a pipe: what it prints, and the pipe's command or a variable that holds it. */
const AWK_PRINT = new RegExp(
  [
    `\\bprintf?\\b(?<printed>(?:${SHORT}|[^"'\`|;\\n{}]){0,200})`,
    `\\|&?\\s{0,20}\\(?\\s{0,20}(?<into>${SHORT}|[A-Za-z_]\\w{0,40})`,
  ].join(""),
  "g",
);
/** A command that runs what it reads. */
const READS_COMMANDS = /(?:^|[\s|;&/])(?:(?:ba|z|da|k|mk|a|c|tc|fi|ya|s)?sh|su)(?![\w./-])/;

/** Those of an awk program: `system("x")`, `"x" | getline`, `print | "x"`, `print "x" | "sh"`. */
export function awkTexts(code: Word): readonly Word[] {
  return textsOf(code, (text) => [...called(text, CALL), ...called(text, AWK_PIPE), ...printedTexts(text)]);
}

/** What is printed into a shell; where that has no literal, any of the code may be meant. */
function printedTexts(code: string): string[] {
  const all = literalsOf(code);
  if (!all.some((text) => READS_COMMANDS.test(text))) return [];
  const printed = [...code.matchAll(AWK_PRINT)].filter(({ groups: { into = "" } = {} }) => mayReadCommands(into));
  const texts = printed.map(({ groups = {} }) => literalsOf(groups["printed"] ?? ""));
  const given = texts.flatMap((each) => [...each, each.join(" "), each.join(""), formatted(each)]);
  return texts.some((each) => each.length === 0) ? [...given, ...all] : given;
}

/** A command that reads commands, or a variable. */
function mayReadCommands(into: string): boolean {
  return !/^["'`]/.test(into) || READS_COMMANDS.test(into.slice(1, -1));
}

/** The literals of a code or a part of it. */
function literalsOf(code: string): string[] {
  return [...code.matchAll(LITERALS)].map(([literal]) => unescaped(literal.slice(1, -1)));
}

/** The first text with the others in the place of its `%s`. */
function formatted([format = "", ...texts]: readonly string[]): string {
  let at = 0;
  return format.replaceAll(/%[-\d.]*[a-z]/g, () => texts[at++] ?? "");
}

const SED_PLACE = String.raw`(?:\d{1,20}|\$|/(?:\\.|[^/\\])*/)`;
const SED_ADDRESS = String.raw`\s{0,40}(?:${SED_PLACE}(?:\s{0,20},\s{0,20}[+~]?${SED_PLACE})?\s{0,20}(?:!\s{0,20})?)?`;
const SED_EXECUTE = new RegExp(String.raw`(?:^|[;{}\n])${SED_ADDRESS}e\s{1,20}(?<text>[^\n]+)`, "g");
const SED_SUBSTITUTE = new RegExp(
  String.raw`(?:^|[;{}\n])${SED_ADDRESS}s(?<by>[^\\\n])(?:\\.|(?!\k<by>)[^\\])*\k<by>(?<text>(?:\\.|(?!\k<by>)[^\\])*)\k<by>\w{0,20}e`,
  "g",
);

/** Those of a sed script: the command `e`, and what `s` with the flag `e` puts in the place of a match. */
export function sedTexts(code: Word): readonly Word[] {
  return textsOf(code, (text) => [...plain(text, SED_EXECUTE), ...plain(text, SED_SUBSTITUTE).map(unescaped)]);
}

const EX_SHELL =
  /(?:^|\|)[ \t:]{0,20}(?:sil\w{0,4}!?[ \t]{1,9})?[\d%.,$'<>+-]{0,40}[ \t]{0,9}(?:r|re|rea|read|w|wr|writ?e?)?[ \t]{0,9}![ \t]{0,9}(?<text>.+)/gm;

/** Those of a command of Vim: `!x`, `r !x`, `call system("x")`. */
export function viTexts(code: Word): readonly Word[] {
  return textsOf(code, (text) => [...plain(text, EX_SHELL), ...called(text, CALL)]);
}

/** Those of `make --eval`: `$(shell x)`, and the lines of a recipe. */
export function makeTexts(code: Word): readonly Word[] {
  return textsOf(code, (text) => [
    ...plain(text, /\$[({]shell\s{1,20}(?<text>[^)}]{1,4000})[)}]|!=[ \t]{0,20}(?<assigned>[^\n]+)/g),
    ...plain(text, /(?:^|\n)\t[-@+]{0,9}(?<text>[^\n]+)|:[^\n;=]{0,400};[ \t]{0,20}(?<same>[^\n]+)/g),
  ]);
}

/** The texts that `read` finds in a code whose beginning is known. */
function textsOf(code: Word, read: (text: string) => readonly string[]): readonly Word[] {
  const text = (code.value ?? code.leading).slice(0, MAX_CODE_CHARS);
  const texts = [...new Set(read(text))].filter((found) => found.trim() !== "");
  return texts.slice(0, MAX_TEXTS).map((found) => literalWord(found, code.span));
}

/** What a pattern finds as it stands. */
function plain(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].flatMap(({ groups = {} }) =>
    Object.entries(groups).flatMap(([name, text]) => (name === "by" || text === undefined ? [] : [text])),
  );
}

/**
 * The literals that a pattern finds: the first as a command line, all of them as the words of one, and all of them as one text.
 * Which of these the function takes is not looked at.
 */
function called(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].flatMap(({ groups = {} }) => {
    const list = groups["words"] ?? groups["into"] ?? "";
    const words = [...list.matchAll(LITERALS)].map(([literal]) => unescaped(literal.slice(1, -1)));
    const [first = ""] = words;
    return words.length > 1 ? [first, words.map(quoted).join(" "), words.join("")] : [first];
  });
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gs, (_, letter: string) => ESCAPES[letter] ?? letter);
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
