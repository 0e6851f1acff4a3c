/**
 * What the tests of a search leave of all that it comes past.
 *
 * It distinguishes four things: the place where it starts, the protected folders below, the many things in them, and the
 * devices. A test of names may spare one and not the other: `-name etc` leaves a folder of the system, `-type f` all files.
 */
import { MAX_PATHS, type Places } from "../../protected-folders.ts";
import {
  asksFor,
  hasGap,
  mayMatch,
  type NamePattern,
  type Narrowing,
  narrowingOfPattern,
  strongest,
  weakest,
} from "./name-patterns.ts";

/** Some devices that a machine may have. */
const DEVICE_NAMES: ReadonlySet<string> = new Set(
  [
    "sda sda1 sda2 sda3 sdb sdb1 sdb2 sdc sdc1 sdd sdd1 sde sdf hda hda1 hdb vda vda1 vda2 vdb xvda xvda1 xvdb xvdf",
    "nvme0n1 nvme0n1p1 nvme0n1p2 nvme1n1 mmcblk0 mmcblk0p1 mmcblk1 md0 md127 dm-0 dm-1 loop0 loop1 sr0 disk0 mem",
  ].flatMap((names) => names.split(" ")),
);
const DEVICE_PATHS: ReadonlySet<string> = new Set([...DEVICE_NAMES].map((name) => `/dev/${name}`));

/** How far each of them is kept out. */
export interface Reach {
  readonly start: Narrowing;
  readonly folders: Narrowing;
  readonly contents: Narrowing;
  readonly devices: Narrowing;
}

/** Everything is left. */
export const WHOLE: Reach = { start: "no", folders: "no", contents: "no", devices: "no" };
/** Perhaps everything is left: an age, an owner of one's own. */
export const SOME_LEFT: Reach = { start: "weak", folders: "weak", contents: "weak", devices: "weak" };
/** Nothing is left. */
export const NOTHING_LEFT: Reach = { start: "yes", folders: "yes", contents: "yes", devices: "yes" };
/** All but folders is left. */
export const FILES_LEFT: Reach = { start: "yes", folders: "yes", contents: "no", devices: "no" };

/** What is left where all of several tests hold. */
export function allOf(list: readonly Reach[]): Reach {
  return combined(list, strongest);
}

/** What is left where one of several tests holds. */
export function oneOf(list: readonly Reach[]): Reach {
  return combined(list, weakest);
}

/** How far all of it is kept out. */
export function narrowest({ start, folders, contents }: Reach): Narrowing {
  return weakest([start, folders, contents]);
}

/** How a test of names is meant. */
export interface NameTest {
  readonly ignoresCase: boolean;
  /** Only what lies directly in a start is looked at. */
  readonly shallow: boolean;
}

/** What a pattern for names leaves. */
export function testNames(pattern: NamePattern, places: Places, { ignoresCase, shallow }: NameTest): Reach {
  const meets = (names: ReadonlySet<string>): boolean =>
    [...names].some((name) => mayMatch(pattern, name, ignoresCase));
  const meetsStart = meets(places.starts);
  // Whoever looks for `log` in `/var/log` means that folder; `*log*` is for what is in it.
  const namesStart = meetsStart && !hasGap(pattern);
  // Directly in `/home` about any name is that of a user, but for one with a dot.
  const namesHome = shallow && places.hasHomes && !asksFor(pattern, ".");
  return {
    start: meetsStart ? "no" : "yes",
    folders: namesStart || namesHome || meets(places.names) ? "no" : "yes",
    contents: narrowingOfPattern(pattern),
    devices: meets(DEVICE_NAMES) ? "no" : "yes",
  };
}

/** What a pattern for whole paths leaves. */
export function testPaths(pattern: NamePattern, places: Places, ignoresCase: boolean): Reach {
  if (places.paths.size > MAX_PATHS) return WHOLE;
  const meets = (paths: ReadonlySet<string>): boolean =>
    [...paths].some((path) => mayMatch(pattern, path, ignoresCase));
  const folders = meets(places.paths) ? "no" : "yes";
  return {
    start: folders,
    folders,
    contents: meets(places.contents) ? "no" : narrowingOfPattern(pattern),
    devices: meets(DEVICE_PATHS) ? "no" : "yes",
  };
}

function combined(list: readonly Reach[], how: (list: readonly Narrowing[]) => Narrowing): Reach {
  return {
    start: how(list.map(({ start }) => start)),
    folders: how(list.map(({ folders }) => folders)),
    contents: how(list.map(({ contents }) => contents)),
    devices: how(list.map(({ devices }) => devices)),
  };
}
