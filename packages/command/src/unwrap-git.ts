/**
 * Looks through git where it starts a command that the line names: subcommands that run one, options that take one, and
 * settings of the call (`git -c alias.z='!rm x' z`) that hold one.
 *
 * Sources: git-bisect(1), git-submodule(1), git-rebase(1), git-filter-branch(1), git-difftool(1), git-grep(1),
 * git-for-each-repo(1), git-fetch(1), git-push(1), git-clone(1), git-archive(1), git-config(1).
 */
import { form, type Launcher } from "./launcher-spec.ts";
import { throughLauncher } from "./unwrap-launcher.ts";
import type { State, Step, Unwrapped } from "./unwrap-state.ts";
import { attachedWord, type Word } from "./word.ts";

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

/** The git call as a command, and what it may start. */
export function throughGit(argv: readonly Word[], state: State, step: Step): Unwrapped {
  return throughLauncher(GIT, argv, state, step, settingsOf(argv));
}

/** The commands in `-c KEY=VALUE`, `config KEY VALUE` and `clone --config KEY=VALUE`. */
function settingsOf(argv: readonly Word[]): Word[] {
  const isConfig = argv.some(({ value }) => value === "config");
  return argv.flatMap((word, at): Word[] => {
    const given = word.leading.startsWith("--config=") ? attachedWord(word, "--config=".length) : word;
    const equals = given.leading.indexOf("=");
    const before = argv[at - 1]?.value ?? "";
    if (equals > 0 && (given !== word || before === "-c" || before === "--config")) {
      return commandIn(given.leading.slice(0, equals), attachedWord(given, equals + 1));
    }
    const value = argv[at + 1];
    return isConfig && word.value !== null && value !== undefined ? commandIn(word.value, value) : [];
  });
}

function commandIn(key: string, value: Word): Word[] {
  if (value.leading.startsWith("!")) return [attachedWord(value, 1)];
  return RUNS_VALUE.test(key) ? [value] : [];
}
