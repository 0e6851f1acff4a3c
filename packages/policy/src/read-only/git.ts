/**
 * Which `git` calls only read, provided git is run hardened (see `../git-hardening.ts`).
 *
 * Git runs programs that a repository's configuration names, and it accepts abbreviated options in most subcommands
 * (`git grep --open-files-in=…`, `git branch --del`), so options are listed exactly and everything else is refused.
 * Aliases may be shell commands: an unknown subcommand is never read-only. Source: the manuals of git 2.39 to 2.51.
 */
import type { Word } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { type Refusal, refuse } from "../finding.ts";
import { checksSignatures, formatsAreHarmless, judgeBy } from "./git-option-judge.ts";
import { DIFF, DIFF_SHORT, LOG, LOG_SHORT, names } from "./git-options.ts";
import { type Call, isSurelyOperand, type Judge, mayMultiply, refuseOption } from "./options.ts";

/** `git` with a subcommand and options that only read. */
export const judgeGit: Judge = (call) => {
  const at = subcommandIndex(call.args);
  if (typeof at !== "number") return at;
  const word = call.args[at];
  if (word === undefined) return call.args.some((each) => each.value === "--version") ? undefined : refuseGit("");
  const name = word.value ?? "";
  const rest: Call = { ...call, name: `git ${name}`, args: call.args.slice(at + 1) };
  const judge = SUBCOMMANDS.get(name);
  return judge === undefined ? refuseGit(name) : judge(rest);
};

function refuseGit(name: string): Refusal {
  const message = name === "" ? "`git` without a subcommand" : `\`git ${name}\` is not known to be read-only`;
  return refuse("git-subcommand", "unknown", message);
}

const GLOBAL_OPTIONS = /^(?:-P|--no-pager|--no-optional-locks|--literal-pathspecs|--version)$/;

/** Index of the subcommand; options before it are few, because `-c` alone can run any program. */
function subcommandIndex(args: readonly Word[]): number | Refusal {
  for (const [index, word] of args.entries()) {
    if (word.value === null) return refuseOption("git", word);
    if (!word.value.startsWith("-")) return index;
    if (GLOBAL_OPTIONS.test(word.value)) continue;
    return refuse("git-global-option", "exec", `\`git ${word.value}\` can change what git runs or where`);
  }
  return args.length;
}

const judgeLog = formatsAreHarmless(judgeBy({ options: names(LOG, DIFF), short: LOG_SHORT }));
const judgeDiff = formatsAreHarmless(judgeBy({ options: names(DIFF), short: DIFF_SHORT }));

const noOperands =
  (message: string) =>
  (operands: readonly Word[]): Refusal | undefined =>
    operands.length === 0 ? undefined : refuse("git-operand", "write", message);

const BRANCH_LISTS =
  /^(?:-a|-r|-l|--all|--remotes|--list|-v+|-av+|-va|-rv+|-vr|-avv|--verbose|--contains|--no-contains|--merged|--no-merged|--points-at|--show-current|--sort=.*|--format=.*|--column.*|--no-column|--color.*|--no-color|-i|--ignore-case|--abbrev=\d+|--no-abbrev|--omit-empty)$/;

/** `git branch` lists; a name alone would create one. */
const judgeBranch: Judge = (call) =>
  listing(call, BRANCH_LISTS, /^(?:-l|--list|--contains|--no-contains|--merged|--no-merged|--points-at)$/);
const TAG_LISTS =
  /^(?:-l|--list|-n\d*|--contains|--no-contains|--merged|--no-merged|--points-at|--sort=.*|--format=.*|--column.*|--no-column|--color.*|-i|--ignore-case|--omit-empty)$/;
const judgeTag: Judge = (call) =>
  listing(call, TAG_LISTS, /^(?:-l|--list|--contains|--no-contains|--merged|--no-merged|--points-at)$/);

/** A command that lists with options alone, and takes patterns only in list mode. */
function listing(call: Call, lists: RegExp, mode: RegExp): Refusal | undefined {
  const words = call.args.map((word) => word.value);
  const inListMode = words.some((text) => text !== null && mode.test(text));
  for (const [index, text] of words.entries()) {
    const word = call.args[index];
    if (word !== undefined && isSurelyOperand(word)) {
      if (!inListMode) return refuse("git-operand", "write", `\`${call.name}\` with a name is not read-only`);
    } else if (text === null && word !== undefined) return refuseOption(call.name, word);
    else if (text !== null && !lists.test(text)) {
      return refuse("option-not-read-only", "write", `\`${call.name} ${text}\` is not known to be read-only`);
    }
  }
  return call.args.some(checksSignatures)
    ? refuse("git-signature", "exec", `\`${call.name}\` with a signature format runs gpg`)
    : undefined;
}

