/**
 * Which names are block devices and files of the kernel that stop or harm the machine, and what writing there means.
 *
 * Names come from the kernel's `Documentation/admin-guide/devices.txt`, and from the manuals of the BSDs and of macOS.
 * A name in a folder below `/dev` is a volume (`/dev/vg0/root`, `/dev/cciss/c0d0`) unless the folder is known to hold
 * something else: volume groups have any name.
 */
import type { Redirection } from "@pi-bash/command";
import type { Folder } from "../../danger-paths.ts";
import type { Refusal } from "../../finding.ts";
import { block, leadingText, shownField, undecided, worst } from "../call.ts";
import { type Field, knownText, type Part } from "../values/fields.ts";
import { placed } from "./device-paths.ts";

const oneOf = (names: string): string => `(?:${names.split(" ").join("|")})`;

/** Disks that are counted with letters: `sda`. */
const LETTERED = oneOf("sd hd vd xvd ub ubd dasd ed xd pd rssd skd emcpower");
/** Disks that are counted with digits: `nvme0n1`. The last two lines are names of the BSDs and of macOS. */
const NUMBERED = oneOf(
  [
    "nvme mmcblk md md_d dm- loop ram zram nbd nb bcache pmem mtd\\w* sr scd zd rbd drbd ubd ubi ubiblock dcssblk",
    "xpram ftl nftl inftl rfd fd sg bsg ublkb ublkc pcd pf pktcdvd rsxx fio[a-z] ibmvdisk root mspblk",
    "r?sd r?wd r?ld dk r?xbd r?vnd r?cd acd da ada nda nvd vtbd mfid aacd twed ggate r?raid r?disk r?ccd",
  ].join(" "),
);
/** Memory, input and output ports, a watchdog (opening it starts a reset of the machine) and links to devices. */
const SINGLE = oneOf("k?mem port root watchdog\\d* cdrom\\d* cdrw dvd\\d* dvdrw nvram");
const DEVICE = new RegExp(`^(?:${LETTERED}[a-z]|${NUMBERED}\\d|${SINGLE}(?:/|$))`);
/** The start of a name that no other kind of file has: `/dev/sd$x` is a device whatever follows. */
const CERTAIN_START =
  /^(?:[shv]d|xvd|dasd|ubd|nvme|mmcblk|md\d|dm-|loop(?!-)|r?disk|r?bd\d|drbd|nbd|zram|bcache|pmem|mtdblock)/;

/** Names below `/dev` that are not disks: terminals, sources of bytes, and folders of sockets and of other devices. */
const OTHER = oneOf(
  [
    "null zero full u?random std(?:in|out|err) fd tty[A-Z]* console ptmx pts? pty vcs?a? cu tnt log kmsg initctl",
    "shm mqueue hugepages[^/]* net tun tap input snd dsp audio midi mixer dri fb video v4l media dvb bus usb char misc",
    "cpu cpuset cpuctl cgroup memcg infiniband dma_heap serial vfio xen socket tcp udp kvm vhost(?:-[a-z]+)? vsock",
    "hidraw i2c spidev gpio(?:chip)? tpm(?:rm)? rtc hpet hwrng fuse cuse loop-control btrfs-control zfs autofs",
    "binder uinput uhid uio iio lp parport n?st nvidia(?:-caps|ctl)? kfd rfkill ppp pps ptp userfaultfd snapshot",
    "mcelog",
  ].join(" "),
);
const OTHER_FOLDER = new RegExp(`^(?:${OTHER}\\d*/|mapper/control$)`);
const OTHER_NAME = new RegExp(`^${OTHER}(?![a-z])`);

/** One of each, for patterns and what is not known. */
const SAMPLES = [
  "sda sda1 sdb sdb1 sdc hda hda1 vda vda1 vdb xvda xvda1 nvme0n1 nvme0n1p1 nvme1n1 mmcblk0 mmcblk0p1 md0 md/0 dm-0",
  "loop0 disk0 rdisk0 dasda nbd0 rbd0 drbd0 zram0 bcache0 pmem0 sr0 ada0 vg0/root mapper/root disk/by-id/any-name mem",
].flatMap((names) => names.split(" ").map((name) => `/dev/${name}`));
/**
 * Files that stop the machine, take a disk away or are its firmware, and those that end all processes of a group that the
 * whole system is in. Settings of the kernel are daily work.
 */
