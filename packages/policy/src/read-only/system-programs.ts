/**
 * The read-only table's programs that show the state of the machine: processes, services, network, journal.
 *
 * Each of them can also change what it shows, mostly by a word in the place where another only shows. So every word that
 * decides stands here literally, and a missing or unknown one is never taken for the harmless default. Sources: the
 * manuals and sources of procps 4.0, util-linux 2.41, iproute2 6.15, net-tools 2.10, systemd 257 and vim's xxd.
 */
import type { Word } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { type Refusal, refuse } from "../finding.ts";
import { isSurelyOperand, type Judge, mayMultiply, onlyOptions, parseWordOptions, refuseOption } from "./options.ts";

const PS_FLAGS = /^-[AaefdlFHwyTLmMjNcVZ]+$/;
const PS_VALUED =
  /^(?:-[AaefdlFHwyTLmMjNcZ]*[oOpuUCtgGskq]|--(?:sort|format|pid|ppid|user|User|group|Group|tty|cols|columns|lines|rows|width|quick-pid|sid))$/;
const PS_LONG =
  /^--(?:forest|headers?|no-headers?|deselect|cumulative|context|info|version|help|(?:sort|format|pid|ppid|user|User|group|Group|tty|cols|columns|lines|rows|width|quick-pid|sid)=.*)$/s;
/** BSD letters, which need no dash, and process ids; the letter `e` would show the environment of every process. */
const PS_OPERAND = /^(?:[aufxwjlvhHTrmLScgnX]+|[\d,]+)$/;

function psValues(option: string): number | undefined {
  // `ps -aux` is read as `ps aux` where no user is called `x`.
  if (/^-aux[wfr]*$/.test(option)) return 0;
  if (PS_VALUED.test(option)) return 1;
  return PS_FLAGS.test(option) || PS_LONG.test(option) ? 0 : undefined;
}

/** What makes `ps` read all its words a second time: `-aux`, and an option whose value is missing. */
function isReadTwice(args: readonly Word[]): boolean {
  const last = args.at(-1)?.value ?? "";
  return PS_VALUED.test(last) || args.some(({ value }) => /^-aux[wfr]*$/.test(value ?? ""));
}

/** `ps` with literal options, and no format that shows an environment. */
const judgePs: Judge = (call) => {
  const shows = refuse("shows-environment", "unknown", "`ps e` shows the environment of other processes");
  if (call.args.some((word) => /env/i.test(word.display))) return shows;
  // What is wrong as an option of UNIX is read again as one of BSD, where `e` shows environments: `ps -g x -e`.
  const showsAll = call.args.some(({ value }) => /^-[a-zA-Z]*e/.test(value ?? ""));
  const parsed = parseWordOptions(call, {
    valuesOf: psValues,
    accepts: ({ value, leading }, option) => {
      if ((value ?? leading).startsWith("-")) return false;
      if (!/^-[a-zA-Z]*[puUCtgGsq]$/.test(option)) return value !== null;
      return showsAll ? /^[\d,]+$/.test(value ?? "") : true;
    },
  });
  if (showsAll && isReadTwice(call.args)) return shows;
  if ("refusal" in parsed) return /^-?[a-zA-Z]*E/.test(firstValue(call.args)) ? shows : parsed.refusal;
  const bad = parsed.operands.find((word) => !PS_OPERAND.test(word.value ?? ""));
  return bad === undefined ? undefined : bad.value === null ? refuseOption("ps", bad) : shows;
};

const sendsSignal = (): Refusal => refuse("sends-signal", "write", "`kill` sends a signal");

/** `kill -l`, and signal 0 for literal processes or one word: of several the last may be another signal. */
const judgeKill: Judge = ({ args }) => {
  const [mode, ...rest] = args;
  if (mode?.value === "-l" || mode?.value === "-L") return rest.every(isLiteralOperand) ? undefined : sendsSignal();
  if (mode?.value !== "-0") return sendsSignal();
  const processes = firstValue(rest) === "--" ? rest.slice(1) : rest;
  const known = processes.every((word) => /^%?[\w+]+$/.test(word.value ?? ""));
  const [only] = processes;
  const single = processes.length === 1 && only !== undefined && !mayMultiply(only) && only.value === null;
  return known || single ? undefined : sendsSignal();
};

function isLiteralOperand(word: Word): boolean {
  return word.value !== null && !word.value.startsWith("-");
}

const IP_OPTIONS = /^-(?:br|brief|4|6|0|o|oneline|s|stats|statistics|d|details|j|json|p|pretty|c|color|h|human|r)$/;
const IP_OBJECTS = /^(?:a|addr|address|l|link|r|route|n|neigh|neighbour|ru|rule|maddr|maddress)$/;

const IP_SHOWS: ReadonlySet<string> = new Set(["show", "list", "lst", "ls"]);

