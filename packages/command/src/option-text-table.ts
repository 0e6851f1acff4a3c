/**
 * Programs that run a command line which one of their options or operands holds: `ssh -o ProxyCommand='x'`,
 * `rsync -e 'x'`, `gdb -ex 'shell x'`, `socat EXEC:'x'`, `nc -e 'x'`.
 *
 * Only the table; `option-texts.ts` reads a call by it. Sources: ssh_config(5), scp(1), sftp(1), rsync(1), gdb(1),
 * "Shell Commands", socat(1), nc(1) of OpenBSD, GNU, traditional and BusyBox, ncat(1), hg(1), svn(1), man(1), psql(1),
 * mysql(1), sqlite3(1), split(1), apt.conf(5).
 */
import { awkTexts, calledTexts, makeTexts, quotedTexts, sedTexts, tclTexts, viTexts } from "./code-texts.ts";
import { attachedWord, literalWord, type Word } from "./word.ts";

/** An option, or operands, by which a program gets a command line. */
export interface Row {
  /** Letters of options that hold it. */
  readonly letters?: string;
  /** Letters whose value is the rest of a cluster: no option stands behind them. */
  readonly valued?: string;
  /** Names of long options that hold it, without dashes. */
  readonly names?: string;
  /** Long options begin with one dash as well. */
  readonly singleDash?: boolean;
  /** Operands hold it. */
  readonly operands?: boolean;
  readonly split?: boolean;
  readonly remote?: boolean;
  /** The words behind the value are arguments of the program that it names. */
  readonly rest?: boolean;
  /** Only where the first words of the call are so. */
  readonly beside?: RegExp;
  /** The value is code of another language. */
  readonly code?: boolean;
  /** Standard input is code, too, or it has such values, one in a line. */
  readonly input?: "code" | "lines";
  /** An operand is a file with code, and so is the value of these letters: behind it, standard input is data. */
  readonly script?: string;
  /** The command lines in a value; itself where this is absent. */
  readonly read?: (value: Word) => readonly Word[];
}

const SSH_VALUED = "BbcDEeFIiJLlmOpPQRSWw";

/** Settings of ssh that hold a text for a shell; `Match exec` is one as well. */
const SSH_SETTING = /^\s*(?:proxycommand|localcommand|knownhostscommand|match\b.*?\bexec)\s*[=\s]\s*(?=\S)/is;
const SSH_REMOTE = /^\s*remotecommand\s*[=\s]\s*(?=\S)/is;
const SSH: readonly Row[] = [
  { letters: "o", valued: SSH_VALUED, read: behindPattern(SSH_SETTING) },
  { letters: "o", valued: SSH_VALUED, read: behindPattern(SSH_REMOTE), remote: true },
];

/** gdb and lldb: a command that begins so is one for a shell. */
const DEBUGGER_SHELL = /^\s*(?:!|(?:platform\s+)?she(?:ll?)?\b(?:\s+-h\b)?|\|.*\||pipe\b.*\|)\s*(?=\S)/s;
/** `EXEC:x` and its like: an address of its own, or the half of one. */
const SOCAT = /^(?:.*!!)?(?:exec|system|shell):/is;

const NC_VALUED = "gGiIlmMopPqsTVwxX";

/** Settings of apt that hold a text for a shell. */
const APT_SETTING = /^[^=]*(?:-invoke(?:-success)?|pre-install-pkgs)(?:::\w*)?=/i;

/** Code for Python stands in operands. */
const TIMEIT = /^(?:\S+ )*-[A-Za-z]*m ?timeit /;
/** A name that Perl's `<>` opens and that is a command. */
const PIPED_FILE = /^\s*(?:\|\s*(?=\S)|(?=\S.*\|\s*$))/s;

const AWK_SOURCE: Row = { letters: "e", valued: "fFvEilo", names: "source", code: true, read: awkTexts };
// Behind `e` the letter `s` has no value: `-esc x`.
const VI_COMMAND: Row = { letters: "c", valued: "iTuUwWSr", names: "cmd", code: true, input: "code", read: viTexts };

