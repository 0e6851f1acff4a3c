/**
 * Programs that format, partition, encrypt or wipe the device they are given.
 *
 * A subcommand or an option that only reads counts where the program takes it for one: `parted /dev/sda mklabel gpt
 * print` does not only print. Sources: the manual pages of the programs.
 */
import type { Refusal } from "../../finding.ts";
import { block, type DangerCall, type DangerJudge, leadingText, operandsOf, shownField, undecided } from "../call.ts";
import { type GivenOptions, isNamed, type OptionGrammar, optionsNamed, readGivenOptions } from "../given-options.ts";
import { type Field, knownText } from "../values/fields.ts";
import { isAnyDeviceField, isDeviceField, mayBeDevice } from "./devices.ts";

/** Programs that destroy or replace what is on a device they are given. */
const WHOLE_DEVICE =
  /^(?:mkfs(?:\.\w+)?|newfs(?:_\w+)?|mk(?:dos|nt|exfat|udf|reiser|j|ap)fs|mkhfs|mke2fs|mkswap|shred|gshred|wipefs|blkdiscard|badblocks|scrub|wipe|nwipe|zerofree|pvcreate|vgcreate|vgextend|pvremove|make-bcache|flashcp|flash_erase(?:all)?|nandwrite|mtd_debug|partclone\.\w+|cgdisk|sg_(?:format|sanitize|unmap|write_same|write_buffer)|f3probe)$/;

/** The judges of this file, by program. */
export const DISK_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ["fdisk", (call) => partitions(call, readsFdisk(call))],
  ["sfdisk", (call) => partitions(call, readsSfdisk(call))],
  ["cfdisk", (call) => partitions(call, has(call, {}, "-h --help -V --version -r --read-only"))],
  ["gdisk", (call) => partitions(call, knownText(call.fields[0] ?? []) === "-l")],
  ["sgdisk", (call) => partitions(call, readsSgdisk(call))],
  ["parted", judgeParted],
  ["cryptsetup", judgeCryptsetup],
  [
    "hdparm",
    (call) =>
      changes(
        call,
        optionTexts(call).some((text) => HDPARM_CHANGES.test(text)),
      ),
  ],
  ["nvme", (call) => changes(call, NVME_CHANGES.test(verbOf(call, {})))],
  ["mdadm", (call) => changes(call, changesArray(call))],
  ["debugfs", (call) => changes(call, has(call, { valued: "Rsbdf" }, "-w"))],
  ["xfs_db", (call) => changes(call, has(call, { valued: "clfp" }, "-x"))],
  ["fio", judgeFio],
  // `-I` puts the metadata of an image on the device.
  ["e2image", (call) => changes(call, has(call, { valued: "bBoO" }, "-I"))],
  ["partimage", (call) => changes(call, /^(?:restore|restmbr)$/.test(verbOf(call, {})))],
  ["bcachefs", (call) => changes(call, /^(?:format|device)$/.test(verbOf(call, {})))],
  ["blkzone", (call) => changes(call, verbOf(call, {}) === "reset")],
];

/** True for a program that destroys what is on the device it is given. */
export function isWholeDevice(name: string): boolean {
  return WHOLE_DEVICE.test(name);
}

/** `mkfs /dev/sda`; of `$X` it cannot be determined. */
export function judgeWholeDevice(call: DangerCall): Refusal | undefined {
  const { name, folder } = call;
  if (onlyReads(call)) return undefined;
  const operands = name.startsWith("partclone") ? partcloneTargets(call) : operandsOf(call);
  const target = operands.find((field) => isAnyDeviceField(field, folder));
  if (target !== undefined) {
    return block("writes-device", `\`${name}\` destroys the contents of \`${shownField(target)}\``);
  }
  const doubt = operands.find((field) => mayBeDevice(field, folder));
  return doubt === undefined ? undefined : undecided(`\`${name}\` on \`${shownField(doubt)}\`, which may be a device`);
}

const WIPEFS: OptionGrammar = { valued: "oOt", longValued: "offset output types" };

const MTD_READS: ReadonlySet<string> = new Set(["info", "read"]);

function onlyReads(call: DangerCall): boolean {
  switch (call.name) {
    case "wipefs":
      return !has(call, WIPEFS, "-a --all -o --offset") || has(call, WIPEFS, "-n --no-act");
    case "badblocks":
      // Without these it reads.
      return !has(call, { valued: "bcdeiopt" }, "-w -n");
    case "mtd_debug":
      return MTD_READS.has(verbOf(call, {}));
    default:
      return false;
  }
}

