/**
 * Programs that destroy volumes, pools and disks that they name without a file below `/dev`: LVM, ZFS, btrfs, macOS.
 *
 * Sources: lvm(8), zpool(8), zfs-destroy(8), btrfs(8), diskutil(8), asr(8), gpart(8).
 */
import { targetOf } from "../../danger-paths.ts";
import type { Refusal } from "../../finding.ts";
import { block, type DangerCall, type DangerJudge, shownField, undecided, worst } from "../call.ts";
import { type OptionGrammar, optionsNamed, readGivenOptions } from "../given-options.ts";
import { type Field, knownText } from "../values/fields.ts";
import { isDeviceField } from "./devices.ts";

const LVM_REMOVERS = ["vgremove", "lvremove", "pvremove", "lvreduce"];

/** The judges of this file, by program. */
export const VOLUME_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ...LVM_REMOVERS.map((name): [string, DangerJudge] => [name, (call) => judgeLvm(call, name, 0)]),
  ["lvresize", (call) => judgeLvm(call, "lvresize", 0)],
  ["lvm", (call) => judgeLvm(call, wordsOf(call, LVM)[0] ?? "", 1)],
  ["zpool", judgeZpool],
  ["zfs", judgeZfs],
  ["btrfs", judgeBtrfs],
  ["diskutil", judgeDiskutil],
  ["asr", judgeAsr],
  ["gpart", judgeGpart],
  ["format.com", judgeFormat],
];

/** The operands of a call; what is not known is empty. */
function wordsOf(call: DangerCall, grammar: OptionGrammar): string[] {
  return readGivenOptions(call, grammar).operands.map((field) => knownText(field) ?? "");
}

function destroys(how: string, what: string | undefined): Refusal {
  return block("writes-device", `\`${how}\` destroys \`${what ?? "a volume"}\``);
}

const LVM: OptionGrammar = {
  valued: "SLlr",
  longValued: "select size extents config devices profile commandprofile reportformat",
};

/** Removes or shrinks volumes, unless it is a test. */
function judgeLvm(call: DangerCall, verb: string, from: number): Refusal | undefined {
  const given = readGivenOptions(call, LVM);
  const isTest = optionsNamed(given, "-t", "--test", "-h", "--help", "--version").length > 0;
  const operands = given.operands.slice(from);
  const isAll = optionsNamed(given, "-S", "--select").length > 0;
  if (isTest || (operands.length === 0 && !isAll)) return undefined;
  const shrinks =
    verb === "lvresize" &&
    optionsNamed(given, "-L", "-l", "--size", "--extents").some(({ values }) =>
      values.some((field) => knownText(field)?.startsWith("-")),
    );
  if (!shrinks && !LVM_REMOVERS.includes(verb)) return undefined;
  return destroys(verb, operands.map(shownField)[0]);
}

const ZPOOL_TAKES = /^(?:create|add|attach|replace|labelclear)$/;

/** `zpool destroy tank`; a name without a folder is a disk below `/dev`. */
function judgeZpool(call: DangerCall): Refusal | undefined {
  const { options, operands } = readGivenOptions(call, { valued: "oOmRtT" });
  const [verb, ...names] = operands;
  const text = knownText(verb ?? []) ?? "";
  if (text === "destroy") return names[0] === undefined ? undefined : destroys("zpool destroy", shownField(names[0]));
  if (!ZPOOL_TAKES.test(text) || options.some(({ name }) => name === "-n")) return undefined;
  const members = text === "labelclear" ? names : names.slice(1);
  const target = members.find(
    (field) => isDeviceField(field, call.folder) || isDeviceField(field, { ...call.folder, cwd: "/dev" }),
  );
  return target === undefined
    ? undefined
    : block("writes-device", `\`zpool ${text}\` overwrites the device \`${shownField(target)}\``);
}

