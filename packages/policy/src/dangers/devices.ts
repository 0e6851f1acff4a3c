/**
 * Writing to block devices and to the running kernel.
 */

import { posix } from "node:path";
import type { Redirection } from "@pi-bash/command";
import type { Folder } from "../danger-paths.ts";
import type { Refusal } from "../finding.ts";
import {
  block,
  type DangerCall,
  type DangerJudge,
  leadingText,
  operandsOf,
  shownField,
  undecided,
  worst,
} from "./call.ts";
import { type Field, knownText, textField } from "./fields.ts";

const BLOCK_DEVICE =
  /^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|md\d|dm-\d|loop\d|ram\d|zram\d|nbd\d|bcache\d|pmem\d|mtd\w*\d|sr\d|zd\d|zvol\/|disk\/|r?disk\d|mapper\/|block\/|root$|k?mem$|port$)/;
/** The start of a name that no other kind of file has. */
const DEVICE_START = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|md\d|dm-|loop|disk\/|r?disk|mapper\/)/;
/** One of each, for patterns and what is not known. */
const DEVICES =
  "sda sda1 sdb sdb1 sdc hda hda1 vda vda1 vdb xvda xvda1 nvme0n1 nvme0n1p1 nvme1n1 mmcblk0 mmcblk0p1 md0 dm-0 loop0 disk0 rdisk0 mapper/root disk/by-id/any-name".split(
    " ",
  );
const KERNEL_FILE = /^\/(?:proc\/sysrq-trigger|proc\/sys\/|sys\/|proc\/kcore$)/;

/** Programs that write their last operand, or the one behind `-t`. */
const COPIES = ["cp", "install", "ln", "ditto", "gcp", "ginstall"];
/** Programs that write all of their operands. */
const WRITES_ALL = ["tee", "truncate", "sponge", "fallocate", "gtee"];
/** Programs that destroy or replace what is on a device they are given. */
const WHOLE_DEVICE =
  /^(?:mkfs(?:\.\w+)?|mke2fs|mkdosfs|mkntfs|mkswap|shred|wipefs|blkdiscard|badblocks|scrub|wipe|nwipe|ddrescue|zerofree|pvcreate|vgcreate|pvremove|bcache-super-show|make-bcache|flashcp|nandwrite|mtd_debug|resize2fs|partclone\.\w+|cgdisk)$/;

/** The judges of this file, by program. */
export const DEVICE_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ...["dd", "dcfldd", "dc3dd", "gdd"].map((name): [string, DangerJudge] => [name, judgeDd]),
  ...COPIES.map((name): [string, DangerJudge] => [name, judgeCopy]),
  ...WRITES_ALL.map((name): [string, DangerJudge] => [name, (call) => written(operandsOf(call), call)]),
  ["curl", (call) => written(optionValues(call, /^-\w*o$/, "--output"), call)],
  ["wget", (call) => written(optionValues(call, /^-\w*O$/, "--output-document"), call)],
  ["sort", (call) => written(optionValues(call, /^-\w*o$/, "--output"), call)],
  ["fdisk", partitions(/^-l|^--list|^-s$|^--getsz$/)],
  ["sfdisk", partitions(/^-[ldsJV]|^--(?:list|dump|json|show-size|verify)/)],
  ["cfdisk", partitions(/^--help$/)],
  ["gdisk", partitions(/^-l$/)],
  ["sgdisk", partitions(/^-[piv]|^--(?:print|info|verify)/)],
  ["parted", partitions(/^(?:print|-l|--list)$/)],
  ["cryptsetup", partitions(/^(?:status|luksDump|isLuks|luksUUID|--version)$/)],
  [
    "hdparm",
    changes(
      /^--(?:security-(?:erase|set-pass|disable)|write-sector|trim-sector|make-bad-sector|sanitize|dco-restore|fwdownload)/,
    ),
  ],
  ["nvme", changes(/^(?:format|sanitize|write|write-zeroes|dsm|delete-ns|fw-download)$/)],
  ["mdadm", changes(/^(?:-C|--create|--zero-superblock|-B|--build)/)],
  ["zpool", changes(/^(?:create|add|attach|replace|labelclear)$/)],
  ["btrfs", changes(/^(?:add|replace)$/)],
  ["debugfs", changes(/^-\w*w/)],
  ["tune2fs", changes(/^-[A-Za-z]*[ceOULjJ]/)],
  ["xfs_db", changes(/^-\w*x/)],
];

/** True for a program that destroys what is on the device it is given. */
export function isWholeDevice(name: string): boolean {
  return WHOLE_DEVICE.test(name);
}

/** `mkfs /dev/sda`; of `$X` it cannot be determined. */
export function judgeWholeDevice(call: DangerCall): Refusal | undefined {
  const { name } = call;
  const reads = name === "wipefs" && !call.args.some((word) => /^-[a-z]*[ao]|^--(?:all|offset)/.test(word.value ?? ""));
  if (reads) return undefined;
  const operands = operandsOf(call);
  const target = operands.find((field) => isDeviceField(field, call.folder));
  if (target !== undefined)
    return block("writes-device", `\`${name}\` destroys the contents of \`${shownField(target)}\``);
  const doubt = operands.find((field) => mayBeDevice(field));
  return doubt === undefined ? undefined : undecided(`\`${name}\` on \`${shownField(doubt)}\`, which may be a device`);
}