/** Subcommands of subcommands: the first word decides. */
function firstOperand(allowed: Readonly<Record<string, Judge>>, bare?: Judge): Judge {
  return (call) => {
    const [first, ...rest] = call.args;
    if (first === undefined) return bare?.(call) ?? (bare === undefined ? refuseGit(call.name.slice(4)) : undefined);
    const judge = allowed[first.value ?? ""];
    if (judge !== undefined && first.value !== null)
      return judge({ ...call, args: rest, name: `${call.name} ${first.value}` });
    if (bare !== undefined && first.value?.startsWith("-") === true) return bare(call);
    return refuse("git-subcommand", "write", `\`${call.name} ${first.display}\` is not known to be read-only`);
  };
}

const none: Judge = judgeBy({ options: names(""), operands: noOperands("operands are not read-only here") });
const plain = (options: string, short?: RegExp): Judge =>
  judgeBy({ options: names(options), ...(short === undefined ? {} : { short }) });

const CONFIG_READS =
  /^(?:--get|--get-all|--get-regexp|--get-urlmatch|--list|-l|--global|--local|--system|--worktree|--show-origin|--show-scope|--name-only|-z|--null|--includes|--no-includes|--type=\w+|--bool|--int|--path|--default=.*)$/;

const CONFIG_VERBS: ReadonlySet<string> = new Set(["get", "list"]);

/** `git config` reads no option behind its first operand: there `--list` is a value, and is written. */
const judgeConfig: Judge = (call) => {
  const first = call.args.findIndex(isSurelyOperand);
  const options = first === -1 ? call.args : call.args.slice(0, first);
  const operands = first === -1 ? [] : call.args.slice(first);
  const named = CONFIG_VERBS.has(firstValue(call.args));
  const bad = call.args.find(
    (word) => !isSurelyOperand(word) && (word.value === null || !CONFIG_READS.test(word.value)),
  );
  if (bad !== undefined) {
    return refuse("option-not-read-only", "write", `\`git config ${bad.display}\` is not known to be read-only`);
  }
  const byOption = options.some((word) => /^(?:--get(?:-all|-regexp|-urlmatch)?|--list|-l)$/.test(word.value ?? ""));
  // A single key is read; a single word without a dot is a subcommand such as `edit`, and a pattern may become two.
  const [only] = operands;
  const key = operands.length === 1 && only?.leading.includes(".") === true && !mayMultiply(only);
  return named || byOption || key
    ? undefined
    : refuse("git-operand", "write", "`git config` with a value is not read-only");
};

