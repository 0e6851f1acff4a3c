/**
 * Removing, moving and changing the modes of what belongs to the system: `rm`, `mv`, `rsync`, `chmod`, `chown`. What
 * searches do is in `searches.ts` and `fd-searches.ts`, what `git clean` does in `git-cleaning.ts`, what programs do that
 * remove on the side in `removal-by-others.ts`, and the removal of files without folders in `removal-of-files.ts`.
 */
import { targetOf } from "../danger-paths.ts";
import type { Refusal } from "../finding.ts";
import { block, type DangerCall, type DangerJudge, leadingText, shownField, undecided, worst } from "./call.ts";
import { isDeviceField } from "./devices/devices.ts";
import { judgeCleaning } from "./git-cleaning.ts";
import { type GivenOptions, type OptionGrammar, optionsNamed, readGivenOptions } from "./given-options.ts";
import { judgeMoved, OTHER_REMOVAL_JUDGES } from "./removal-by-others.ts";
import { FILE_REMOVAL_JUDGES, isFedBySearch, removesFiles } from "./removal-of-files.ts";
import { FD_JUDGES } from "./searches/fd-searches.ts";
import { SEARCH_JUDGES } from "./searches/searches.ts";
import { removal } from "./targets.ts";
import type { Field } from "./values/fields.ts";

/** Programs that remove folders without an option that says so: rimraf(1), del-cli(1). */
const TAKE_ALL = ["rimraf", "del", "del-cli"];

/** The judges of what removes, moves or opens, by program. */
export const REMOVAL_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ["rm", judgeRemove],
  ["grm", judgeRemove],
  ["srm", judgeRemove],
  ...TAKE_ALL.map((name): [string, DangerJudge] => [name, judgeRemove]),
  ["chmod", judgeModes],
  ["gchmod", judgeModes],
  ["chown", judgeModes],
  ["gchown", judgeModes],
  ["chgrp", judgeModes],
  ["gchgrp", judgeModes],
  ["setfacl", judgeModes],
  ["chattr", judgeModes],
  ["mv", judgeMove],
  ["gmv", judgeMove],
  ["rsync", judgeMirror],
  ["git", judgeCleaning],
  ...FILE_REMOVAL_JUDGES,
  ...OTHER_REMOVAL_JUDGES,
  ...SEARCH_JUDGES,
  ...FD_JUDGES,
];

function judgeRemove(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, {});
  const targets = given.operands.map((field) => ({ field, target: targetOf(field, call.folder) }));
  const certain = targets.map(({ target }) => target.certain).find((each) => each?.kind === "main");
  const takesAll = TAKE_ALL.includes(call.name) || isFedBySearch(call);
  if (!takesAll && optionsNamed(given, "-r", "-R", "--recursive").length === 0) {
    // `rm $OPTIONS /etc` and `rm -$OPTIONS /etc`.
    const loose = call.args.some(
      (word) =>
        (word.value === null && /^-[a-zA-Z]*$/.test(word.leading)) ||
        (word.splits && word.leading === "" && mayBeOption(call.fieldsOf(word))),
    );
    const doubt =
      certain !== undefined && loose ? undecided(`\`rm\` with unknown options on ${certain.name}`) : undefined;
    return worst([removesFiles(call), doubt]);
  }
  return worst(targets.map(({ field, target }) => removal(`\`${call.name} -r\``, field, target)));
}

function mayBeOption(fields: readonly Field[]): boolean {
  return fields.some((field) => field[0]?.kind === "unknown" && field[0].mayBeAbsolute);
}

/** Options with values. Sources: chown(1) and chmod(1) of GNU coreutils, setfacl(1), chattr(1). */
const MODE_OPTIONS: Readonly<Record<string, OptionGrammar>> = {
  setfacl: { valued: "mxMXsS", longValued: "set set-file modify modify-file remove remove-file restore" },
  chattr: { valued: "vp" },
};
const REFERENCE: OptionGrammar = { longValued: "reference from" };

/** Changes far below a folder of the system are what administrators do: those ask. */
function judgeModes(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, MODE_OPTIONS[call.name] ?? REFERENCE);
  const isRecursive = optionsNamed(given, "-R", "--recursive").length > 0;
  if (!isRecursive && !isFedBySearch(call)) return undefined;
  return worst(
    given.operands.map((field, at) => {
      const { certain, possible } = targetOf(field, call.folder);
      const target = certain ?? possible;
      if (target === undefined) return undefined;
      const message = `recursive change of modes or owners of ${target.name}`;
      if (certain?.kind === "main") return block("modes-of-system", message);
      // The mode and the owner are operands, too: only what may be a path is doubtful.
      return !isRecursive || (at === 0 && leadingText(field) === "") ? undefined : undecided(message);
    }),
  );
}

/** Source: mv(1) of GNU coreutils. */
const MOVE: OptionGrammar = { valued: "tS", longValued: "target-directory suffix" };

function judgeMove(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, MOVE);
  const into = optionsNamed(given, "-t", "--target-directory").length > 0;
  return (
    judgeMoved("`mv`", into ? given.operands : given.operands.slice(0, -1), call) ?? judgeTarget("mv", given, call)
  );
}

function judgeTarget(program: string, { operands }: GivenOptions, call: DangerCall): Refusal | undefined {
  const device = operands.slice(-1).find((field) => isDeviceField(field, call.folder));
  return device === undefined
    ? undefined
    : block("writes-device", `\`${program}\` overwrites the device \`${shownField(device)}\``);
}

/** Source: rsync(1) 3.4, whose long options are never abbreviated; `--zc`, `--zl` and `--cc` are short for others. */
const MIRROR: OptionGrammar = {
  valued: "eBTMf@",
  exactLong: true,
  longValued:
    "rsh rsync-path block-size temp-dir remote-option filter modify-window exclude exclude-from include include-from " +
    "files-from address port sockopts outbuf info debug stderr max-delete max-size min-size max-alloc partial-dir " +
    "timeout contimeout compare-dest copy-dest link-dest compress-choice zc compress-level zl skip-compress chmod " +
    "chown usermap groupmap out-format log-format log-file log-file-format password-file early-input bwlimit " +
    "stop-after stop-at time-limit write-batch only-write-batch read-batch protocol iconv checksum-seed " +
    "checksum-choice cc suffix backup-dir copy-as config dparam",
};

/** `rsync --delete` empties what its source does not have; it also copies, which may reach a device. */
function judgeMirror(call: DangerCall): Refusal | undefined {
  const given = readGivenOptions(call, MIRROR);
  const target = given.operands.at(-1);
  if (target === undefined || optionsNamed(given, "-n").length > 0) return undefined;
  // Long names are never abbreviated.
  if (given.options.some(({ name }) => name === "--dry-run")) return undefined;
  const { certain } = targetOf(target, call.folder);
  const removes = given.options.some(({ name }) => /^--del(?:ete(?!-missing-args$).*)?$/.test(name));
  if (removes && certain !== undefined && certain.kind !== "doubtful") {
    return block("remove-system", `\`rsync --delete\` on ${certain.name}`);
  }
  const moves = given.options.some(({ name }) => /^--remove-(?:source|sent)-files$/.test(name));
  const moved = moves ? judgeMoved("`rsync --remove-source-files`", given.operands.slice(0, -1), call) : undefined;
  return moved ?? judgeTarget("rsync", given, call);
}