/** `partclone.ext4 -c -s /dev/sda1 -o image` reads the device. */
function partcloneTargets(call: DangerCall): readonly Field[] {
  const grammar = { valued: "soOLn", longValued: "source output overwrite logfile note" };
  const given = readGivenOptions(call, grammar);
  return [
    ...optionsNamed(given, "-o", "-O", "--output", "--overwrite").flatMap(({ values }) => values),
    ...given.operands,
  ];
}

function has(call: DangerCall, grammar: OptionGrammar, names: string): boolean {
  return isGiven(readGivenOptions(call, grammar), names);
}

function isGiven(given: GivenOptions, names: string): boolean {
  return optionsNamed(given, ...names.split(" ")).length > 0;
}

/** The first operand: the subcommand of most programs. */
function verbOf(call: DangerCall, grammar: OptionGrammar): string {
  return knownText(readGivenOptions(call, grammar).operands[0] ?? []) ?? "";
}

function optionTexts({ fields }: DangerCall): string[] {
  return fields.map(leadingText).filter((text) => text.startsWith("-"));
}

function partitions(call: DangerCall, reads: boolean): Refusal | undefined {
  return reads ? undefined : changes(call, true);
}

/** A device among the words of a call that changes what it names. */
function changes(call: DangerCall, isChange: boolean): Refusal | undefined {
  const target = [...call.fields, ...(call.added ?? [])].find((field) => isDeviceField(field, call.folder));
  if (!isChange || target === undefined) return undefined;
  return block("writes-device", `\`${call.name}\` changes the device \`${shownField(target)}\``);
}

const FDISK: OptionGrammar = {
  valued: "bCHoStwW",
  attached: "cLu",
  longValued: "sector-size type wipe wipe-partitions",
};

function readsFdisk(call: DangerCall): boolean {
  return has(call, FDISK, "-l -x -s -h -V -v --list --list-details --getsz --help --version");
}

const SFDISK: OptionGrammar = {
  valued: "NoOXYwWj",
  attached: "uL",
  longValued: "partno output backup-file label label-nested wipe wipe-partitions",
};
/** What `sfdisk` can be asked for, and the most operands with which that only reads. The last one asked for is done. */
const SFDISK_ACTIONS: readonly (readonly [names: string, reads: number])[] = [
  ["-d --dump -J --json -F --list-free -l --list -s --show-size -T --list-types", Number.POSITIVE_INFINITY],
  ["-V --verify -v --version -h --help -B --backup-pt-sectors", Number.POSITIVE_INFINITY],
  ["-A --activate --disk-id", 1],
  ["--part-uuid --part-label --part-type --part-attrs", 2],
  ["-r --reorder --delete --discard-free --relocate", -1],
];

function readsSfdisk(call: DangerCall): boolean {
  const given = readGivenOptions(call, SFDISK);
  if (isGiven(given, "-n --no-act")) return true;
  const actions = given.options.flatMap(({ name }) =>
    SFDISK_ACTIONS.filter(([names]) => names.split(" ").some((each) => isNamed(name, each))),
  );
  return given.operands.length <= (actions.at(-1)?.[1] ?? -1);
}

/** Each option of `sgdisk` is an action of its own, so all of them must read; `-e` follows a disk that has grown. */
function readsSgdisk(call: DangerCall): boolean {
  const { options } = readGivenOptions(call, { valued: "bi", attached: "A", longValued: "info backup" });
  const reading =
    "-p -i -v -L -O -D -E -F -f -b -V --print --info --verify --list-types --print-mbr --display-alignment";
  const more =
    "-e --move-second-header --end-of-largest --first-in-largest --first-aligned-in-largest --backup --version --help";
  const names = new Set(`${reading} ${more}`.split(" "));
  return options.length > 0 && options.every(({ name }) => names.has(name));
}

/** `parted [option]... [device [command [parameter...]]...]`: every command must leave the data alone. */
function judgeParted(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "a", longValued: "align" });
  if (isGiven(given, "-l --list -h --help -v --version")) return undefined;
  const commands = given.operands.slice(1).map(knownText);
  if (!commands.includes(undefined)) return partitions(call, readsParted(commands.map((text) => text ?? "")));
  const device = given.operands.find((field) => isDeviceField(field, call.folder));
  return device === undefined ? undefined : undecided(`\`parted\` on \`${shownField(device)}\` with unknown commands`);
}

