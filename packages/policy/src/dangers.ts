/**
 * Commands that are refused whatever a rule or a mode says: wiping the system, devices and fork bombs.
 *
 * They are judged by meaning, on what runs in the end, so that `rm -fr //`, `sudo rm -r --force /etc/..` and
 * `find / -delete` are one thing, and `rm -rf /tmp/build`, `dd of=out.img` and `echo "rm -rf /"` are another. Lists of
 * forbidden texts miss the first kind and hit the second.
 */
import { posix } from "node:path";
import {
  type CommandAnalysis,
  type EffectiveCommand,
  programName,
  type Redirection,
  type SimpleCommand,
  type Word,
} from "@pi-bash/command";
import { classifyTarget, type PathContext } from "./danger-paths.ts";
import { type Finding, type Refusal, refuse } from "./finding.ts";

/** Blocks that some machines need, for instance one that administers itself. */
export interface DangerOptions {
  /** False lets `shutdown`, `reboot` and relatives through to the ordinary decision. Default true. */
  readonly blockShutdown?: boolean;
}

/** All hard blocks in a command line, also in one that was not understood completely. */
export function findDangers(
  analysis: CommandAnalysis,
  pathsOf: (command: EffectiveCommand) => PathContext,
  options: DangerOptions = {},
): Finding[] {
  const found: Finding[] = [...forkBombs(analysis)];
  for (const command of analysis.effective) {
    const paths = pathsOf(command);
    for (const argv of readings(command)) {
      const refusal = judgeArgv(argv, paths, options);
      if (refusal !== undefined) {
        found.push({ ...refusal, span: command.span, argv: argv.map((word) => word.display) });
        break;
      }
    }
  }
  const redirections = [
    ...analysis.commands.flatMap((command) => command.redirections),
    ...analysis.nestedCommands.flatMap((command) => command.redirections),
    ...analysis.constructs.flatMap((construct) => (construct.kind === "redirection" ? [construct.redirection] : [])),
  ];
  return [...found, ...redirections.flatMap(judgeRedirection)];
}

/** Words of an unresolved command that are tried as the program; it is never approved by itself either way. */
const MAX_READINGS = 16;

/** A wrapper whose options are not understood may run any of its words: each known one is tried as the program. */
function readings(command: EffectiveCommand): (readonly Word[])[] {
  if (command.unresolved === undefined) return [command.argv];
  const starts = [...command.argv.entries()].filter(([, word]) => isJudged(programName(word.value ?? "")));
  return starts.slice(0, MAX_READINGS).map(([at]) => command.argv.slice(at));
}

function judgeArgv(argv: readonly Word[], paths: PathContext, options: DangerOptions): Refusal | undefined {
  const name = programName(argv[0]?.value ?? "");
  const args = argv.slice(1);
  if (WHOLE_DEVICE.test(name)) return devices(name, args);
  if (STOPS_MACHINE.test(name) && options.blockShutdown !== false) {
    return args.some((word) => /^(?:-c|--help|--show|--version|-w|--wtmp-only)$/.test(word.value ?? ""))
      ? undefined
      : block("shutdown", `\`${name}\` stops the machine`);
  }
  const judge = JUDGES.get(name);
  return judge?.(args, paths, options);
}

const WHOLE_DEVICE = /^mkfs(?:\.\w+)?$|^(?:mke2fs|mkswap|shred|wipefs|blkdiscard|badblocks)$/;
const STOPS_MACHINE = /^(?:shutdown|reboot|halt|poweroff|killall5)$/;

function isJudged(name: string): boolean {
  return JUDGES.has(name) || WHOLE_DEVICE.test(name) || STOPS_MACHINE.test(name);
}

type DangerJudge = (args: readonly Word[], paths: PathContext, options: DangerOptions) => Refusal | undefined;

