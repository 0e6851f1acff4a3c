/**
 * The read-only table: for each program, which calls only read.
 *
 * A program that is missing here is unknown, and an unknown program is not read-only. Sources: the manuals of GNU
 * coreutils, findutils, grep, procps, util-linux, iproute2 and systemd, each option checked for files it writes,
 * programs it starts and hosts it connects to. Programs that connect (`ping`, `dig`, `curl`) never stand here.
 */
import { firstValue } from "@pi-bash/command/internal";
import { isLoopVariable } from "../environment.ts";
import { refuse } from "../finding.ts";
import { judgeGit } from "./git.ts";
import { isSurelyOperand, type Judge, onlyOptions } from "./options.ts";
import { SEARCH_PROGRAMS } from "./search-programs.ts";
import { SYSTEM_PROGRAMS } from "./system-programs.ts";
import { judgeAwk, judgeFind, judgeJq, judgeSed, judgeTar, judgeTest } from "./text-programs.ts";

/** No option of these writes, runs or connects; they accept any words, also such as only expansion shows. */
const ANY_OPTIONS =
  "cat cut head nl tac tail tr wc expand unexpand fold fmt paste join comm cmp rev seq expr factor numfmt basename dirname readlink realpath pwd echo true false : id groups whoami logname w users uname arch nproc uptime free df du stat ls dir vdir pathchk md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum od hexdump hd strings grep egrep fgrep which type locale tty printenv lsblk lscpu column look cal sleep tsort pgrep yes break continue";

const anyOptions: Judge = () => undefined;

/** One word, and it asks for the version. */
const onlyVersion: Judge = (call) => {
  const only = call.args.length === 1 ? call.args[0]?.value : undefined;
  return /^(?:--version|-V|-v|-version)$/.test(only ?? "") && VERSION_SPELLING[call.name]?.includes(only ?? "") === true
    ? undefined
    : refuse("runs-code", "exec", `\`${call.name}\` runs code; only asking for its version is read-only`);
};

/** `cargo` and `go` are missing: a file of the project makes them run, or fetch, another version of themselves. */
const VERSION_SPELLING: Readonly<Record<string, readonly string[]>> = {
  node: ["--version", "-v"],
  python: ["--version", "-V"],
  python3: ["--version", "-V"],
  ruby: ["--version", "-v"],
  perl: ["--version", "-v"],
  npm: ["--version", "-v"],
  java: ["--version", "-version"],
  javac: ["--version", "-version"],
  bash: ["--version"],
  gcc: ["--version", "-v"],
  "g++": ["--version"],
  make: ["--version", "-v"],
  cmake: ["--version"],
};

const judgeDate = onlyOptions(
  {
    flags: "uR",
    valued: "dfr",
    attached: "I",
    long: "utc universal rfc-email iso-8601=",
    longValued: "date file reference rfc-3339",
  },
  ({ operands }) =>
    operands.every((word) => word.leading.startsWith("+") && !word.splits)
      ? undefined
      : refuse("sets-clock", "write", "`date` with an operand other than `+format` sets the clock"),
);

