/**
 * Ending every process, and stopping the machine.
 */
import type { Refusal } from "../finding.ts";
import { block, type DangerCall, type DangerJudge } from "./call.ts";
import { knownText } from "./fields.ts";

/** The judges of this file, by program. */
export const PROCESS_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ["kill", judgeKill],
  ["skill", judgeKill],
  ["pkill", judgePattern],
  ["killall", judgeKillall],
  ...["shutdown", "reboot", "halt", "poweroff", "killall5", "openrc-shutdown", "shutdown.exe"].map(
    (name): [string, DangerJudge] => [name, stops(judgeShutdown)],
  ),
  ...["init", "telinit", "runit-init"].map((name): [string, DangerJudge] => [name, stops(judgeInit)]),
  ["systemctl", stops(judgeSystemctl)],
  ["loginctl", stops(judgeLoginctl)],
  ...["dbus-send", "gdbus", "busctl", "qdbus"].map((name): [string, DangerJudge] => [name, stops(judgeBus)]),
  [
    "kexec",
    stops((call) => (texts(call).some((text) => /^(?:-e|--exec)$/.test(text)) ? stopped(call.name) : undefined)),
  ],
  [
    "osascript",
    stops((call) =>
      texts(call).some((text) => /\b(?:shut down|restart)\b/.test(text)) ? stopped(call.name) : undefined,
    ),
  ],
  ["wsl", stops((call) => (texts(call).includes("--shutdown") ? stopped(call.name) : undefined))],
];

function texts({ fields }: DangerCall): string[] {
  return fields.map((field) => knownText(field) ?? "");
}

interface KillWords {
  readonly signals: readonly string[];
  readonly targets: readonly string[];
}

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
    else if (/^(?:-q|--queue|--timeout)$/.test(word)) at++;
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

/** Signal 0 asks whether a process is there, and ends none. */
function isHarmless(signals: readonly string[]): boolean {
  return signals.length > 0 && signals.every((signal) => /^(?:0|EXIT)$/i.test(signal));
}

/** `kill -9 -1` and `kill 1`; in `kill -1 1234` the `-1` is a signal. */
function judgeKill(call: DangerCall): Refusal | undefined {
  const words = texts(call);
  if (/^(?:-[lL]|--list|--table)/.test(words[0] ?? "")) return undefined;
  const { signals, targets } = readKill(words);
  if (isHarmless(signals)) return undefined;
  const added = (call.added ?? []).map((field) => knownText(field) ?? "");
  const all = [...targets, ...added].find((text) => /^(?:-0*1|\+?0*1)$/.test(text));
  return all === undefined
    ? undefined
    : block("kills-everything", `\`kill ${all}\` ends ${all.startsWith("-") ? "every process" : "init"}`);
}

/** A pattern that every name matches. */
const MATCHES_ALL = /^[.^$*?+()|]*$/;

function judgePattern(call: DangerCall): Refusal | undefined {
  const words = texts(call);
  const signals = words.flatMap((word, at) =>
    /^-(?:\d+|[A-Z]{3,})$/.test(word) ? [word.slice(1)] : word === "--signal" ? [words[at + 1] ?? ""] : [],
  );
  if (isHarmless(signals)) return undefined;
  const patterns = words.filter(
    (word, at) => !word.startsWith("-") && !/^-[gGPstuUF]$|^--\w+$/.test(words[at - 1] ?? ""),
  );
  const given = call.fields.map(knownText);
  const isAll = patterns.some((pattern) => given.includes(pattern) && MATCHES_ALL.test(pattern));
  return isAll ? block("kills-everything", `\`pkill ${patterns[0] ?? ""}\` ends every process`) : undefined;
}

function judgeKillall(call: DangerCall): Refusal | undefined {
  const words = texts(call);
  const isPattern = words.some((word) => /^(?:-[a-z]*r[a-z]*|--regexp)$/.test(word));
  const all = words.find((word) => !word.startsWith("-") && word !== "" && MATCHES_ALL.test(word));
  if (!isPattern || all === undefined || words.some((word) => /^-(?:0|l)$/.test(word))) return undefined;
  return block("kills-everything", `\`killall -r ${all}\` ends every process`);
}

/** The owner may let a machine be administered. */
function stops(judge: DangerJudge): DangerJudge {
  return (call) => (call.options.blockShutdown === false ? undefined : judge(call));
}

function stopped(name: string): Refusal {
  return block("shutdown", `\`${name}\` stops the machine`);
}

function judgeShutdown(call: DangerCall): Refusal | undefined {
  const harmless = /^(?:-c|-k|--help|--show|--version|-w|--wtmp-only)$/;
  return texts(call).some((text) => harmless.test(text)) ? undefined : stopped(call.name);
}

function judgeInit(call: DangerCall): Refusal | undefined {
  return texts(call).some((text) => /^[06]$/.test(text)) ? stopped(call.name) : undefined;
}

const STOPPING_VERB = /^(?:poweroff|reboot|halt|kexec|soft-reboot|emergency|rescue)$/;
const STOPPING_TARGET =
  /^(?:poweroff|reboot|halt|kexec|soft-reboot|shutdown|emergency|rescue|runlevel[06])(?:\.target|\.service)?$/;

function judgeSystemctl(call: DangerCall): Refusal | undefined {
  const [verb = "", ...units] = commandWords(call);
  const isStopping =
    STOPPING_VERB.test(verb) ||
    (/^(?:start|isolate|restart)$/.test(verb) && units.some((unit) => STOPPING_TARGET.test(unit)));
  return isStopping ? block("shutdown", `\`systemctl ${verb}\` stops the machine`) : undefined;
}

/** The words that are neither options nor values of options. */
function commandWords(call: DangerCall): string[] {
  const words = texts(call);
  return words.filter((word, at) => !word.startsWith("-") && !/^-[tpPHMnos]$/.test(words[at - 1] ?? ""));
}

function judgeLoginctl(call: DangerCall): Refusal | undefined {
  const [verb = ""] = commandWords(call);
  return STOPPING_VERB.test(verb) ? stopped(`loginctl ${verb}`) : undefined;
}

function judgeBus(call: DangerCall): Refusal | undefined {
  const words = texts(call).join(" ");
  const asks =
    /login1|systemd1|ConsoleKit|SessionManager/.test(words) && /\b(?:PowerOff|Reboot|Halt|KExec|Stop)\w*\b/.test(words);
  return asks ? stopped(call.name) : undefined;
}
