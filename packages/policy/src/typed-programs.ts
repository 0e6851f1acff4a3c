/**
 * What a program makes of a text that is typed to it: a shell runs it, others can, most take it for data.
 *
 * A program is known by its executable and by how it was started: an interpreter with a script reads for its script, and what
 * that does with a line was decided when the script was. A program that lies about its name was allowed to run before.
 */

/** `shell`: each line is a command. `commands`: it can be one, in a language of the program. `data`: it is not. */
export type TypedKind = "shell" | "commands" | "data";

/**
 * Codes of what speaks against a text that is typed and of which it is not known what it runs. A host that lets unknown commands
 * run without a question lets these be typed: they can do no more.
 */
export const TYPED_UNKNOWN: ReadonlySet<string> = new Set([
  "typed-commands",
  "typed-denied",
  "typed-unknown",
  "typed-line-unknown",
]);

/** A program, as far as it is known. */
export interface TypedProgram {
  /** Names it goes by: that of its process, and that of its executable where it is known. */
  readonly names: readonly string[];
  /** Its command line; absent: not known. */
  readonly argv?: readonly string[] | undefined;
}

const SHELLS = words("bash rbash sh dash ash zsh ksh ksh93 mksh fish csh tcsh yash elvish nu xonsh pwsh busybox");

/** Interpreters: with a script they read for it. */
const INTERPRETERS = words(
  "python pypy node nodejs MainThread deno bun ruby perl php lua luajit tclsh wish R Rscript julia octave gnuplot",
);

/** Programs that run commands of their own language, or have a way to a shell. */
const COMMANDERS = words(
  "ipython ptpython bpython jupyter pdb irb pry ghci scala jshell groovysh iex erl sbcl clisp guile psql mysql mariadb sqlite3 mongosh mongo clickhouse duckdb gdb lldb cgdb rdb ssh mosh mosh-client telnet rlogin docker podman nerdctl kubectl oc lxc incus machinectl systemd-run vagrant sudo sudoedit su doas pkexec runuser chroot nsenter unshare vim vi view vimdiff rvim nvim ex ed red emacs nano pico joe jed micro helix hx kak mg mc mcedit ranger nnn lf less more most pg man info ftp sftp lftp ncftp tmux screen byobu script expect socat nc ncat netcat minicom picocom cu awk gawk mawk maxima gp sage mutt neomutt w3m lynx links elinks",
);

/** Options of interpreters after which the program stands in the command line. */
const SCRIPT_OPTIONS = new Set(["-c", "-e", "-E", "-p", "-r", "--eval", "--print", "-le", "-ne", "-pe"]);
/** Modules of Python that read commands. */
const COMMAND_MODULES = new Set(["pdb", "code", "IPython", "ptpython", "bpython", "asyncio", "sqlite3"]);

/** What becomes of a text that is typed to a program. */
export function typedKind({ names, argv }: TypedProgram): TypedKind {
  const bare = names.map(bareName);
  if (bare.some((name) => COMMANDERS.has(name))) return "commands";
  const words = argv?.slice(1);
  if (bare.some((name) => SHELLS.has(name))) return words !== undefined && isScript(words) ? "data" : "shell";
  if (!bare.some((name) => INTERPRETERS.has(name))) return "data";
  // A script that gave its process another title has no command line left, and no prompt of the interpreter's.
  const isTitled = argv?.[0] !== undefined && !INTERPRETERS.has(bareName(argv[0]));
  if (words === undefined) return "commands";
  return isTitled || isProgram(words) ? "data" : "commands";
}

/** Whether a shell was started with what it runs. */
function isScript(words: readonly string[]): boolean {
  for (const [at, word] of words.entries()) {
    if (!/^[-+]/u.test(word)) return !isBusybox(word) || isScript(words.slice(at + 1));
    if (word === "-s" || /^-[a-z]*i/u.test(word)) return false;
    if (/^-[a-z]*c/u.test(word)) return true;
    if (word === "--rcfile" || word === "--init-file" || word === "-O" || word === "-o") {
      return isScript(words.slice(at + 2));
    }
  }
  return false;
}

/** `busybox sh`: the applet comes first. */
function isBusybox(word: string): boolean {
  return SHELLS.has(bareName(word));
}

/** Whether an interpreter was started with what it runs, and reads nothing else. */
function isProgram(words: readonly string[]): boolean {
  for (const [at, word] of words.entries()) {
    if (word === "-i" || word === "--interactive" || word === "inspect" || word === "-d" || word === "-de0")
      return false;
    if (word === "-m") return !COMMAND_MODULES.has(words[at + 1] ?? "");
    if (SCRIPT_OPTIONS.has(word)) return true;
    if (!word.startsWith("-")) return !COMMANDERS.has(bareName(word)) && !SHELLS.has(bareName(word));
  }
  return false;
}

/** The name without its folder, its version, and the dash of a login shell: `python3.12` is `python`. */
function bareName(name: string): string {
  const base = name.slice(name.lastIndexOf("/") + 1).replace(/^-/u, "");
  return COMMANDERS.has(base) || SHELLS.has(base)
    ? base
    : base.replace(/(?:[-.]?\d+(?:\.\d+)*)?(?:\.exe)?$/u, "") || base;
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
