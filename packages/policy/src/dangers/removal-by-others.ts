/**
 * Programs that remove or move whole folders beside what they are for: trash cans, archivers, `rclone`, `userdel`, and a
 * checkout over a folder of the system.
 *
 * Sources: trash-put(1), gio(1), tar(1), zip(1), 7z(1), rar(1), wipe(1), cmake(1), rclone(1), userdel(8), deluser(8),
 * git-checkout(1).
 */
import { firstValue } from "@pi-bash/command/internal";
import { type Folder, type Target, targetOf } from "../danger-paths.ts";
import type { Refusal } from "../finding.ts";
import { block, type DangerCall, type DangerJudge, undecided } from "./call.ts";
import { folderAt } from "./folders.ts";
import { type GivenOptions, type OptionGrammar, optionsNamed, readGivenOptions } from "./given-options.ts";
import { type Field, knownText } from "./values/fields.ts";

/** The judges of this file, by program. */
export const OTHER_REMOVAL_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ...["trash", "trash-put", "gvfs-trash", "gtrash"].map((name): [string, DangerJudge] => [
    name,
    (call) => judgeMoved(`\`${name}\``, readGivenOptions(call, {}).operands, call),
  ]),
  ["gio", judgeGio],
  ...["tar", "gtar", "bsdtar"].map((name): [string, DangerJudge] => [name, judgeTar]),
  ["zip", judgeZip],
  ...["7z", "7za", "7zr", "7zz"].map((name): [string, DangerJudge] => [name, judgeSevenZip]),
  ["rar", judgeRar],
  ["wipe", judgeWipe],
  ["cmake", judgeCmake],
  ["rclone", judgeRclone],
  ["userdel", (call) => judgeUser(call, "-r --remove")],
  ["deluser", (call) => judgeUser(call, "--remove-home --remove-all-files")],
  ["git", judgeCheckout],
];

/** Moving a folder that the system depends on away, wherever that is. */
export function judgeMoved(how: string, moved: readonly Field[], { folder }: Placed): Refusal | undefined {
  const main = mainOf(moved, folder);
  return main === undefined ? undefined : block("move-system", `${how} of ${main.name}`);
}

/** Removing one with all that is in it. */
function judgeRemoved(how: string, removed: readonly Field[], { folder }: Placed): Refusal | undefined {
  const main = mainOf(removed, folder);
  return main === undefined ? undefined : block("remove-system", `${how} on ${main.name}`);
}

type Placed = Pick<DangerCall, "folder">;

function mainOf(fields: readonly Field[], folder: Folder): Target | undefined {
  return fields.map((field) => targetOf(field, folder).certain).find((each) => each?.kind === "main");
}

function has(given: GivenOptions, names: string): boolean {
  return optionsNamed(given, ...names.split(" ")).length > 0;
}

/** The known text of an operand. */
function textAt({ operands }: GivenOptions, at: number): string {
  return knownText(operands[at] ?? []) ?? "";
}

/** `gio trash /usr`. */
function judgeGio(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, {});
  return textAt(given, 0) === "trash" ? judgeMoved("`gio trash`", given.operands.slice(1), call) : undefined;
}

const TAR: OptionGrammar = {
  valued: "bCfFgHIKLNTVX",
  longValued: "file directory files-from exclude exclude-from format use-compress-program transform index-file",
};

/** `tar cf x --remove-files /usr`; the letters of the old notation take their values from the operands. */
function judgeTar(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, TAR);
  if (!given.options.some(({ name }) => name.length > 8 && "--remove-files".startsWith(name))) return undefined;
  const isOld = /^[a-zA-Z]+$/.test(firstValue(call.args));
  // What is moved to later holds for all: `tar -C /usr -cf x --remove-files .`.
  const folder = optionsNamed(given, "-C", "--directory").reduce(
    (here, { values }) => folderAt(values.length === 1 ? values.map(knownText)[0] : undefined, here),
    call.folder,
  );
  return judgeRemoved("`tar --remove-files`", given.operands.slice(isOld ? 2 : 0), { folder });
}

