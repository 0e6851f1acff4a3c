/**
 * Makes a read-only git call really read-only: environment for the call, and a look at the repository's configuration.
 *
 * A repository can name programs that `git status` or `git diff` run. The environment below switches off those with a
 * fixed name; diff drivers, text converters and filters have names of their own and cannot be switched off, so a
 * repository that configures one makes every git call ask. An empty `diff.external` is not set on purpose: git then
 * fails ("cannot run") instead of ignoring it.
 */

/** Configuration injected into every auto-approved git call, and into git calls inside scripts. */
const HARDENED_CONFIG: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["diff.autoRefreshIndex", "false"],
  ["credential.helper", ""],
  ["protocol.ext.allow", "never"],
  ["log.showSignature", "false"],
  ["safe.bareRepository", "explicit"],
];

/**
 * Environment variables for auto-approved git commands. With `GIT_OPTIONAL_LOCKS` and `diff.autoRefreshIndex` neither
 * `git status` nor `git diff` rewrites the index, so that they may run beside other commands.
 */
export const GIT_HARDENING: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ASKPASS: "/bin/false",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_CONFIG_COUNT: String(HARDENED_CONFIG.length),
  ...Object.fromEntries(
    HARDENED_CONFIG.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};

/** The command whose output `gitConfigDangers` reads; it runs nothing that the repository names. */
export const GIT_CONFIG_QUERY: readonly string[] = [
  "git",
  "config",
  "--list",
  "--includes",
  "--show-scope",
  "--show-origin",
  "-z",
];

/** A setting of the repository that makes git run a program. */
export interface GitConfigDanger {
  /** Lower-case except for the middle part, as git prints it: `diff.mydriver.command`. */
  readonly key: string;
  readonly value: string;
  /** `file:.git/config` and the like. */
  readonly origin: string;
}

const DANGEROUS_KEYS = new RegExp(
  `^(?:${[
    "core\\.(?:fsmonitor|sshcommand|gitproxy|editor|pager|askpass|hookspath|alternaterefscommand|worktree)",
    "diff\\.external",
    "diff\\..*\\.(?:command|textconv)",
    "filter\\..*\\.(?:clean|smudge|process)",
    "merge\\..*\\.driver",
    "gpg\\.(?:.*\\.)?program",
    "credential\\.(?:.*\\.)?helper",
    "pager\\..*",
    "sequence\\.editor",
    "uploadpack\\.packobjectshook",
    "remote\\..*\\.(?:uploadpack|receivepack|vcs)",
    "include\\.path",
    "includeif\\..*\\.path",
    "interactive\\.difffilter",
    "(?:diff|merge)tool\\..*\\.(?:cmd|path)",
    "browser\\..*\\.(?:cmd|path)",
    "man\\..*\\.(?:cmd|path)",
    "submodule\\..*\\.update",
    "extensions\\.worktreeconfig",
    // A partial clone fetches what is missing when it is read; only newer versions of git have a switch against it.
    "extensions\\.partialclone",
    "remote\\..*\\.(?:promisor|partialclonefilter)",
    // `diff` runs git in the submodules, under their configuration.
    "diff\\.submodule",
  ].join("|")})$`,
  "i",
);

/**
 * Reads the output of `GIT_CONFIG_QUERY` and returns what a repository sets that makes git run programs.
 *
 * Only settings of the repository count (scopes `local` and `worktree`); the user's own and the system's are trusted,
 * and `command` is the hardening itself.
 */
export function gitConfigDangers(output: string): GitConfigDanger[] {
  const fields = output.split("\0");
  const dangers: GitConfigDanger[] = [];
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [scope, origin, entry] = [fields[index] ?? "", fields[index + 1] ?? "", fields[index + 2] ?? ""];
    const end = entry.indexOf("\n");
    const key = end === -1 ? entry : entry.slice(0, end);
    const value = end === -1 ? "" : entry.slice(end + 1);
    const local = scope === "local" || scope === "worktree";
    if (local && runsProgram(key, value)) dangers.push({ key, value, origin });
  }
  return dangers;
}

function runsProgram(key: string, value: string): boolean {
  if (checksSignatures(value) || isShellAlias(key, value)) return true;
  return DANGEROUS_KEYS.test(key) && !isOff(value, key);
}

/** `core.fsmonitor=false` is what the hardening sets as well. */
function isOff(value: string, key: string): boolean {
  return /^core\.fsmonitor$/i.test(key) && /^(?:false|no|off|0|)$/i.test(value);
}

/** A format of the configuration's (`format.pretty`, `pretty.x`) that runs gpg. */
function checksSignatures(value: string): boolean {
  return /%[-+ ]?G|%\(\*?signature/.test(value);
}

function isShellAlias(key: string, value: string): boolean {
  return /^alias\./i.test(key) && value.startsWith("!");
}