/** `-v name` assigns, and so does `%n` of a format, which has to be known for that. */
const judgePrintf: Judge = ({ args }) => {
  const format = firstValue(args) === "--" ? args[1] : args[0];
  if (format === undefined) return undefined;
  const isOperand = args[0] !== format || isSurelyOperand(format);
  const assigns = /%[^%a-zA-Z(]*[hjlLtz]*n/.test(format.value?.replaceAll("%%", "") ?? "%n");
  const isPlain = isOperand && !assigns;
  return isPlain ? undefined : refuse("printf-variable", "session", "`printf` could assign a variable (`-v`, `%n`)");
};

/** Lists, tests, or writes to its output. */
const judgeGzip = onlyOptions(
  { flags: "ltvqcdkfn", long: "list test verbose quiet stdout to-stdout decompress keep" },
  ({ options }) =>
    options.some(({ name }) => /^-(?:l|t|c|-list|-test|-stdout|-to-stdout)$/.test(name))
      ? undefined
      : refuse("writes-file", "write", "`gzip` replaces its files"),
);

/** `tee` opens `/dev/stdout` again, which empties the file that output goes to: the kernel has to hold it, as for `>`. */
const judgeTee = onlyOptions({ flags: "aip", long: "append ignore-interrupts output-error=" }, ({ operands }) => {
  const files = operands.filter(({ value }) => value !== "/dev/null");
  if (files.length === 0) return undefined;
  const refusal = refuse("writes-file", "write", "`tee` writes files");
  const isOutput = files.every(({ value }) => value === "/dev/stdout" || value === "/dev/stderr");
  return isOutput ? { ...refusal, needsKernel: true } : refusal;
});

const judgeDd: Judge = ({ args }) =>
  args.every((word) => /^(?:if|bs|ibs|count|skip|iflag|conv|status)=|^of=\/dev\/null$/.test(word.value ?? ""))
    ? undefined
    : refuse("writes-file", "write", "`dd` is read-only only without `of=`");

const judgeUnzip: Judge = (call) =>
  /^-(?:l|lv|v|t|tq|p|Z|Z1|lq|ql)$/.test(firstValue(call.args))
    ? onlyOptions({ flags: "lvtpqZ1C" })(call)
    : refuse("writes-file", "write", "`unzip` is read-only only when it lists or tests (`unzip -l`)");

const judgeCommand: Judge = ({ args }) =>
  /^-[vV]$/.test(firstValue(args)) ? undefined : refuse("runs-code", "exec", "`command` runs a program");

/** `read` fills variables; plain lower-case names are harmless in the loop they stand in. */
const judgeRead = onlyOptions({ flags: "rse", valued: "dntpNiu" }, ({ operands }) =>
  operands.every((word) => word.value !== null && isLoopVariable(word.value))
    ? undefined
    : refuse("sets-variable", "session", "`read` sets a variable that later commands obey"),
);

const judgeDirectory: Judge = ({ args }) =>
  args.every((word) => !word.splits) ? undefined : refuse("changes-directory", "session", "`cd` to an unknown place");

/** Judges by program name. */
export const READ_ONLY_PROGRAMS: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ...ANY_OPTIONS.split(" ").map((name): [string, Judge] => [name, anyOptions]),
  ...Object.keys(VERSION_SPELLING).map((name): [string, Judge] => [name, onlyVersion]),
  ["git", judgeGit],
  ["sed", judgeSed],
  ["awk", judgeAwk],
  ["gawk", judgeAwk],
  ["mawk", judgeAwk],
  ["jq", judgeJq],
  ["find", judgeFind],
  ["tar", judgeTar],
  ["test", judgeTest],
  ["[", judgeTest],
  ["date", judgeDate],
  ["printf", judgePrintf],
  ["tee", judgeTee],
  ["dd", judgeDd],
  ["unzip", judgeUnzip],
  ["command", judgeCommand],
  ["read", judgeRead],
  ["cd", judgeDirectory],
  ["pushd", judgeDirectory],
  ["popd", judgeDirectory],
  // Alone `xargs` is `xargs echo`; which options it has was looked at when its command was looked for.
  ["xargs", anyOptions],
  ["env", ({ args }) => (args.length === 0 ? undefined : refuse("runs-code", "exec", "`env` runs a program"))],
  ...SEARCH_PROGRAMS,
  ...SYSTEM_PROGRAMS,
  [
    "sort",
    onlyOptions({
      flags: "bdfghiMnrRVcCmsuz",
      valued: "kSt",
      long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse version-sort check= merge stable unique zero-terminated debug",
      longValued: "key field-separator buffer-size parallel sort batch-size random-source",
    }),
  ],
  [
    "uniq",
    onlyOptions({
      flags: "cdDiuz",
      valued: "fsw",
      long: "count repeated all-repeated= ignore-case unique zero-terminated group=",
      longValued: "skip-fields skip-chars check-chars",
      maxOperands: 1,
    }),
  ],
  [
    "shuf",
    onlyOptions({
      flags: "ezr",
      valued: "in",
      long: "echo zero-terminated repeat",
      longValued: "input-range head-count random-source",
    }),
  ],
  ["iconv", onlyOptions({ flags: "lcs", valued: "ft", long: "list silent", longValued: "from-code to-code" })],
  ["base64", onlyOptions({ flags: "di", valued: "w", long: "decode ignore-garbage", longValued: "wrap" })],
  ["base32", onlyOptions({ flags: "di", valued: "w", long: "decode ignore-garbage", longValued: "wrap" })],
  ["gzip", judgeGzip],
  ["gunzip", judgeGzip],
  ["zcat", onlyOptions({ flags: "qvf" })],
  ["bzcat", onlyOptions({ flags: "qvfks" })],
  ["xzcat", onlyOptions({ flags: "qvfk" })],
  ["getconf", onlyOptions({ flags: "a" })],
  // `--lookup` asks name servers.
  ["who", onlyOptions({ flags: "abdHlmpqrstTuw", long: "count heading" })],
  ["jobs", onlyOptions({ flags: "lprsn" })],
]);
