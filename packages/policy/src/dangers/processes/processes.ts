/**
 * Ending every process: `kill`, `pkill`, `killall` and relatives.
 *
 * Sources: kill(1) of bash, procps-ng and util-linux, pkill(1), killall(1) of psmisc and of macOS, fuser(1), skill(1).
 */
import type { Refusal } from "../../finding.ts";
import { block, type DangerCall, type DangerJudge, shownField, undecided } from "../call.ts";
import { placed } from "../devices/device-paths.ts";
import { isDeviceField } from "../devices/devices.ts";
import { type GivenOptions, optionsNamed, readGivenOptions } from "../given-options.ts";
import { knownText } from "../values/fields.ts";
import { judgeCounted } from "./counted-processes.ts";
import {
  isHarmlessSignal,
  isSignalWord,
  matchesEverything,
  ownerSelected,
  selectsEverything,
  sparesInit,
} from "./process-patterns.ts";

/** The judges of this file, by program. */
export const PROCESS_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ["kill", judgeKill],
  ["skill", judgeSkill],
  ["slay", judgeSlay],
  ["pkill", judgePattern],
  ["killall", judgeKillall],
  ["killall5", judgeKillall5],
  ["fuser", judgeFuser],
];

function texts({ fields }: DangerCall): string[] {
  return fields.map((field) => knownText(field) ?? "");
}

function endsEverything(message: string): Refusal {
  return block("kills-everything", `${message} ends every process`);
}

interface KillWords {
  readonly signals: readonly string[];
  readonly targets: readonly string[];
}

const TAKES_VALUE: ReadonlySet<string> = new Set(["-q", "--queue", "--timeout"]);

/**
 * The signals and targets of `kill`, which its versions read differently: after one signal a `-9` may be another one
 * (the last one wins) or a process group. It is taken for both.
 */
function readKill(words: readonly string[]): KillWords {
  const signals: string[] = [];
  const targets: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--") return { signals, targets: [...targets, ...words.slice(at + 1)] };
    const inline = /^(?:--signal=|-[sn](?=\d))(.+)$/.exec(word)?.[1];
    if (inline !== undefined) signals.push(inline);
    else if (/^(?:-[sn]|--signal)$/.test(word)) signals.push(words[++at] ?? "");
    else if (TAKES_VALUE.has(word)) at++;
    else readKillWord(word, signals, targets);
  }
  return { signals, targets };
}

/** A process, or a signal such as `-9`: the first is one, a later one may be either. */
function readKillWord(word: string, signals: string[], targets: string[]): void {
  const dashed = /^-./.test(word);
  if (!dashed || signals.length > 0 || targets.length > 0) targets.push(word);
  if (dashed && (targets.length === 0 || word !== "-1")) signals.push(word.slice(1));
}

/** `kill -9 -1` and `kill 1`; in `kill -1 1234` the `-1` is a signal. Numbers may have blanks around them. */
function judgeKill(call: DangerCall): Refusal | undefined {
  const words = texts(call);
  if (/^(?:-[lL]|--list|--table)/.test(words[0] ?? "")) return undefined;
  const { signals, targets } = readKill(words);
  if (isHarmlessSignal(signals)) return undefined;
  const added = (call.added ?? []).map((field) => knownText(field) ?? "");
  const all = [...targets, ...added].map((text) => text.trim()).find((text) => /^(?:-0*1|\+?0*1)$/.test(text));
  if (all?.startsWith("-")) return endsEverything(`\`kill ${all}\``);
  if (all !== undefined && !sparesInit(signals) && !isChosen(call))
    return block("kills-everything", `\`kill ${all}\` ends init`);
  return judgeNumbers(call);
}

const LOOPS: ReadonlySet<string> = new Set(["for", "while", "select"]);

const CONDITIONS: ReadonlySet<string> = new Set(["if", "case"]);

/** `[ … ] && kill "$p"` in a loop over processes, or an `if` there: the condition says which. */
function isChosen({ command, line }: DangerCall): boolean {
  const { start, end } = command.written.span;
  const around = line.constructs.filter(({ span }) => span.start <= start && end <= span.end);
  const loops = around.filter(({ kind }) => LOOPS.has(kind));
  const [loop] = loops.toSorted((one, other) => other.span.start - one.span.start);
  if (loop === undefined) return false;
  const before = loop.text.slice(0, start - loop.span.start).trimEnd();
  const isInside = around.some(({ kind, span }) => CONDITIONS.has(kind) && span.start > loop.span.start);
  return isInside || before.endsWith("&&") || before.endsWith("||");
}

const PRINTS_NUMBERS: ReadonlySet<string> = new Set(["seq", "ls"]);

/** The numbers that `seq` or a list of files says may be those of every process. */
function judgeNumbers(call: DangerCall): Refusal | undefined {
  const { feeder, name } = call;
  const counted = judgeCounted(call);
  if (counted !== undefined) return counted;
  return feeder !== undefined && PRINTS_NUMBERS.has(feeder)
    ? undecided(`\`${name}\` of the numbers that \`${feeder}\` prints, which may be those of every process`)
    : undefined;
}

