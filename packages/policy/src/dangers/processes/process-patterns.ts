/**
 * Which processes `pkill`, `pgrep` and `killall` select: whether that is all of them, or all of the system's.
 *
 * A pattern is judged by what it matches: one that matches every name of a sample matches everything, however it is
 * written (`.`, `''`, `[^/]`, `x|.*`). Sources: pgrep(1) of procps-ng and of FreeBSD, killall(1) of psmisc.
 */
import { compilePattern } from "../../linear-pattern.ts";
import { type GivenOptions, isNamed, type OptionGrammar, optionsNamed, readGivenOptions } from "../given-options.ts";
import { type Field, knownText, textField } from "../values/fields.ts";

/** Names that have no letter in common that a pattern could mean. */
const SAMPLE = ["init", "systemd", "sshd", "bash", "kworker", "login", "dbus-daemon", "cron", "agetty"];

/** The same of whole command lines. */
const FULL_SAMPLE = [
  "/sbin/init",
  "/usr/lib/systemd/systemd-journald",
  "/usr/sbin/sshd -D",
  "/usr/bin/dbus-daemon --system",
];

/** The first process, by its names. */
const FIRST_PROCESS = /^\^?(?:init|systemd|launchd)\$?$/;

/** True for an extended regular expression that matches every process, or names the first one. */
export function matchesEverything(pattern: string, isFull = false): boolean {
  if (FIRST_PROCESS.test(pattern)) return true;
  const compiled = compilePattern(withoutCounts(withoutClasses(pattern)), "i");
  const matchesAll = (names: readonly string[]): boolean =>
    compiled.ok && names.every((name) => compiled.pattern.test(name));
  return matchesAll(SAMPLE) || (isFull && matchesAll(FULL_SAMPLE));
}

/** Counts make automata large; without them a pattern matches no less. */
function withoutCounts(pattern: string): string {
  return pattern.replaceAll(/\{(\d*)(?:,\d*)?\}/g, (_, least: string) => (/^0*$/.test(least) ? "*" : "+"));
}

/** JavaScript's notation has no `[[:alpha:]]`. */
function withoutClasses(pattern: string): string {
  return pattern
    .replaceAll(/\[:(?:alpha|lower|upper|alnum):\]/g, "a-zA-Z0-9")
    .replaceAll(/\[:(?:digit|xdigit):\]/g, "0-9")
    .replaceAll(/\[:(?:graph|print|punct):\]/g, "!-~")
    .replaceAll(/\[:(?:space|blank|cntrl):\]/g, " ");
}

/** Words that are read, of a call or of a command that prints. */
type Words = Parameters<typeof readGivenOptions>[0];

const PGREP: OptionGrammar = {
  valued: "gGOPstuUFrqdMNj",
  longValued: [
    "signal queue pgroup group older parent session terminal euid uid pidfile logpidfile runstates cgroup ns nslist",
    "delimiter",
  ].join(" "),
};

/** What `pkill` and `pgrep` select everything by, for a message; undefined where they do not. */
export function selectsEverything(words: Words): string | undefined {
  const given = readGivenOptions(words, PGREP);
  const patterns = given.operands.map(knownText).filter((text) => text !== undefined);
  // Children of one process, and those that a file names, are some.
  const parents = valuesOf(given, "-P", "--parent");
  const isSome = optionsNamed(given, "-F", "--pidfile").length > 0 || (parents.length > 0 && !parents.some(isFirst));
  if (isSome) return undefined;
  const isFull = optionsNamed(given, "-f", "--full").length > 0;
  const all = patterns.find((pattern) => matchesEverything(pattern, isFull));
  if (all !== undefined) return all;
  const inverse = given.options.find(({ name }) => name === "-v" || (name.length > 3 && isNamed(name, "--inverse")));
  if (inverse !== undefined && (given.operands.length > 0 || given.options.length > 1)) return inverse.name;
  if (given.operands.length > 0) return undefined;
  if (parents.some(isFirst)) return "-P 1";
  return valuesOf(given, "--ns").some(isFirst) ? "--ns 1" : (ofOneOwner(given, words) ?? ofAnyAge(given));
}

/** `-u root` without anything else that narrows it. */
function ofOneOwner(given: GivenOptions, words: Words): string | undefined {
  const narrows =
    "-g --pgroup -P --parent -s --session -t --terminal --ns --cgroup -n --newest -o --oldest -r --runstates";
  const ages = "-O --older";
  return optionsNamed(given, ...`${narrows} ${ages}`.split(" ")).length > 0 ? undefined : ownerSelected(given, words);
}