const SUBCOMMANDS: ReadonlyMap<string, Judge> = new Map<string, Judge>([
  [
    "status",
    plain(
      "--short --branch --show-stash --porcelain= --long --verbose --untracked-files= --ignore-submodules= --ignored= --column= --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames= -z -u",
      /^-(?:[sbvz]+|u(?:no|normal|all))$/,
    ),
  ],
  ["diff", judgeDiff],
  ["log", judgeLog],
  ["show", judgeLog],
  ["whatchanged", judgeLog],
  ["rev-list", judgeLog],
  // Without a commit shortlog reads its input, which does no harm.
  ["shortlog", formatsAreHarmless(judgeBy({ options: names(LOG, DIFF), short: /^-(?:[nsec]+|w[\d,]*|\d+)$/ }))],
  ["reflog", firstOperand({ show: judgeLog, exists: none }, judgeLog)],
  [
    "diff-tree",
    formatsAreHarmless(
      judgeBy({ options: names(DIFF, LOG, "--stdin --root --no-commit-id --always"), short: LOG_SHORT }),
    ),
  ],
  ["diff-files", judgeBy({ options: names(DIFF, "-q -0 -1 -2 -3"), short: DIFF_SHORT })],
  ["diff-index", judgeBy({ options: names(DIFF), short: DIFF_SHORT })],
  [
    "range-diff",
    judgeBy({ options: names(DIFF, "--creation-factor= --no-dual-color --left-only --right-only"), short: DIFF_SHORT }),
  ],
  [
    "blame",
    plain(
      "--root --show-stats --line-porcelain --porcelain --incremental --show-name --show-number --show-email --date= --abbrev= --color-lines --color-by-age --since= --ignore-rev= --reverse --first-parent -L_ -l -t -S_ -p -c -f -n -e -s -w -b -M -C",
      /^-(?:L.+|[MC]\d*|[ltpcfneswb]+)$/,
    ),
  ],
  ["annotate", plain("-L_ -l -t -w -b", /^-L.+$/)],
  [
    "rev-parse",
    plain(
      "--abbrev-ref= --abbrev-ref --short= --verify --quiet --symbolic --symbolic-full-name --show-toplevel --show-cdup --show-prefix --show-superproject-working-tree --git-dir --git-common-dir --absolute-git-dir --git-path_ --is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --shared-index-path --show-object-format= --all --branches= --tags= --remotes= --glob= --exclude= --not --sq --revs-only --no-revs --flags --no-flags --since= --until= --local-env-vars --path-format= --default_ -q",
    ),
  ],
  // `--dirty` rewrites the index, also without optional locks.
  [
    "describe",
    plain(
      "--all --tags --contains --abbrev= --candidates= --exact-match --long --match= --exclude= --always --first-parent --debug --match_ --exclude_",
    ),
  ],
  ["name-rev", plain("--tags --refs= --exclude= --all --name-only --no-undefined --always --annotate-stdin")],
  [
    "ls-files",
    plain(
      "--cached --deleted --others --ignored --stage --unmerged --killed --modified --resolve-undo --directory --no-empty-directory --exclude= --exclude-from= --exclude-per-directory= --exclude-standard --error-unmatch --with-tree= --full-name --recurse-submodules --abbrev= --eol --deduplicate --sparse --format= -x_ -X_",
      /^-[zcdoismkutvf]+$/,
    ),
  ],
  [
    "ls-tree",
    plain("--name-only --name-status --object-only --long --full-name --full-tree --abbrev= --format=", /^-[drtlz]+$/),
  ],
  [
    "cat-file",
    plain(
      "--batch-check= --batch= --batch-all-objects --follow-symlinks --unordered --allow-unknown-type --buffer --mailmap",
      /^-[tsep]$/,
    ),
  ],
  ["merge-base", plain("--all --octopus --independent --is-ancestor --fork-point -a")],
  [
    "for-each-ref",
    formatsAreHarmless(
      plain(
        "--count= --sort= --format= --color= --points-at= --merged= --no-merged= --contains= --no-contains= --ignore-case --omit-empty --exclude= --stdin --shell --python --perl --tcl --sort_ --format_",
      ),
    ),
  ],
  [
    "show-ref",
    plain("--head --heads --branches --tags --dereference --hash= --abbrev= --verify --quiet --exists", /^-[dsq]+$/),
  ],
  [
    "show-branch",
    plain(
      "--all --remotes --current --topo-order --date-order --sparse --more= --list --merge-base --independent --no-name --sha1-name --topics --color= --no-color -a -r",
    ),
  ],
  ["cherry", plain("-v --abbrev=")],
  ["count-objects", plain("--verbose --human-readable", /^-[vH]+$/)],
  ["check-ignore", plain("--quiet --verbose --stdin --non-matching --no-index", /^-[qvzn]+$/)],
  ["check-attr", plain("--all --cached --stdin --source= -a -z")],
  ["check-ref-format", plain("--branch --allow-onelevel --no-allow-onelevel --refspec-pattern --normalize")],
  [
    "grep",
    plain(
      "--cached --untracked --no-index --exclude-standard --no-exclude-standard --recurse-submodules --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --perl-regexp --fixed-strings --line-number --column --files-with-matches --name-only --files-without-match --null --only-matching --count --color= --no-color --break --heading --show-function --context= --after-context= --before-context= --function-context --max-depth= --max-count= --threads= --and --or --not --all-match --quiet --recursive --no-recursive -e_ -f_ -A_ -B_ -C_ -m_",
      /^-(?:[aIiwvhHEGPFnlLzocpWqr]+|[ABCm]\d+|\d+|e.+)$/,
    ),
  ],
  ["branch", judgeBranch],
  ["tag", judgeTag],
  ["remote", firstOperand({ "-v": none, "--verbose": none, "get-url": plain("--push --all") }, none)],
  ["config", judgeConfig],
  ["stash", firstOperand({ list: judgeLog, show: judgeLog })],
  ["worktree", firstOperand({ list: plain("--porcelain --verbose -v -z") })],
  ["notes", firstOperand({ list: plain(""), show: plain("") }, none)],
  ["submodule", firstOperand({ status: plain("--recursive --cached --quiet") })],
  ["bisect", firstOperand({ log: none })],
  ["version", plain("--build-options")],
]);
