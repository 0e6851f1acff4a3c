/**
 * Stopping the machine: `shutdown` and relatives, and the buses, boot programs and consoles that do it as well.
 *
 * Service managers are in `service-managers.ts`. Sources: shutdown(8), halt(8) and telinit(8) of systemd and of
 * sysvinit, kexec(8), rtcwake(8), ipmitool(1), launchctl(1), openrc(8).
 */
import type { Refusal } from "../../finding.ts";
import { block, type DangerCall, type DangerJudge } from "../call.ts";
import { type GivenOptions, isNamed, optionsNamed, readGivenOptions } from "../given-options.ts";
import { knownText } from "../values/fields.ts";
import { isStoppingUnit, SERVICE_MANAGER_JUDGES } from "./service-managers.ts";

const OWN_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ["shutdown", judgeShutdown],
  ["openrc-shutdown", judgeShutdown],
  ["shutdown.exe", judgeWindowsShutdown],
  ...["reboot", "halt", "poweroff", "fasthalt", "systemd-shutdown"].map((name): [string, DangerJudge] => [
    name,
    judgeHalt,
  ]),
  ...["init", "telinit", "runit-init"].map((name): [string, DangerJudge] => [name, judgeInit]),
  ...["dbus-send", "gdbus", "busctl", "qdbus", "qdbus6", "qdbus-qt5"].map((name): [string, DangerJudge] => [
    name,
    judgeBus,
  ]),
  ...["openrc", "rc"].map((name): [string, DangerJudge] => [name, verb(/^(?:shutdown|reboot|single)$/)]),
  ...["initctl", "dinitctl"].map((name): [string, DangerJudge] => [name, verb(/^(?:reboot|poweroff|halt|shutdown)$/)]),
  ...["service", "rc-service", "invoke-rc.d"].map((name): [string, DangerJudge] => [name, judgeService]),
  ["launchctl", verb(/^reboot$/)],
  ["fdesetup", verb(/^authrestart$/)],
  ["kexec", judgeKexec],
  ["rtcwake", judgeWakeTimer],
  [
    "acpiconf",
    (call) => (values(readGivenOptions(call, { valued: "sik" }), "-s").includes("5") ? stopped(call) : undefined),
  ],
  ["ipmitool", judgeConsole],
  ["osascript", anyText(/\b(?:shut down|restart)\b/)],
  ["Stop-Computer", stopped],
  ["Restart-Computer", stopped],
  ...["powershell", "powershell.exe", "pwsh", "pwsh.exe"].map((name): [string, DangerJudge] => [
    name,
    anyText(/\b(?:Stop|Restart)-Computer\b/i),
  ]),
  ...["wsl", "wsl.exe"].map((name): [string, DangerJudge] => [name, anyText(/^--shutdown$/)]),
  ["rpm-ostree", anyText(/^(?:-r|--reboot)$/)],
  ["bootc", anyText(/^--apply$/)],
  ["transactional-update", anyText(/^reboot$/)],
  ...["dnf", "dnf5", "yum"].map((name): [string, DangerJudge] => [name, judgeOffline]),
  ["gnome-session-quit", anyText(/^--(?:power-off|reboot)$/)],
];

/** The judges of this file and of the service managers, by program. The owner may let a machine be administered. */
export const SHUTDOWN_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ...OWN_JUDGES,
  ...SERVICE_MANAGER_JUDGES,
].map(([name, judge]) => [
  name,
  (call) => (call.options.blockShutdown === false || isOfAnother(call) ? undefined : judge(call)),
]);

/** A host's own names: localhost and the loopback addresses. */
const THIS_MACHINE = /(?:^|@|=)(?:localhost\b|ip6-localhost|127\.|0\.0\.0\.0|\[?::1|0$)/i;

/** `ssh host reboot` restarts another machine: it asks as `ssh` does. */
function isOfAnother({ command }: DangerCall): boolean {
  const words = [...command.written.argv, ...command.simple.argv];
  return command.via.includes("ssh") && words.every(({ value }) => value !== null && !THIS_MACHINE.test(value));
}

function texts({ fields }: DangerCall): string[] {
  return fields.map((field) => knownText(field) ?? "");
}

function stopped({ name }: DangerCall): Refusal {
  return block("shutdown", `\`${name}\` stops the machine`);
}

function anyText(stops: RegExp): DangerJudge {
  return (call) => (texts(call).some((text) => stops.test(text)) ? stopped(call) : undefined);
}

/** A program whose first operand says what it does. */
function verb(stops: RegExp): DangerJudge {
  return (call) => {
    const [first] = readGivenOptions(call, {}).operands;
    return stops.test(knownText(first ?? []) ?? "") ? stopped(call) : undefined;
  };
}

const STOPPING_SERVICES: ReadonlySet<string> = new Set(["reboot", "halt", "poweroff", "shutdown"]);

const STARTS: ReadonlySet<string> = new Set(["start", "restart"]);

/** `service reboot start` of sysvinit. */
function judgeService(call: DangerCall): Refusal | undefined {
  const [service = "", action = ""] = readGivenOptions(call, {}).operands.map((field) => knownText(field) ?? "");
  const stops = STOPPING_SERVICES.has(service) && STARTS.has(action);
  return stops ? stopped(call) : undefined;
}

function values(given: GivenOptions, ...names: readonly string[]): string[] {
  return optionsNamed(given, ...names).flatMap((option) => option.values.map((field) => knownText(field) ?? ""));
}

/** What `shutdown` may be asked for instead. */
const HARMLESS_ACTIONS = ["-c", "--cancel", "--show", "--help", "--version"];
const STOPPING_ACTIONS = [
  "-r",
  "--reboot",
  "-h",
  "-H",
  "--halt",
  "-P",
  "--poweroff",
  "-p",
  "-R",
  "-s",
  "-i",
  "--kexec",
];

/** The last action wins: `shutdown -c -r now` reboots. With `-k` there is only a warning. */
function judgeShutdown(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "t" });
  if (optionsNamed(given, "-k", "--dry-run", "-D").length > 0) return undefined;
  const actions = given.options.flatMap(({ name }) => {
    const isStopping = STOPPING_ACTIONS.some((each) => isNamed(name, each));
    return isStopping || HARMLESS_ACTIONS.some((each) => isNamed(name, each)) ? [isStopping] : [];
  });
  return actions.at(-1) === false ? undefined : stopped(call);
}