/** `-O 0`: without anything that narrows it, all that started some time ago, the first process among them. */
function ofAnyAge(given: GivenOptions): string | undefined {
  const narrows = "-g --pgroup -G --group -P --parent -s --session -t --terminal -u --euid -U --uid --ns --cgroup";
  const isSome = optionsNamed(given, ...narrows.split(" ")).length > 0;
  return !isSome && optionsNamed(given, "-O", "--older").length > 0 ? "-O" : undefined;
}

/** What `pgrep` and `pidof` print where it is the numbers of all processes: that of the first is among them. */
export function printedProcesses(name: string, words: Words): readonly Field[] | undefined {
  if (name === "pgrep") return selectsEverything(words) === undefined ? undefined : FIRST;
  const { operands } = readGivenOptions(words, {});
  return operands.some((field) => FIRST_PROCESS.test(knownText(field) ?? "")) ? FIRST : undefined;
}

/** The number of the first process. */
export const FIRST: readonly Field[] = [textField("1")];

/**
 * `-u root`: all processes of the system's owner, where no name narrows it. `-u $USER`: all of this user's, the shell and
 * what started it among them. The text is for a message.
 */
export function ownerSelected(given: GivenOptions, { args, fieldsOf }: Words): string | undefined {
  const owners = valuesOf(given, "-u", "--euid", "--user", "-U", "--uid", "-G", "--group");
  const owner = owners.find((name) => /^(?:root|wheel|\+?0+)$/.test(name));
  if (owner !== undefined) return `-u ${owner}`;
  const own = args.find((word, at) => {
    const attached = /^(?:-[a-zA-Z]*[uU]|--(?:euid|user|uid)=)(.+)$/.exec(word.text)?.[1];
    const isValue = /^(?:-[a-zA-Z]*[uU]|--(?:euid|user|uid))$/.test(args[at - 1]?.text ?? "");
    return (
      OWN_USER.test(attached ?? (isValue ? word.text : "")) &&
      fieldsOf(word).some((field) => knownText(field) === undefined)
    );
  });
  return own?.text;
}

/** This user, by a variable that bash or the login sets, or by a program. */
const OWN_USER =
  /^"?(?:\$\{?(?:USER|LOGNAME|E?UID)\}?|\$\((?:whoami|logname|id -u[nr]?|id -[nr]u)\)|`(?:whoami|logname|id -un?)`)"?$/;

function valuesOf(given: GivenOptions, ...names: readonly string[]): string[] {
  const values: Field[] = optionsNamed(given, ...names).flatMap((option) => [...option.values]);
  return values.flatMap((field) => (knownText(field) ?? "unknown").split(/[\s,]/));
}

/** The kernel's own threads are children of 2, and all else is descended from 1. */
function isFirst(id: string): boolean {
  return /^\+?0*[012]$/.test(id);
}

const SIGNAL_NAMES = [
  "HUP|INT|QUIT|ILL|TRAP|ABRT|IOT|BUS|FPE|KILL|USR1|SEGV|USR2|PIPE|ALRM|TERM|STKFLT|CHLD|CLD|CONT|STOP|TSTP|TTIN",
  "TTOU|URG|XCPU|XFSZ|VTALRM|PROF|WINCH|IO|POLL|PWR|SYS|UNUSED|EMT|INFO|EXIT|RTM(?:IN|AX)(?:[-+]\\d+)?",
].join("|");
const SIGNAL_WORD = new RegExp(`^-(?:\\d+|(?:SIG)?(?:${SIGNAL_NAMES}))$`, "i");

/** True for `-9` and `-KILL`, which are not bundles of options. */
export function isSignalWord(text: string): boolean {
  return SIGNAL_WORD.test(text);
}

/** Signals that the first process takes as a word: it reads its settings again, or does nothing. */
const SPARES_INIT = /^(?:0|1|10|12|17|18|23|28|(?:SIG)?(?:HUP|USR1|USR2|CHLD|CLD|CONT|URG|WINCH)|EXIT)$/i;

/** True where init goes on. */
export function sparesInit(signals: readonly string[]): boolean {
  return signals.length > 0 && signals.every((signal) => SPARES_INIT.test(signal));
}

/** Signal 0 asks whether a process is there, and ends none. */
export function isHarmlessSignal(signals: readonly string[]): boolean {
  return signals.length > 0 && signals.every((signal) => /^(?:0+|EXIT)$/i.test(signal));
}