/** What a redirection writes to. */
export function judgeRedirectionTarget(
  operator: Redirection["operator"],
  fields: readonly Field[],
  folder: Folder,
): Refusal | undefined {
  if (operator.startsWith("<") && operator !== "<>") return undefined;
  return worst(fields.map((field) => writes(operator, field, folder)));
}

function judgeDd(call: DangerCall): Refusal | undefined {
  const targets = call.fields.flatMap((field) => valueBehind(field, "of="));
  const known = written(targets, call);
  if (known !== undefined) return known;
  const loose = targets.find(mayBeDevice);
  return loose === undefined
    ? undefined
    : undecided(`\`${call.name}\` to \`${shownField(loose)}\`, which may be a device`);
}

function valueBehind(field: Field, prefix: string): Field[] {
  const [first, ...rest] = field;
  if (first?.kind !== "text" || !first.text.startsWith(prefix)) return [];
  const text = first.text.slice(prefix.length);
  return [text === "" ? rest : [{ kind: "text", text }, ...rest]];
}

function judgeCopy(call: DangerCall): Refusal | undefined {
  const into = optionValues(call, /^-\w*t$/, "--target-directory");
  return written([...operandsOf(call).slice(-1), ...into], call);
}

/** The values of an option: attached, behind `=`, or the next word. */
function optionValues({ fields }: DangerCall, short: RegExp, long: string): Field[] {
  return fields.flatMap((field, at): Field[] => {
    const text = leadingText(field);
    if (text.startsWith(`${long}=`)) return valueBehind(field, `${long}=`);
    if (text === long || short.test(text)) return fields.slice(at + 1, at + 2);
    const attached = /^-[A-Za-z](?=\/)/.exec(text)?.[0];
    return attached !== undefined && short.test(attached) ? valueBehind(field, attached) : [];
  });
}

function written(targets: readonly Field[], call: DangerCall): Refusal | undefined {
  return worst(targets.map((field) => writes(call.name, field, call.folder)));
}

function writes(program: string, field: Field, folder: Folder): Refusal | undefined {
  const shown = shownField(field);
  if (isDeviceField(field, folder)) return block("writes-device", `\`${program}\` overwrites the device \`${shown}\``);
  const text = resolved(field, folder);
  if (KERNEL_FILE.test(text)) {
    return block("writes-kernel", `\`${program}\` changes the running kernel through \`${shown}\``);
  }
  const begins = leadingText(field);
  const doubtful =
    field.some((part) => part.kind === "unknown") && /^\/(?:dev|proc)\//.test(begins) && mayBeDevice(field);
  return doubtful ? undecided(`\`${program}\` writes to \`${shown}\`, which may be a device`) : undefined;
}

/** True for a device, and for a pattern that matches one. */
export function isDeviceField(field: Field, folder: Folder): boolean {
  if (field.some((part) => part.kind === "unknown")) {
    // `/dev/sd$x` is one whatever follows.
    return DEVICE_START.test(collapse(leadingText(field)));
  }
  const text = knownText(field);
  return text === undefined ? matchesDevice(field) : BLOCK_DEVICE.test(resolved(textField(text), folder));
}

function mayBeDevice(field: Field): boolean {
  return field.some((part) => part.kind === "unknown" && part.mayBeAbsolute) && matchesDevice(field);
}

/** Most parts of a pattern that is matched as written. */
const MAX_PARTS = 16;

function matchesDevice(field: Field): boolean {
  if (field.length > MAX_PARTS) return true;
  const source = field.map((part) => {
    if (part.kind === "text") return collapse(part.text).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return part.kind === "char" ? "." : part.kind === "star" ? "[^/]*" : ".*";
  });
  const pattern = new RegExp(`^${source.join("")}$`, "s");
  return DEVICES.some((name) => pattern.test(`/dev/${name}`));
}

function resolved(field: Field, { cwd }: Folder): string {
  const text = shownField(field);
  if (text.startsWith("/")) return posix.normalize(text);
  return cwd !== undefined && /^\/(?:dev|proc|sys)\b/.test(cwd) ? posix.resolve(cwd, text) : text;
}

function collapse(path: string): string {
  return path.startsWith("/") ? posix.normalize(path) : path;
}

function partitions(reads: RegExp): DangerJudge {
  return (call) => {
    const target = operandsOf(call).find((field) => isDeviceField(field, call.folder));
    if (target === undefined || call.fields.some((field) => reads.test(knownText(field) ?? ""))) return undefined;
    return block("writes-device", `\`${call.name}\` changes the device \`${shownField(target)}\``);
  };
}

function changes(writesWith: RegExp): DangerJudge {
  return (call) => {
    const target = call.fields.find((field) => isDeviceField(field, call.folder));
    if (target === undefined || !call.fields.some((field) => writesWith.test(knownText(field) ?? ""))) return undefined;
    return block("writes-device", `\`${call.name}\` changes the device \`${shownField(target)}\``);
  };
}