const JUDGES: ReadonlyMap<string, DangerJudge> = new Map<string, DangerJudge>([
  ["rm", judgeRemove],
  ["chmod", judgeModes],
  ["chown", judgeModes],
  ["chgrp", judgeModes],
  ["find", judgeFind],
  [
    "dd",
    (args) =>
      written(
        args.flatMap((word) => (/^of=/.test(word.leading) ? [word.display.slice(3)] : [])),
        "dd",
      ),
  ],
  [
    "tee",
    (args) =>
      written(
        operands(args).map((word) => word.display),
        "tee",
      ),
  ],
  [
    "cp",
    (args) =>
      written(
        operands(args)
          .slice(-1)
          .map((word) => word.display),
        "cp",
      ),
  ],
  ["mv", judgeMove],
  ["fdisk", (args) => partitions("fdisk", args, /^-l|^--list|^-s$|^--getsz$/)],
  ["sfdisk", (args) => partitions("sfdisk", args, /^-[ldsJV]|^--(?:list|dump|json|show-size|verify)/)],
  ["cfdisk", (args) => partitions("cfdisk", args, /^--help$/)],
  ["gdisk", (args) => partitions("gdisk", args, /^-l$/)],
  ["sgdisk", (args) => partitions("sgdisk", args, /^-[piv]|^--(?:print|info|verify)/)],
  ["parted", (args) => partitions("parted", args, /^(?:print|-l|--list)$/)],
  ["cryptsetup", (args) => partitions("cryptsetup", args, /^(?:status|luksDump|isLuks|luksUUID|--version)$/)],
  ["kill", judgeKill],
  ["init", judgeInit],
  ["telinit", judgeInit],
  ["systemctl", judgeSystemctl],
]);

function block(code: string, message: string): Refusal {
  return refuse(code, "block", message);
}

function operands(args: readonly Word[]): Word[] {
  const end = args.findIndex((word) => word.value === "--");
  return args.filter((word, index) => (end !== -1 && index > end) || !(word.value ?? word.leading).startsWith("-"));
}

/** `-r` in any bundle, `--recursive` in any abbreviation, anywhere: options may follow operands. */
function isRecursive(args: readonly Word[], letters: RegExp): boolean {
  const end = args.findIndex((word) => word.value === "--");
  return args
    .slice(0, end === -1 ? args.length : end)
    .some((word) => letters.test(word.value ?? "") || /^--r(?:e(?:c\w*)?)?$/.test(word.value ?? ""));
}

function judgeRemove(args: readonly Word[], paths: PathContext): Refusal | undefined {
  if (!isRecursive(args, /^-[a-zA-Z]*[rR]/)) return undefined;
  for (const word of operands(args)) {
    const target = classifyTarget(word, paths);
    if (target !== undefined) return block("remove-system", `\`rm -r\` on ${target}`);
  }
  return undefined;
}

function judgeModes(args: readonly Word[], paths: PathContext): Refusal | undefined {
  if (!isRecursive(args, /^-[a-zA-Z]*R/)) return undefined;
  for (const word of operands(args)) {
    const target = classifyTarget(word, paths);
    if (target !== undefined) return block("modes-of-system", `recursive change of modes or owners of ${target}`);
  }
  return undefined;
}

function judgeMove(args: readonly Word[], paths: PathContext): Refusal | undefined {
  const words = operands(args);
  const target = words
    .slice(0, -1)
    .map((word) => classifyTarget(word, paths))
    .find((each) => each !== undefined);
  if (target !== undefined) return block("move-system", `\`mv\` of ${target}`);
  return written(
    words.slice(-1).map((word) => word.display),
    "mv",
  );
}

/** `find <system folder> … -delete` or `-exec rm`, unless a name or path narrows it. */
function judgeFind(args: readonly Word[], paths: PathContext): Refusal | undefined {
  const words = args.map((word) => word.value ?? "");
  const removes =
    words.includes("-delete") ||
    words.some((text, at) => /^-exec(?:dir)?$/.test(text) && /(?:^|\/)(?:rm|shred)$/.test(words[at + 1] ?? ""));
  const narrowed = words.some(
    (text, at) => /^-(?:i?name|i?path|i?wholename|i?regex)$/.test(text) && !/^[*?./]*$/.test(words[at + 1] ?? ""),
  );
  if (!removes || narrowed) return undefined;
  const first = args.findIndex((word) => /^[-(!]/.test(word.value ?? ""));
  const starts = args.slice(0, first === -1 ? args.length : first);
  for (const word of starts) {
    const target = classifyTarget(word, paths);
    if (target !== undefined) return block("remove-system", `\`find\` that removes everything in ${target}`);
  }
  return undefined;
}

const BLOCK_DEVICE =
  /^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|md\d|dm-\d|loop\d|disk\/|disk\d|mapper\/)/;