/** `zfs destroy tank/data`; that of a snapshot (`tank@monday`) is daily work, and `-n` a test. */
function judgeZfs(call: DangerCall): Refusal | undefined {
  const { options, operands } = readGivenOptions(call, {});
  const [verb, name] = operands;
  if (knownText(verb ?? []) !== "destroy" || name === undefined || options.some((each) => each.name === "-n")) {
    return undefined;
  }
  const isSnapshot = /[@#]/.test(shownField(name)) && !options.some((each) => each.name === "-R");
  return isSnapshot ? undefined : destroys("zfs destroy", shownField(name));
}

/** Subcommands may be abbreviated: `btrfs sub del /`. */
function judgeBtrfs(call: DangerCall): Refusal | undefined {
  const { operands } = readGivenOptions(call, {});
  const [group = "", verb = ""] = operands.slice(0, 2).map((field) => knownText(field) ?? "");
  if (abbreviates(group, "subvolume", 2) && abbreviates(verb, "delete", 1)) {
    return worst(operands.slice(2).map((field) => judgeSubvolume(field, call)));
  }
  const takes = (abbreviates(group, "device", 1) && abbreviates(verb, "add", 1)) || abbreviates(group, "replace", 3);
  const target = takes ? operands.slice(2).find((field) => isDeviceField(field, call.folder)) : undefined;
  return target === undefined
    ? undefined
    : block("writes-device", `\`btrfs ${group}\` overwrites the device \`${shownField(target)}\``);
}

function abbreviates(text: string, name: string, least: number): boolean {
  return text.length >= least && name.startsWith(text);
}

function judgeSubvolume(field: Field, call: DangerCall): Refusal | undefined {
  const { certain, possible } = targetOf(field, call.folder);
  if (certain?.kind === "main") return block("remove-system", `\`btrfs subvolume delete\` of ${certain.name}`);
  return possible === undefined ? undefined : undecided(`\`btrfs subvolume delete\` of what may be ${possible.name}`);
}

const DISKUTIL_ERASES =
  /^(?:erase(?:disk|volume|optical|cd)|zerodisk|randomdisk|secureerase|partitiondisk|reformat|splitpartition|mergepartitions)$/i;
const DISKUTIL_GROUPS = /^(?:apfs|ap|cs|corestorage|ar|appleraid)$/i;

/** The verbs of `diskutil` are compared without case. */
function judgeDiskutil(call: DangerCall): Refusal | undefined {
  const [verb = "", second = ""] = wordsOf(call, {});
  const inGroup = DISKUTIL_GROUPS.test(verb) && /^(?:delete|erase|create)/i.test(second);
  if (!inGroup && !DISKUTIL_ERASES.test(verb)) return undefined;
  return destroys(
    `diskutil ${inGroup ? `${verb} ${second}` : verb}`,
    wordsOf(call, {}).find((text) => /disk\d/.test(text)),
  );
}

/** `asr restore --source x --target /dev/disk2 --erase`. */
function judgeAsr(call: DangerCall): Refusal | undefined {
  const texts = call.fields.map((field) => knownText(field) ?? "");
  const target = call.fields.find((_, at) => /^--?t(?:a(?:r(?:g(?:et?)?)?)?)?$/.test(texts[at - 1] ?? ""));
  const erases = texts.some((text) => /^--?er(?:a(?:se?)?)?$/.test(text));
  const isDevice = target !== undefined && isDeviceField(target, call.folder);
  return erases || isDevice ? destroys("asr", target === undefined ? undefined : shownField(target)) : undefined;
}

const GPART_CHANGES: ReadonlySet<string> = new Set(["destroy", "delete", "create", "restore"]);

function judgeGpart(call: DangerCall): Refusal | undefined {
  const [verb = "", ...names] = wordsOf(call, { valued: "abfilnpst" });
  const isChange = GPART_CHANGES.has(verb);
  return isChange && names.length > 0 ? destroys(`gpart ${verb}`, names.at(-1)) : undefined;
}

/** Windows: `format.com C:`. */
function judgeFormat(call: DangerCall): Refusal | undefined {
  const drive = call.fields.map((field) => knownText(field) ?? "").find((text) => /^[A-Za-z]:[\\/]?$/.test(text));
  return drive === undefined ? undefined : destroys(call.name, drive);
}