/** `ip addr show …`: object and verb literal. The verb `s` is short for `set` with some objects, so it is not listed. */
const judgeIp: Judge = ({ args }) => {
  const at = args.findIndex((word) => !IP_OPTIONS.test(word.value ?? ""));
  const words = at === -1 ? [] : args.slice(at);
  const [object, verb, ...rest] = words;
  const shows = IP_OBJECTS.test(object?.value ?? "") && (verb === undefined || IP_SHOWS.has(verb.value ?? ""));
  return shows && !args.some((word) => word.value === "-r") && !rest.some(mayMultiply)
    ? undefined
    : refuse("changes-network", "write", "`ip` is read-only only when it shows addresses, links, routes or neighbours");
};

const judgeSystemctl: Judge = onlyOptions(
  {
    flags: "alqr",
    valued: "tpn",
    long: "no-pager all failed full plain no-legend user system quiet",
    longValued: "type state property lines output",
  },
  ({ operands }) => {
    const [verb] = operands;
    // Without a word it lists the units; a word that is not known could be any verb.
    const shows =
      verb === undefined ||
      /^(?:status|show|cat|get-default|list-(?:units|unit-files|timers|sockets|jobs|dependencies|machines|automounts|paths)|is-(?:active|enabled|failed|system-running))$/.test(
        verb.value ?? "",
      );
    return shows
      ? undefined
      : refuse("changes-services", "write", "`systemctl` is read-only only for `status`, `show`, `list-…` and `is-…`");
  },
);

// The values of `-n` and `-b` are optional: a next word is a word of its own, and an option if it begins like one.
const judgeJournal = onlyOptions({
  flags: "exkrqa",
  valued: "uptoSUgi",
  attached: "nb",
  long: "no-pager no-hostname utc dmesg reverse all quiet catalog pager-end lines= boot= no-tail no-full full",
  longValued: "unit user-unit since until priority output identifier grep",
});

/** Words of a filter of `ss` that name no host: states, ports by number, operators. */
const SS_WORD =
  /^(?:state|exclude|established|syn-sent|syn-recv|fin-wait-[12]|time-wait|close|closed|close-wait|last-ack|listening|listen|closing|all|connected|synchronized|bucket|big|sport|dport|and|or|not|[()=!<>&|]+|eq|ne|ge|le|gt|lt|:?\d+)$/;

const judgeSs = onlyOptions(
  {
    flags: "natulpeoimsx460wHOZT",
    long: "numeric all tcp udp listening processes summary options extended memory info ipv4 ipv6 unix raw no-header oneline",
  },
  ({ operands }) =>
    operands.every(({ value }) => value?.split(/\s+/).every((part) => part === "" || SS_WORD.test(part)) === true)
      ? undefined
      : refuse("looks-up-names", "network", "`ss` looks up the hosts that its filter names"),
);

/** Without `-n` addresses become names, by asking name servers. */
const needsNumeric = ({ options }: { readonly options: readonly { readonly name: string }[] }): Refusal | undefined =>
  options.some(({ name }) => name === "-n")
    ? undefined
    : refuse("looks-up-names", "network", "asks for names; give `-n`");

const XXD_VALUED = /^-(?:c|cols|g|groupsize|l|len|s|seek|o|n|name)$/;
const XXD_PLAIN = /^-(?:[cglo]\d+|s[-+]*\d+|a|b|C|d|e|E|i|p|ps|plain|u|v)$/;

/**
 * `xxd` with one file: it writes a second one. It reads its options by their beginnings (`-col` is `-c ol`), so they are
 * listed whole, and their values are numbers.
 */
const judgeXxd: Judge = (call) => {
  const parsed = parseWordOptions(call, {
    endsAtOperand: true,
    valuesOf: (option) => (XXD_VALUED.test(option) ? 1 : XXD_PLAIN.test(option) ? 0 : undefined),
    accepts: (value, option) =>
      option.startsWith("-n") ? isSurelyOperand(value) : /^[-+]*(?:0[xX])?[\da-fA-F]+$/.test(value.value ?? ""),
  });
  if ("refusal" in parsed) return parsed.refusal;
  return parsed.operands.length > 1 || parsed.operands.some(mayMultiply)
    ? refuse("writes-file", "write", "`xxd` writes its second operand")
    : undefined;
};

/** Judges by program name. */
export const SYSTEM_PROGRAMS: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  ["ps", judgePs],
  ["kill", judgeKill],
  ["ip", judgeIp],
  ["systemctl", judgeSystemctl],
  ["journalctl", judgeJournal],
  ["ss", judgeSs],
  ["netstat", onlyOptions({ flags: "natulprsiev", maxOperands: 0 }, needsNumeric)],
  ["ifconfig", onlyOptions({ flags: "as", maxOperands: 0 })],
  ["route", onlyOptions({ flags: "nve", maxOperands: 0 }, needsNumeric)],
  // `-f`, `-d`, `-i`, `-a` and `-A` ask name servers.
  ["hostname", onlyOptions({ flags: "sI", long: "short all-ip-addresses", maxOperands: 0 })],
  ["domainname", onlyOptions({ maxOperands: 0 })],
  ["xxd", judgeXxd],
]);
