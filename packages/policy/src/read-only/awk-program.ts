/**
 * Reads an `awk` program far enough to know that it only prints.
 *
 * `system`, `getline`, pipes, output redirections and gawk's `@` directives reach outside. `>` is a comparison in a
 * pattern or in parentheses and a redirection otherwise. The difficulty is `/`: taken for a division where it opens a
 * regular expression, a quote inside it would hide code from the check; every doubtful `/` is refused.
 */

/** Longer programs are not read, in UTF-16 units. */
const MAX_CHARS = 8_192;

/** True when a program neither runs, nor writes, nor reads anything but its input. */
export function isHarmlessAwkProgram(program: string): boolean {
  if (program.length > MAX_CHARS) return false;
  const scan: Scan = { braces: 0, parens: 0, before: "", sawFor: false };
  for (let at = 0; at < program.length; ) {
    const width = step(program, at, scan);
    if (width === undefined) return false;
    at += width;
  }
  return scan.braces === 0 && scan.parens === 0;
}

interface Scan {
  braces: number;
  parens: number;
  /** The last token: a word, a number, one character; `""` at the start. */
  before: string;
  /** `for (;; print > "f")` holds a statement in parentheses. */
  sawFor: boolean;
}

/** Names that reach outside; files named in `ARGV` are opened after the check of the arguments. */
const FORBIDDEN: ReadonlySet<string> = new Set(
  "system getline close fflush ENVIRON ARGV ARGC SYMTAB FUNCTAB PROCINFO extension".split(" "),
);
/** After these words a `/` may open a regular expression. */
const KEYWORDS =
  /^(?:print|printf|return|in|length|delete|exit|else|do|while|if|for|next|nextfile|BEGIN|END|BEGINFILE|ENDFILE|case|switch|function|func)$/;

/** Width of the token at an offset, or undefined where the program is refused. */
function step(program: string, at: number, scan: Scan): number | undefined {
  const rest = program.slice(at);
  const blank = /^(?:[ \t\r]|\\\r?\n|#[^\n]*)+/.exec(rest);
  if (blank !== null) return blank[0].length;
  const word = /^[A-Za-z_]\w*|^\d[\w.]*|^\.\d\w*/.exec(rest);
  if (word !== null) {
    if (FORBIDDEN.has(word[0])) return undefined;
    scan.before = word[0];
    scan.sawFor ||= word[0] === "for";
    return word[0].length;
  }
  const char = rest[0] ?? "";
  if (char === '"') return string(rest, scan);
  if (char === "/") return slash(rest, scan);
  return operator(rest, char, scan);
}

function string(rest: string, scan: Scan): number | undefined {
  const match = /^"(?:\\[\s\S]|[^"\\\n])*"/.exec(rest);
  scan.before = "0";
  return match?.[0].length;
}

function slash(rest: string, scan: Scan): number | undefined {
  const before = scan.before;
  if (/^[\w.]/.test(before) && !KEYWORDS.test(before)) {
    scan.before = "/";
    return 1;
  }
  if (before === "]") {
    // The next one begins a regular expression: `a[1]/ /"/`.
    scan.before = "/";
    return 1;
  }
  // After `)`, a keyword or `++` only the grammar knows whether a division or a regular expression follows.
  if (/^[-+)]$/.test(before) || KEYWORDS.test(before)) return undefined;
  const match = /^\/(?:\\[^\n]|\[\^?\]?(?:\\[^\n]|[^\]\\\n])*\]|[^/\\\n[])*\//.exec(rest);
  // A slash in brackets ends the expression for some awks and not for others.
  if (match === null || /\[[^\]]*\//.test(match[0].slice(1, -1))) return undefined;
  scan.before = "0";
  return match[0].length;
}

function operator(rest: string, char: string, scan: Scan): number | undefined {
  scan.before = char;
  if (rest.startsWith("||") || rest.startsWith(">=")) return 2;
  switch (char) {
    case "|":
    case "@":
    case "`":
    case "'":
      return undefined;
    case ">":
      // What stands behind such a name is joined to it: `"/dev/stdout" x` is another file.
      if (/^>>?[ \t]*"\/dev\/std(?:out|err)"[ \t]*(?:[;}\n#]|$)/.test(rest)) return 1;
      return (scan.parens > 0 && !scan.sawFor) || scan.braces === 0 ? comparison(rest) : undefined;
    case "{":
      scan.braces++;
      return 1;
    case "}":
      scan.braces--;
      return 1;
    case "(":
      scan.parens++;
      return 1;
    case ")":
      scan.parens--;
      return 1;
    default:
      return 1;
  }
}

/** `>>` is never a comparison. */
function comparison(rest: string): number | undefined {
  return rest.startsWith(">>") ? undefined : 1;
}
