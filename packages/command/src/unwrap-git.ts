/**
 * Looks through git where it starts a command that the line names: subcommands that run one, options that take one, and
 * settings of the call that hold one (`git -c alias.z='!rm x' z`), or another git command (`git -c alias.p=push p`).
 *
 * Sources: git-bisect(1), git-submodule(1), git-rebase(1), git-filter-branch(1), git-difftool(1), git-grep(1),
 * git-for-each-repo(1), git-fetch(1), git-push(1), git-clone(1), git-archive(1), git-config(1).
 */
import { form, type Launcher } from "./launcher-spec.ts";
import { throughLauncher } from "./unwrap-launcher.ts";
import { wrapperName } from "./unwrap-shell.ts";
import { type EffectiveCommand, opaque, type State, type Step, type Unwrapped } from "./unwrap-state.ts";
import { attachedWord, literalWord, type Word } from "./word.ts";

const BEFORE = "-C -c --git-dir --work-tree --namespace --config-env --super-prefix";
const GIT: Launcher = {
  contained: false,
  forms: [
    form("bisect run", { valued: BEFORE }),
    form("submodule foreach", { valued: BEFORE, flags: "-q --quiet --recursive" }),
    form("for-each-repo", { valued: `${BEFORE} --config`, flags: "--keep-going", dashes: true }),
    form("rebase|pull", { valued: BEFORE, runs: "other", texts: "-x --exec" }),
    form("difftool", { valued: BEFORE, runs: "other", texts: "-x --extcmd" }),
    form("grep", { valued: BEFORE, runs: "other", texts: "-O --open-files-in-pager" }),
    form("filter-branch", {
      valued: BEFORE,
      runs: "other",
      texts:
        "--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter",
    }),
    form("fetch|pull|clone|ls-remote|fetch-pack|push|send-pack|archive", {
      valued: BEFORE,
      runs: "other",
      texts: "-u --upload-pack --receive-pack --exec",
    }),
    form("send-email", { valued: BEFORE, runs: "other", texts: "--sendmail-cmd --to-cmd --cc-cmd --header-cmd" }),
  ],
};

/** Settings whose value is a command for a shell; that of an alias only where it begins with `!`. */
const RUNS_VALUE =
  /^(?:core\.(?:pager|editor|sshcommand|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\.[\w-]+|interactive\.difffilter|diff\.external|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|(?:diff|filter|merge|difftool|mergetool|trailer|browser|man|sendemail|remote|submodule|uploadpack)\.(?:.*\.)?(?:command|cmd|textconv|clean|smudge|process|driver|path|uploadpack|receivepack|update|sendmailcmd|tocmd|cccmd|packobjectshook|smtpserver))$/i;

/** Readings of one call, those of aliases inside aliases multiplied; with more it is not known what runs. */
const MAX_READINGS = 64;
/** Longest alias that is split into words, in UTF-16 units. */
const MAX_ALIAS_CHARS = 1_024;

/** The git call as a command, and what it may start. */
export function throughGit(argv: readonly Word[], state: State, step: Step): Unwrapped {
  const settings = settingsOf(argv);
  const found = throughLauncher(GIT, argv, state, step, settings.flatMap(commandIn));
  const perhaps = throughAliases(settings.filter(isCallAlias), argv, state, step);
  return perhaps.length === 0 ? found : { ...found, perhaps: [...found.perhaps, ...perhaps] };
}

/** The git calls that aliases stand for. */
function throughAliases(
  aliases: readonly Setting[],
  argv: readonly Word[],
  state: State,
  step: Step,
): readonly EffectiveCommand[] {
  if (aliases.length === 0) return [];
  const readings = state.readings * (aliases.length + 1);
  const around: State = { ...state, via: [...state.via, wrapperName(argv)], privileged: true, readings };
  if (readings > MAX_READINGS) return opaque(argv, around, "`git` has too many aliases").effective;
  const parts = aliases.map((alias) => step(aliasedCall(alias, argv), around));
  return parts.flatMap((part) => [...part.effective, ...part.perhaps]);
}

/** A setting that the call makes. */
interface Setting {
  readonly key: string;
  readonly value: Word;
  /** Index of its last word. */
  readonly at: number;
}

/** The settings in `-c KEY=VALUE`, `config KEY VALUE` and `clone --config KEY=VALUE`. */
function settingsOf(argv: readonly Word[]): Setting[] {
  const isConfig = argv.some(({ value }) => value === "config");
  return argv.flatMap((word, at): Setting[] => {
    const given = word.leading.startsWith("--config=") ? attachedWord(word, "--config=".length) : word;
    const equals = given.leading.indexOf("=");
    const before = argv[at - 1]?.value ?? "";
    if (equals > 0 && (given !== word || before === "-c" || before === "--config")) {
      return [{ key: given.leading.slice(0, equals), value: attachedWord(given, equals + 1), at }];
    }
    const value = argv[at + 1];
    return isConfig && word.value !== null && value !== undefined ? [{ key: word.value, value, at: at + 1 }] : [];
  });
}

const ALIAS = /^alias\./i;

/** An alias that stands for a git call; one with `!` is a text for a shell. */
function isCallAlias({ key, value }: Setting): boolean {
  return ALIAS.test(key) && !value.leading.startsWith("!");
}

/** The call that an alias makes, with the words behind its name where it is called. */
function aliasedCall({ key, value, at }: Setting, argv: readonly Word[]): readonly Word[] {
  const name = key.slice("alias.".length).toLowerCase();
  const called = argv.findIndex((word, index) => index > at && word.value?.toLowerCase() === name);
  return [...argv.slice(0, 1), ...splitAlias(value), ...(called === -1 ? [] : argv.slice(called + 1))];
}

/** The words of an alias. Git has quotes of its own there, which only matter to words with blanks in them. */
function splitAlias(word: Word): readonly Word[] {
  const { value, span } = word;
  if (value === null || value.length > MAX_ALIAS_CHARS) return [{ ...word, value: null, leading: "", splits: true }];
  const words = value.replace(/['"\\]/g, "").split(/\s+/);
  return words.filter((text) => text !== "").map((text) => literalWord(text, span));
}

function commandIn({ key, value }: Setting): Word[] {
  if (value.leading.startsWith("!")) return [attachedWord(value, 1)];
  return RUNS_VALUE.test(key) ? [value] : [];
}
