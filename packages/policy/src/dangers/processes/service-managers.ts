/**
 * Stopping the machine by `systemctl` and `loginctl`: by a subcommand, or by a unit that does it.
 *
 * Sources: systemctl(1), loginctl(1), systemd.special(7).
 */
import type { Refusal } from "../../finding.ts";
import { block, type DangerCall, type DangerJudge, undecided } from "../call.ts";
import { type GivenOptions, type OptionGrammar, optionsNamed, readGivenOptions } from "../given-options.ts";
import { knownText } from "../values/fields.ts";

/** The judges of this file, by program. */
export const SERVICE_MANAGER_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ["systemctl", judgeSystemctl],
  ["loginctl", judgeLoginctl],
];

const GRAMMAR: OptionGrammar = {
  valued: "tpPHMnosC",
  longValued: [
    "type state property value-of host machine lines output signal job-mode root image image-policy preset-mode what",
    "kill-whom kill-who kill-value kill-subgroup reboot-argument timestamp boot-loader-menu boot-loader-entry message",
    "drop-in when check-inhibitors capsule",
  ].join(" "),
};

const STOPPING_VERB = /^(?:poweroff|reboot|halt|kexec|soft-reboot|emergency|rescue|switch-root)$/;
const STARTING_VERB =
  /^(?:start|isolate|restart|try-restart|condrestart|reload-or-restart|reload-or-try-restart|try-reload-or-restart|force-reload|set-default)$/;
const STOPPING_UNIT =
  /^(?:(?:poweroff|reboot|halt|kexec|soft-reboot|shutdown|emergency|rescue|exit|final|umount|ctrl-alt-del|runlevel[06]|initrd-switch-root)(?:\.target|\.service)?|systemd-(?:poweroff|reboot|halt|kexec|soft-reboot)(?:\.service)?)$/;
/** Groups of processes that the whole system is in. */
const SYSTEM_GROUP =
  /^(?:-\.slice|system(?:\.slice)?|init\.scope|user(?:\.slice)?|\*(?:\.(?:service|scope|slice|target))?)$/;
/** Every service requires one of these, and stops with it; the second kind belongs to the state of the whole machine. */
const BASE_UNIT = /^(?:sysinit|basic|local-fs|sockets)\.target$/;
const STATE_UNIT = /^(?:multi-user|graphical|default|network|paths|timers|slices|runlevel[2-5])\.target$/;

/** True for a unit whose start ends what runs. */
export function isStoppingUnit(name: string): boolean {
  return STOPPING_UNIT.test(name);
}

const ENDS_UNITS: ReadonlySet<string> = new Set(["kill", "stop"]);

function judgeSystemctl(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, GRAMMAR);
  const has = (...names: readonly string[]): boolean => optionsNamed(given, ...names).length > 0;
  if (onlySpeaks(given)) return undefined;
  const [verb = "", ...named] = given.operands.map((field) => knownText(field) ?? "");
  // The root of all groups looks like an option.
  const units = [...named, ...call.fields.map((field) => knownText(field) ?? "").filter((text) => text === "-.slice")];
  const starts = STARTING_VERB.test(verb) || (/^(?:re)?enable$/.test(verb) && has("--now"));
  // The manager of a user ends that user's services.
  const isExit = verb === "exit" && !has("--user");
  if ((STOPPING_VERB.test(verb) && !isTakenBack(given)) || isExit || (starts && units.some(isStoppingUnit))) {
    return block("shutdown", `\`systemctl ${verb}\` stops the machine`);
  }
  return has("--user") || !ENDS_UNITS.has(verb) ? undefined : judgeStop(verb, units);
}

function judgeStop(verb: string, units: readonly string[]): Refusal | undefined {
  const group = units.find((unit) => SYSTEM_GROUP.test(unit) || BASE_UNIT.test(unit));
  if (group !== undefined) return block("kills-everything", `\`systemctl ${verb} ${group}\` ends every process`);
  const state = units.find((unit) => STATE_UNIT.test(unit));
  return state === undefined ? undefined : undecided(`\`systemctl ${verb} ${state}\``);
}

/** `systemctl reboot --help`, and `--dry-run`. */
function onlySpeaks(given: GivenOptions): boolean {
  return optionsNamed(given, "-h", "--help", "--version", "--dry-run").length > 0;
}

const TAKES_BACK: ReadonlySet<string> = new Set(["cancel", "show"]);

/** `systemctl reboot --when=cancel` takes a planned one back, and `--when=show` shows it. */
function isTakenBack(given: GivenOptions): boolean {
  const value = optionsNamed(given, "--when").at(-1)?.values[0];
  return value !== undefined && TAKES_BACK.has(knownText(value) ?? "");
}

function judgeLoginctl(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, GRAMMAR);
  if (onlySpeaks(given)) return undefined;
  const [verb = "", ...names] = given.operands.map((field) => knownText(field) ?? "");
  if (STOPPING_VERB.test(verb)) return block("shutdown", `\`loginctl ${verb}\` stops the machine`);
  const owner = /^(?:terminate|kill)-user$/.test(verb) ? names.find((name) => /^(?:root|0)$/.test(name)) : undefined;
  return owner === undefined
    ? undefined
    : block("kills-everything", `\`loginctl ${verb} ${owner}\` ends every process`);
}