/** By program name; several programs are separated by blanks. */
const TABLE: readonly (readonly [string, readonly Row[]])[] = [
  ["ssh slogin autossh sshfs ssh-copy-id", SSH],
  ["scp sftp", [...SSH, { letters: "SD", valued: "BbcFiJlPRsX", split: true }]],
  ["mosh", [{ names: "ssh", split: true }]],
  ["sshfs", [{ letters: "o", read: behindPattern(/^(?:.*,)?(?:ssh_command|proxycommand)=/is) }]],
  ["rsync", [{ letters: "e", valued: "BfMT", names: "rsh", split: true, read: withHost }]],
  [
    "gdb",
    [
      {
        names: "ex iex eval-command init-eval-command",
        singleDash: true,
        input: "lines",
        read: behindPattern(DEBUGGER_SHELL),
      },
    ],
  ],
  [
    "lldb",
    [{ letters: "oOkK", names: "one-line one-line-before-file", input: "lines", read: behindPattern(DEBUGGER_SHELL) }],
  ],
  ["ftp tnftp lftp bc", [{ input: "lines", read: behindPattern(/^\s*!\s*(?=\S)/) }]],
  ["socat filan procan", [{ operands: true, read: socatTexts }]],
  [
    "nc ncat netcat nc.traditional nc.openbsd",
    [
      { letters: "ec", valued: NC_VALUED, names: "exec sh-exec" },
      { letters: "e", valued: NC_VALUED, rest: true },
    ],
  ],
  [
    "hg",
    [{ names: "ssh" }, { names: "config", read: behindPattern(/^(?:alias\.[\w-]+=!|ui\.ssh=|hooks\.[\w.-]+=)/i) }],
  ],
  ["svn", [{ names: "config-option", read: behindPattern(/^[^:]*:tunnels:[^=]*=/) }]],
  ["man", [{ letters: "P", valued: "CRLmMSserEp", names: "pager" }]],
  [
    "psql",
    [
      {
        letters: "c",
        valued: "dfvLoFPRThpU",
        names: "command",
        input: "lines",
        read: behindPattern(/^\s*\\!\s*(?=\S)/),
      },
    ],
  ],
  [
    "mysql mariadb",
    [
      {
        letters: "e",
        valued: "DhPuS",
        names: "execute",
        input: "lines",
        read: behindPattern(/^\s*(?:\\!|system\s)\s*(?=\S)/i),
      },
    ],
  ],
  ["sqlite3", [{ operands: true, input: "lines", read: behindPattern(/^\s*\.(?:shell|system)\s+/) }]],
  ["split gsplit", [{ names: "filter" }]],
  [
    "tar gtar",
    [
      {
        letters: "IF",
        valued: "bCfgHKLNTVX",
        names: "to-command use-compress-program info-script new-volume-script rsh-command rmt-command",
      },
      { names: "checkpoint-action", read: behindPattern(/^exec=/) },
    ],
  ],
  ["zip", [{ names: "TT unzip-command", singleDash: true }]],
  ["rpm rpmspec rpmbuild", [{ letters: "E", names: "eval", read: behindEnds(/^(.*?)%\(/s, /\)[^)]*$/s) }]],
  ["tcpdump", [{ letters: "z", valued: "BcCDFGiIjmMrsTVwWyZE", split: true }]],
  ["wget", [{ names: "use-askpass", split: true }]],
  ["rg", [{ names: "pre hostname-bin", split: true }]],
  ["ansible", [{ letters: "a", names: "args", remote: true }]],
  ["watchman-make", [{ letters: "r", names: "run" }]],
  ["fzf sk", [{ names: "preview" }, { names: "bind", read: fzfTexts }]],
  ["less more most", [{ operands: true, read: behindPattern(/^\+{1,2}!\s*/) }]],
  ["vi vim nvim gvim mvim rvim view vimdiff ex", [VI_COMMAND, { operands: true, read: viOperand }]],
  ["ed", [{ code: true, input: "code", read: viTexts }]],
  ["make gmake", [{ names: "eval", code: true, input: "code", read: makeTexts }]],
  ["dc", [{ letters: "e", names: "expression", input: "lines", read: behindPattern(/^(?:.*\s)?!\s*(?![<>=])/s) }]],
  ["awk gawk mawk nawk original-awk", [{ operands: true, code: true, read: awkTexts }, AWK_SOURCE]],
  [
    "sed gsed",
    [
      { operands: true, code: true, read: sedTexts },
      { letters: "e", valued: "lifE", names: "expression", code: true, read: sedTexts },
    ],
  ],
  [
    "python pypy ipython",
    [
      codeRow("c", "mWX", "", calledTexts, "m"),
      { operands: true, beside: TIMEIT, code: true, read: calledTexts },
      { letters: "s", valued: "nurpmXW", names: "setup", beside: TIMEIT, code: true, read: calledTexts },
    ],
  ],
  ["ipython", [{ letters: "c", code: true, input: "lines", read: behindPattern(/^\s*!{1,2}\s*(?=\S)/) }]],
  [
    "perl",
    [
      codeRow("eE", "iIxmMDCF", "", quotedTexts),
      { operands: true, code: true, read: behindEnds(PIPED_FILE, /\|\s*$/) },
    ],
  ],
  ["ruby irb pry jruby", [codeRow("e", "iIrFEKWTxC", "", quotedTexts)]],
  ["node nodejs bun tsx ts-node", [codeRow("ep", "r", "eval print")]],
  ["deno", [{ operands: true, code: true, read: calledTexts }]],
  ["php", [codeRow("rBRE", "dcfzSt", "run process-begin process-code process-end", quotedTexts, "f")]],
  ["lua luajit texlua", [codeRow("e", "l")]],
  ["Rscript R", [codeRow("e", "f", "", calledTexts, "f")]],
  ["julia", [codeRow("eE", "LJpt", "eval print", quotedTexts)]],
  ["osascript", [codeRow("e", "l")]],
  ["octave octave-cli gnuplot", [codeRow("e", "p", "eval")]],
  ["maxima", [codeRow("", "", "batch-string run-string")]],
  ["emacs emacsclient", [codeRow("e", "lfnquT", "eval execute")]],
  ["expect tclsh wish", [codeRow("c", "f", "", tclTexts, "f")]],
  ["groovy jrunscript clojure clj ghc scala", [codeRow("e", "fl", "eval")]],
  ["apt apt-get aptitude", [{ letters: "o", valued: "tcC", names: "option", read: behindPattern(APT_SETTING) }]],
];