/** The words without signals such as `-KILL`, and those signals. */
function withoutSignals(call: DangerCall): { readonly call: DangerCall; readonly signals: readonly string[] } {
  const end = call.args.findIndex(({ value }) => value === "--");
  const isSignal = (value: string | null, at: number): boolean =>
    value !== null && (end === -1 || at < end) && isSignalWord(value);
  return {
    call: { ...call, args: call.args.filter(({ value }, at) => !isSignal(value, at)) },
    signals: call.args.flatMap(({ value }, at) => (value !== null && isSignal(value, at) ? [value.slice(1)] : [])),
  };
}

function signalValues(given: GivenOptions, ...names: readonly string[]): string[] {
  return optionsNamed(given, ...names).flatMap(({ values }) => values.map((field) => knownText(field) ?? ""));
}

function judgePattern(given: DangerCall): Refusal | undefined {
  const { call, signals } = withoutSignals(given);
  const named = signalValues(readGivenOptions(call, { longValued: "signal" }), "--signal");
  if (isHarmlessSignal([...signals, ...named])) return undefined;
  const all = selectsEverything(call);
  return all === undefined ? undefined : endsEverything(`\`pkill ${all}\``);
}

const KILLALL = {
  valued: "onsuytcZ",
  longValued: "older-than younger-than ns signal user context",
};

const FIRST_PROCESSES: ReadonlySet<string> = new Set(["init", "systemd", "launchd"]);

/** Names are whole names, with `-r` (`-m` on macOS) patterns. `killall -u root` needs none. */
function judgeKillall(given: DangerCall): Refusal | undefined {
  const { call, signals } = withoutSignals(given);
  const options = readGivenOptions(call, KILLALL);
  const has = (...names: readonly string[]): boolean => optionsNamed(options, ...names).length > 0;
  if (isHarmlessSignal([...signals, ...signalValues(options, "-s", "--signal")]) || has("-l", "--list"))
    return undefined;
  const isPattern = has("-r", "--regexp", "-m");
  const names = options.operands.map((field) => knownText(field) ?? "unknown");
  const isSpared = sparesInit([...signals, ...signalValues(options, "-s", "--signal")]);
  const all = names.find((name) => (isPattern ? matchesEverything(name) : !isSpared && FIRST_PROCESSES.has(name)));
  const owner = names.length === 0 ? (ownerSelected(options, call) ?? olderThan(options)) : undefined;
  if (all === undefined) return owner === undefined ? undefined : endsEverything(`\`killall ${owner}\``);
  return isPattern
    ? endsEverything(`\`killall -r ${all}\``)
    : block("kills-everything", `\`killall ${all}\` ends init`);
}

/** `killall -o 1s`: all that started some time ago, whoever started it. */
function olderThan(options: GivenOptions): string | undefined {
  const isSome = optionsNamed(options, "-u", "--user", "-n", "--ns", "-Z", "--context").length > 0;
  return !isSome && optionsNamed(options, "-o", "--older-than").length > 0 ? "-o" : undefined;
}

/** It signals all but its own session. */
function judgeKillall5(call: DangerCall): Refusal | undefined {
  return isHarmlessSignal(withoutSignals(call).signals) ? undefined : endsEverything("`killall5`");
}

/** `skill -KILL -u root`, beside what it shares with `kill`. */
function judgeSkill(given: DangerCall): Refusal | undefined {
  const { call, signals } = withoutSignals(given);
  if (isHarmlessSignal(signals)) return undefined;
  const options = readGivenOptions(call, { valued: "ucpt", longValued: "user command pid tty ns" });
  const isSome = optionsNamed(options, "-c", "--command", "-p", "--pid", "-t", "--tty").length > 0;
  const owner = isSome ? undefined : ownerSelected(options, call);
  return owner === undefined ? judgeKill(given) : endsEverything(`\`skill ${owner}\``);
}

/** `slay root` ends all processes of a user. */
function judgeSlay(call: DangerCall): Refusal | undefined {
  return texts(call).includes("root") ? endsEverything("`slay root`") : undefined;
}

/** `fuser -km /` ends what uses anything on a file system; `fuser -k 3000/tcp` what holds a port. */
function judgeFuser(given: DangerCall): Refusal | undefined {
  const { call, signals } = withoutSignals(given);
  const options = readGivenOptions(call, { valued: "nM", longValued: "namespace" });
  const has = (...names: readonly string[]): boolean => optionsNamed(options, ...names).length > 0;
  if (!has("-k", "--kill") || isHarmlessSignal(signals)) return undefined;
  const isMount = has("-m", "--mount", "-c", "-M", "--ismountpoint");
  // The root folder is that of every process, mounted or not.
  const whole = options.operands.find(
    (field) => knownText(placed(field, call.folder)) === "/" || (isMount && isDeviceField(field, call.folder)),
  );
  return whole === undefined ? undefined : endsEverything(`\`fuser -k -m ${shownField(whole)}\``);
}