const KERNEL_FILE =
  /^\/(?:proc\/(?:sysrq-trigger|kcore)|sys\/(?:power\/(?:state|disk)|.*\/delete|firmware\/efi\/(?:efi)?vars\/.*|fs\/cgroup\/(?:unified\/)?(?:(?:system|user)\.slice|init\.scope)\/cgroup\.(?:kill|freeze)))$/;
const KERNEL_SAMPLES = [
  ...["/proc/sysrq-trigger", "/proc/kcore", "/sys/power/state", "/sys/power/disk", "/sys/block/sda/device/delete"],
  "/sys/firmware/efi/efivars/any-name",
  ...["/sys/fs/cgroup/system.slice/cgroup.kill", "/sys/fs/cgroup/user.slice/cgroup.kill"],
];

/** True for a device, and for a pattern that matches one. */
export function isDeviceField(field: Field, folder: Folder): boolean {
  return isOne(field, folder, (name) => isVolume(name) || DEVICE.test(name));
}

/** The same for a program that takes devices only: whatever stands in `/dev` and is not known to be something else. */
export function isAnyDeviceField(field: Field, folder: Folder): boolean {
  return isOne(field, folder, (name) => isVolume(name) || DEVICE.test(name) || !OTHER_NAME.test(name));
}

function isOne(field: Field, folder: Folder, isDevice: (name: string) => boolean): boolean {
  const path = placed(field, folder);
  const text = knownText(path);
  if (text !== undefined) return isDevice(/^\/dev\/(.+)/s.exec(text)?.[1] ?? "null");
  const start = /^\/dev\/(.+)/s.exec(leadingText(path))?.[1] ?? "";
  if (CERTAIN_START.test(start) || isVolume(start)) return true;
  return !hasUnknown(path) && SAMPLES.some((name) => matches(path, name));
}

/** A file in a folder of its own. */
function isVolume(name: string): boolean {
  return name.includes("/") && !OTHER_FOLDER.test(name);
}

/** True for what an unknown value may make a device. */
export function mayBeDevice(field: Field, folder: Folder): boolean {
  const path = placed(field, folder);
  const isOpen = path.some((part) => part.kind === "unknown" && part.mayBeAbsolute);
  return isOpen && SAMPLES.some((name) => matches(path, name));
}

/** What it means that a program writes a file. */
export function writeTo(program: string, field: Field, folder: Folder): Refusal | undefined {
  const shown = shownField(field);
  if (isDeviceField(field, folder)) return block("writes-device", `\`${program}\` overwrites the device \`${shown}\``);
  const path = placed(field, folder);
  if (isKernelFile(path)) {
    return block("writes-kernel", `\`${program}\` may stop or harm the machine through \`${shown}\``);
  }
  const isDoubtful = /^\/(?:dev|proc)\//.test(leadingText(path)) && mayBeDevice(field, folder);
  return isDoubtful ? undecided(`\`${program}\` writes to \`${shown}\`, which may be a device`) : undefined;
}

/** What a redirection writes to. */
export function judgeRedirectionTarget(
  operator: Redirection["operator"],
  fields: readonly Field[],
  folder: Folder,
): Refusal | undefined {
  if (operator.startsWith("<") && operator !== "<>") return undefined;
  return worst(fields.map((field) => writeTo(operator, field, folder)));
}

function isKernelFile(path: Field): boolean {
  if (KERNEL_FILE.test(shownField(path))) return true;
  return !hasUnknown(path) && knownText(path) === undefined && KERNEL_SAMPLES.some((name) => matches(path, name));
}

function hasUnknown(field: Field): boolean {
  return field.some((part) => part.kind === "unknown");
}

/** Whether a field may become a name. All places that the parts so far reach are followed together: no part is slow. */
function matches(field: Field, name: string): boolean {
  let reached: readonly number[] = [0];
  for (const part of field) reached = [...new Set(reached.flatMap((at) => reachedBy(part, name, at)))];
  return reached.includes(name.length);
}

function reachedBy(part: Part, name: string, at: number): readonly number[] {
  const slash = name.indexOf("/", at);
  const end = slash === -1 || part.kind === "unknown" ? name.length : slash;
  switch (part.kind) {
    case "text":
      return name.startsWith(part.text, at) ? [at + part.text.length] : [];
    case "char":
      return at < end ? [at + 1] : [];
    default:
      return Array.from({ length: end - at + 1 }, (_, count) => at + count);
  }
}
