/**
 * Lines about devices, volumes, processes and the machine itself.
 *
 * They run in `/home/me/code/app`, which is the workspace; the home is `/home/me`.
 */
import { BLOCKED_DEVICES } from "./blocked-devices.ts";
import { BLOCKED_DISKS } from "./blocked-disks.ts";
import { BLOCKED_PROCESSES } from "./blocked-processes.ts";
import { ORDINARY_DISKS } from "./ordinary-disks.ts";
import { ORDINARY_PROCESSES } from "./ordinary-processes.ts";

/** The lines that are blocked, by class. */
export const BLOCKED_MACHINES: Readonly<Record<string, readonly string[]>> = {
  ...BLOCKED_DEVICES,
  ...BLOCKED_DISKS,
  ...BLOCKED_PROCESSES,
};

/** The lines whose block depends on what is not known, by class. */
export const UNDECIDED_MACHINES: Readonly<Record<string, readonly string[]>> = {
  "numbers of processes": ["ls /proc | xargs kill -9", "seq 2 $MAX | xargs kill -9"],
  "a device that is not known": [
    'cp "$F" /dev',
    "cp * /dev",
    'tar cf "/dev/$X" x',
    'curl -so"/dev/$X" http://x',
    "parted /dev/sda $COMMAND",
    "blkdiscard $X",
    'mkfs.ext4 "/dev/$X"',
    'btrfs subvolume delete "$X"',
  ],
};

/** Lines of honest work, by class. */
export const ORDINARY_MACHINES: Readonly<Record<string, readonly string[]>> = {
  ...ORDINARY_DISKS,
  ...ORDINARY_PROCESSES,
};