const KERNEL_FILE = /^\/(?:proc\/sysrq-trigger|proc\/sys\/|sys\/)/;

function written(targets: readonly string[], program: string): Refusal | undefined {
  for (const target of targets) {
    const path = collapse(target);
    if (BLOCK_DEVICE.test(path)) return block("writes-device", `\`${program}\` overwrites the device \`${path}\``);
    if (KERNEL_FILE.test(path))
      return block("writes-kernel", `\`${program}\` changes the running kernel through \`${path}\``);
  }
  return undefined;
}

function collapse(path: string): string {
  return path.startsWith("/") ? posix.normalize(path) : path;
}

function devices(name: string, args: readonly Word[]): Refusal | undefined {
  const target = args.map((word) => collapse(word.display)).find((text) => BLOCK_DEVICE.test(text));
  const only = name === "wipefs" && !args.some((word) => /^-[a-z]*[ao]|^--(?:all|offset)/.test(word.value ?? ""));
  return target === undefined || only
    ? undefined
    : block("writes-device", `\`${name}\` destroys the contents of \`${target}\``);
}

function partitions(name: string, args: readonly Word[], reads: RegExp): Refusal | undefined {
  const target = args.map((word) => collapse(word.display)).find((text) => BLOCK_DEVICE.test(text));
  if (target === undefined || args.some((word) => reads.test(word.value ?? ""))) return undefined;
  return block("writes-device", `\`${name}\` changes the device \`${target}\``);
}

/** `kill -9 -1` and `kill 1`; in `kill -1 1234` the `-1` is a signal. */
/** Signal 0 asks whether a process is there, and ends none. */
function judgeKill(args: readonly Word[]): Refusal | undefined {
  const words = args.map((word) => word.value ?? "");
  const [first = "", second = ""] = words;
  if (/^-(?:l|L|0)$|^--signal=0$/.test(first)) return undefined;
  if (/^-[sn]$|^--signal$/.test(first) && second === "0") return undefined;
  const targets = words.slice(/^-[sn]$/.test(first) ? 2 : /^-(?!-)/.test(first) ? 1 : 0);
  const all = targets.find((text) => text === "-1" || text === "1");
  return all === undefined
    ? undefined
    : block("kills-everything", `\`kill ${all}\` ends ${all === "1" ? "init" : "every process"}`);
}

function judgeInit(args: readonly Word[], _: PathContext, options: DangerOptions): Refusal | undefined {
  return options.blockShutdown !== false && /^[06]$/.test(args[0]?.value ?? "")
    ? block("shutdown", "`init` stops the machine")
    : undefined;
}

function judgeSystemctl(args: readonly Word[], _: PathContext, options: DangerOptions): Refusal | undefined {
  const verb = operands(args)[0]?.value ?? "";
  return options.blockShutdown !== false && /^(?:poweroff|reboot|halt|kexec|soft-reboot)$/.test(verb)
    ? block("shutdown", `\`systemctl ${verb}\` stops the machine`)
    : undefined;
}

function judgeRedirection(redirection: Redirection): Finding[] {
  if (redirection.operator.startsWith("<") && redirection.operator !== "<>") return [];
  const refusal = written([redirection.target?.display ?? ""], redirection.operator);
  return refusal === undefined ? [] : [{ ...refusal, span: redirection.span }];
}

/** A function that starts itself at least twice through a pipe or in the background, whatever its name. */
function forkBombs(analysis: CommandAnalysis): Finding[] {
  const callers = new Map<string, SimpleCommand[]>();
  for (const command of [...analysis.commands, ...analysis.nestedCommands]) {
    const name = command.context.functionName;
    if (name === undefined || command.argv[0]?.value !== name) continue;
    callers.set(name, [...(callers.get(name) ?? []), command].slice(0, 8));
  }
  return analysis.constructs.flatMap((construct): Finding[] => {
    if (construct.kind !== "function") return [];
    const itself = callers.get(construct.name) ?? [];
    const spawns = itself.some(({ context }) => context.background || context.readsPipe || context.writesPipe);
    if (itself.length < 2 || !spawns) return [];
    const message = `the function \`${construct.name}\` starts itself without end (a fork bomb)`;
    return [{ code: "fork-bomb", severity: "block", message, span: construct.span }];
  });
}