const PARTED_READS =
  /^(?:p|pr|pri|prin|print|devices|free|list|all|q|quit|version|align-check|min(?:imal)?|opt(?:imal)?|\d+)$/;

/** Commands with values, and how many those are. A partition that would become smaller is asked about by `parted`. */
const PARTED_VALUES: ReadonlyMap<string, number> = new Map([
  ...["u", "unit", "h", "help"].map((name): [string, number] => [name, 1]),
  ...["resizepart", "name", "toggle"].map((name): [string, number] => [name, 2]),
  ["set", 3],
]);

function readsParted(words: readonly string[]): boolean {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const values = PARTED_VALUES.get(word);
    if (values === undefined && !PARTED_READS.test(word)) return false;
    at += values ?? 0;
  }
  return words.length > 0;
}

const CRYPTSETUP: OptionGrammar = {
  valued: "chsdSbopltTiMjk",
  longValued: [
    "cipher hash key-file key-size key-slot size offset skip keyfile-size keyfile-offset new-keyfile-size header uuid",
    "new-keyfile-offset iter-time timeout tries align-payload header-backup-file type pbkdf pbkdf-memory label",
    "subsystem pbkdf-parallel pbkdf-force-iterations priority master-key-file volume-key-file token-id integrity",
    "sector-size reduce-device-size resilience resilience-hash hotzone-size device-size keyslot-cipher keyslot-key-size debug-json",
  ].join(" "),
};
/** Actions that leave what is on the device as it is. */
const CRYPTSETUP_READS =
  /^(?:status|luksDump|tcryptDump|bitlkDump|fvault2Dump|isLuks|luksUUID|luksHeaderBackup|open|\w{1,16}Open|close|\w{1,16}Close|remove|benchmark|refresh|resize|luksSuspend|luksResume)$/;
const CRYPTSETUP_WRITES =
  /^(?:luksFormat|erase|luksErase|luksKillSlot|luksRemoveKey|luksChangeKey|luksConvertKey|reencrypt|luksHeaderRestore|repair|convert)$/;

/** The first operand is the action; that of an option that is not known here may look like it. */
function judgeCryptsetup(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, CRYPTSETUP);
  const [action = "", ...others] = given.operands.map((field) => knownText(field) ?? "");
  const reads = CRYPTSETUP_READS.test(action) || isGiven(given, "--help --version -V -?");
  return partitions(call, reads && !others.some((text) => CRYPTSETUP_WRITES.test(text)));
}

const HDPARM_CHANGES =
  /^--(?:security-(?:erase|set-pass|disable)|write-sector|repair-sector|trim-sector|make-bad-sector|sanitize|dco-restore|fwdownload)/;
const NVME_CHANGES =
  /^(?:format|sanitize|write|write-zeroes|write-uncor|copy|dsm|delete-ns|fw-download|fw-commit|fw-activate|security-send|zns)$/;

const MDADM: OptionGrammar = {
  valued: "clpmnxuzNeUbRGd",
  longValued: "level raid-devices raid-disks spare-devices chunk size name metadata bitmap layout uuid homehost config",
};

/** Making an array and adding to one overwrite the members. `-a` means something else beside `-A`, `-C` and `-B`. */
function changesArray(call: DangerCall): boolean {
  const given = readGivenOptions(call, MDADM);
  if (isGiven(given, "-C --create -B --build --zero-superblock")) return true;
  const adds = given.options.some(({ name }) => /^--(?:ad|add|add-.+|repl.*)$/.test(name));
  return adds || (isGiven(given, "-a") && !isGiven(given, "-A --assemble -I --incremental"));
}

/** `fio --filename=/dev/sda --rw=write`; without a word about it `fio` reads. */
function judgeFio(call: DangerCall): Refusal | undefined {
  const texts = optionTexts(call);
  const writes = texts.some((text) => /^--(?:rw|readwrite)=(?:rand)?(?:write|rw|readwrite|trim)/.test(text));
  const target = call.fields.flatMap(fileNames).find((field) => isDeviceField(field, call.folder));
  if (!writes || target === undefined) return undefined;
  return block("writes-device", `\`fio\` overwrites the device \`${shownField(target)}\``);
}

/** The files of `--filename=a:b`. */
function fileNames(field: Field): Field[] {
  const [first, ...rest] = field;
  if (first?.kind !== "text" || !first.text.startsWith("--filename=")) return [];
  const names = first.text.slice("--filename=".length).split(":");
  return names.map((text, at): Field => [{ kind: "text", text }, ...(at === names.length - 1 ? rest : [])]);
}