/** Windows: `/a` takes a shutdown back. */
function judgeWindowsShutdown(call: DangerCall): Refusal | undefined {
  return texts(call).some((text) => /^[-/][a?l]$/i.test(text)) ? undefined : stopped(call);
}

/** With `-w` alone a record is written; next to anything else its meaning differs between versions. */
function judgeHalt(call: DangerCall): Refusal | undefined {
  const { options, operands } = readGivenOptions(call, {});
  const harmless = ["-w", "--wtmp-only", "--help", "--version"];
  const isHarmless = options.every(({ name }) => harmless.some((each) => isNamed(name, each)));
  return isHarmless && options.length > 0 && operands.length === 0 ? undefined : stopped(call);
}

/** `dnf offline-upgrade reboot`, `dnf5 offline reboot`. */
function judgeOffline(call: DangerCall): Refusal | undefined {
  const [verb = "", action] = readGivenOptions(call, {}).operands.map((field) => knownText(field) ?? "");
  return /^(?:offline(?:-\w+)?|system-upgrade)$/.test(verb) && action === "reboot" ? stopped(call) : undefined;
}

/** The runlevels 0 and 6; 1 and `S` end all services and sessions. */
function judgeInit(call: DangerCall): Refusal | undefined {
  const { operands } = readGivenOptions(call, { valued: "te" });
  return operands.some((field) => /^[016Ss]$/.test(knownText(field) ?? "")) ? stopped(call) : undefined;
}

/** `-e` starts the loaded kernel, `-f` does it at once, and without any action `kexec` does both. */
function judgeKexec(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "t", longValued: "type command-line append initrd dtb" });
  if (optionsNamed(given, "-e", "--exec", "-f", "--force").length > 0) return stopped(call);
  const other = "-l --load -p --load-panic -u --unload -h --help -v --version -S --status --load-preserve-context";
  const isOther = optionsNamed(given, ...other.split(" ")).length > 0;
  return isOther || given.operands.length === 0 ? undefined : stopped(call);
}

function judgeWakeTimer(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "mstAd", longValued: "mode seconds time adjfile device date" });
  return values(given, "-m", "--mode").includes("off") ? stopped(call) : undefined;
}

const POWER_VERBS: ReadonlySet<string> = new Set(["off", "cycle", "reset", "soft", "diag"]);

/** `ipmitool -H host chassis power off`. */
function judgeConsole(call: DangerCall): Refusal | undefined {
  const words = texts(call);
  const stops = words.some((word, at) => word === "power" && POWER_VERBS.has(words[at + 1] ?? ""));
  return stops ? stopped(call) : undefined;
}

const BUS_MANAGER = /login1|systemd1|ConsoleKit|SessionManager|ksmserver|org\.kde\.Shutdown/;
const BUS_STOPS =
  /\b(?:PowerOff|Reboot|Halt|KExec|SoftReboot|ScheduleShutdown|SwitchRoot|Shutdown\b|logoutAnd(?:Shutdown|Reboot))\w*/;

/** Methods of logind, systemd and session managers; the units that those start are units of `systemctl`. */
function judgeBus(call: DangerCall): Refusal | undefined {
  const words = texts(call);
  const joined = words.join(" ");
  if (!BUS_MANAGER.test(joined)) return undefined;
  const startsUnit =
    /\b(?:Re)?[Ss]tart\w*Unit\b|\bReloadOrRestartUnit\b/.test(joined) &&
    words.some((word) => isStoppingUnit(word.replace(/^string:/, "")));
  const isOld = /ConsoleKit/.test(joined) && /\bStop\b/.test(joined);
  return BUS_STOPS.test(joined) || startsUnit || isOld ? stopped(call) : undefined;
}