/** The first operand is the archive. */
function judgeZip(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "bnPtsx", longValued: "temp-path suffixes password exclude" });
  return has(given, "-m --move") ? judgeRemoved("`zip --move`", given.operands.slice(1), call) : undefined;
}

/** `7z a -sdel x.7z /usr` deletes what it has put into the archive. */
function judgeSevenZip(call: DangerCall): Refusal | undefined {
  const isDeleting = call.args.some(({ value }) => value?.toLowerCase() === "-sdel");
  return isDeleting ? judgeArchived("`7z -sdel`", call) : undefined;
}

/** `rar m`, and `rar a -df`. */
function judgeRar(call: DangerCall): Refusal | undefined {
  const isMoving = /^mf?$/i.test(textAt(readGivenOptions(call, {}), 0));
  const isDeleting = call.args.some(({ value }) => /^-d[frw]$/i.test(value ?? ""));
  return isMoving || isDeleting ? judgeArchived("`rar` that deletes what it has archived", call) : undefined;
}

/** A letter for what to do, the archive, and what goes into it. */
function judgeArchived(how: string, call: DangerCall): Refusal | undefined {
  return judgeRemoved(how, readGivenOptions(call, {}).operands.slice(2), call);
}

function judgeWipe(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "BCSMloQRTPb" });
  return has(given, "-r") ? judgeRemoved("`wipe -r`", given.operands, call) : undefined;
}

/** The commands of `cmake -E`. */
function judgeCmake(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "E" });
  const [tool] = optionsNamed(given, "-E");
  const verb = tool === undefined ? undefined : tool.values.map(knownText)[0];
  if (verb === "rename") return judgeMoved("`cmake -E rename`", given.operands.slice(0, 1), call);
  const isRecursive = verb === "remove_directory" || (verb === "rm" && has(given, "-r -R"));
  return isRecursive ? judgeRemoved(`\`cmake -E ${verb}\``, given.operands, call) : undefined;
}

/** Which of the paths behind a subcommand of `rclone` lose what they hold. */
const RCLONE: ReadonlyMap<string, readonly [from: number, to: number]> = new Map([
  ["purge", [1, 2]],
  ["delete", [1, 2]],
  ["move", [1, 2]],
  ["sync", [2, 3]],
]);

function judgeRclone(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, {
    longValued:
      "config include exclude filter filter-from files-from include-from exclude-from min-age max-age transfers",
  });
  const verb = textAt(given, 0);
  const taken = RCLONE.get(verb);
  const filters = given.options.some(({ name }) => /^--(?:include|exclude|filter|files-from|m(?:in|ax)-)/.test(name));
  if (taken === undefined || filters || has(given, "-n") || given.options.some(({ name }) => name === "--dry-run")) {
    return undefined;
  }
  return judgeRemoved(`\`rclone ${verb}\``, given.operands.slice(...taken), call);
}

/** The home of a user goes as well. */
function judgeUser(call: DangerCall, names: string): Refusal | undefined {
  const given = readGivenOptions(call, { valued: "RP", longValued: "root prefix backup-to" });
  if (!has(given, names) || given.operands.length === 0) return undefined;
  return undecided(`\`${call.name}\` that removes a home directory`);
}

const GIT: OptionGrammar = { valued: "Ccb", longValued: "git-dir work-tree namespace config-env super-prefix" };

const CHECKS_OUT: ReadonlySet<string> = new Set(["checkout", "switch"]);

/** `git --work-tree=/ checkout -f` puts the files of a commit over those of the system. */
function judgeCheckout(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, GIT);
  const verb = textAt(given, 0);
  const forces =
    (CHECKS_OUT.has(verb) && has(given, "-f --force --discard-changes")) || (verb === "reset" && has(given, "--hard"));
  const [tree] = optionsNamed(given, "--work-tree").at(-1)?.values ?? [];
  if (!forces || tree === undefined) return undefined;
  const main = mainOf([tree], call.folder);
  return main === undefined ? undefined : undecided(`\`git ${verb}\` over ${main.name}`);
}