/** An option whose value is code of a language with functions. */
function codeRow(letters: string, valued: string, names = "", read: Row["read"] = calledTexts, script = ""): Row {
  return { letters, valued, names, code: true, input: "code", read, script };
}

const ROWS: ReadonlyMap<string, readonly Row[]> = rowsByName();

function rowsByName(): ReadonlyMap<string, readonly Row[]> {
  const rows = new Map<string, readonly Row[]>();
  for (const [names, more] of TABLE) {
    for (const name of names.split(" ")) rows.set(name, [...(rows.get(name) ?? []), ...more]);
  }
  return rows;
}

/** `python3.11` is `python`. */
export function rowsOf(name: string): readonly Row[] {
  return ROWS.get(name) ?? ROWS.get(name.replace(/-?\d[\d.]*$/, "")) ?? [];
}

/** `+!x` and `+:!x`. */
function viOperand(value: Word): readonly Word[] {
  return value.leading.startsWith("+") ? viTexts(attachedWord(value, 1)) : [];
}

/** What stands between two patterns. */
function behindEnds(before: RegExp, after: RegExp): (value: Word) => readonly Word[] {
  return (value) =>
    behindPattern(before)(value).map((rest) => literalWord((rest.value ?? "").replace(after, ""), rest.span));
}

/** `start:execute(x)`, `ctrl-a:reload:x`, of fzf(1), "Key/event bindings". */
function fzfTexts(value: Word): readonly Word[] {
  const actions = (value.value ?? "").matchAll(
    /(?:execute(?:-silent)?|reload(?:-sync)?|become|transform[\w-]*|preview)(?:\((?<round>[^)]{0,4000})\)|\[(?<square>[^\]]{0,4000})\]|\{(?<brace>[^}]{0,4000})\}|:(?<rest>.*))/gs,
  );
  return [...actions].flatMap(({ groups = {} }) =>
    Object.values(groups).flatMap((text) => (text === undefined ? [] : [literalWord(text, value.span)])),
  );
}

function behindPattern(pattern: RegExp): (value: Word) => readonly Word[] {
  return (value) => {
    const found = pattern.exec(value.value ?? value.leading);
    return found === null ? [] : [unquoted(attachedWord(value, found[0].length))];
  };
}

/** The program adds the host and a command to what rsync is given. */
function withHost(value: Word): readonly Word[] {
  return value.value === null ? [value] : [literalWord(`${value.value} host rsync`, value.span)];
}

/** An address ends at a comma; behind it stand options. Where that is quoted, the whole of it is the text. */
function socatTexts(value: Word): readonly Word[] {
  return behindPattern(SOCAT)(value).flatMap((text) => {
    if (text.value === null) return [text];
    const address = text.value.replace(/(?<!\\),.*$/s, "").replaceAll(/\\(.)/gs, "$1");
    return address === text.value ? [text] : [text, unquoted(literalWord(address, text.span))];
  });
}

/** A value that stands in quotes of the program's own. */
function unquoted(word: Word): Word {
  const inner = /^(["'])(.*)\1$/s.exec(word.value ?? "");
  return inner === null || inner[2]?.includes(inner[1] ?? "") === true ? word : literalWord(inner[2] ?? "", word.span);
}
