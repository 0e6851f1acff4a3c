/**
 * Variables that keep programs from waiting for a person.
 *
 * A command of an agent has no terminal and no standard input, and no one presses `q`. Pagers print and end, editors
 * accept what is there, passwords are not asked for, package managers do not prompt. A caller's own `env` wins over
 * each of these; the agent's inherited environment does not.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Where `false` is on most systems; a program that "asks" it for a password gets a refusal. */
const USUAL_FALSE = "/usr/bin/false";

/** The variables and their values, as the specification and its published successor list them. */
export const NON_INTERACTIVE_ENV: Readonly<Record<string, string>> = Object.freeze({
  // Pagers print to the pipe and end.
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  BAT_PAGER: "cat",
  DELTA_PAGER: "cat",
  GH_PAGER: "cat",
  GLAB_PAGER: "cat",
  PSQL_PAGER: "cat",
  MYSQL_PAGER: "cat",
  HOMEBREW_PAGER: "cat",
  AWS_PAGER: "",
  LESS: "FRX",
  // No cursor movement, no colour, no buffered lines.
  TERM: "dumb",
  NO_COLOR: "1",
  PYTHONUNBUFFERED: "1",
  // Editors accept the text as it is.
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  VISUAL: "true",
  EDITOR: "true",
  // Questions are answered with a refusal instead of a wait. SSH asks the helper only when it must (`force`),
  // because without a display it would try the terminal first.
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: USUAL_FALSE,
  SSH_ASKPASS: USUAL_FALSE,
  SSH_ASKPASS_REQUIRE: "force",
  SUDO_ASKPASS: USUAL_FALSE,
  // Tools that ask whether they run unattended.
  CI: "1",
  AGENT: "1",
  DEBIAN_FRONTEND: "noninteractive",
  npm_config_yes: "true",
  npm_config_update_notifier: "false",
  npm_config_fund: "false",
  npm_config_audit: "false",
  npm_config_progress: "false",
  PNPM_DISABLE_SELF_UPDATE_CHECK: "true",
  PNPM_UPDATE_NOTIFIER: "false",
  YARN_ENABLE_TELEMETRY: "0",
  YARN_ENABLE_PROGRESS_BARS: "0",
  CARGO_TERM_PROGRESS_WHEN: "never",
  PIP_NO_INPUT: "1",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  TF_INPUT: "0",
  TF_IN_AUTOMATION: "1",
  GH_PROMPT_DISABLED: "1",
  COMPOSER_NO_INTERACTION: "1",
  CLOUDSDK_CORE_DISABLE_PROMPTS: "1",
  NODE_NO_READLINE: "1",
  GPG_TTY: "not a tty",
});

/** The variables whose value is the path of `false`. */
const ASKPASS_NAMES = ["GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS"] as const;

export interface NonInteractiveOptions {
  /** The environment of the host: its `PATH` is searched for `false`, and some names in it opt out. */
  hostEnv: Readonly<Record<string, string | undefined>>;
  platform?: NodeJS.Platform;
  /** Whether a program is there; a port for tests. */
  isExecutable?: (path: string) => boolean;
}

/**
 * `NON_INTERACTIVE_ENV` for this machine.
 *
 * `false` is looked up where `/usr/bin/false` is missing (NixOS). `PI_BASH_NO_CI` in the host's environment leaves
 * `CI` out, for tools that behave worse with it. Windows gets UTF-8 where the host chose nothing.
 */
export function nonInteractiveEnv(options: NonInteractiveOptions): Record<string, string> {
  const { hostEnv } = options;
  const platform = options.platform ?? process.platform;
  const isExecutable = options.isExecutable ?? canExecute;
  const env: Record<string, string> = { ...NON_INTERACTIVE_ENV };
  const refusal = findFalse(hostEnv["PATH"] ?? "", isExecutable);
  for (const name of ASKPASS_NAMES) env[name] = refusal;
  if (hostEnv["PI_BASH_NO_CI"]) delete env["CI"];
  if (platform === "win32") Object.assign(env, utf8ForWindows(hostEnv));
  return env;
}

function findFalse(path: string, isExecutable: (path: string) => boolean): string {
  if (isExecutable(USUAL_FALSE)) return USUAL_FALSE;
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, "false")).find(isExecutable) ?? "false";
}

/** Python and the C library write the ANSI code page on Windows unless they are configured otherwise. */
function utf8ForWindows(hostEnv: NonInteractiveOptions["hostEnv"]): Record<string, string> {
  const env: Record<string, string> = {};
  if (hostEnv["PYTHONIOENCODING"] === undefined && hostEnv["PYTHONUTF8"] === undefined) {
    env["PYTHONIOENCODING"] = "utf-8";
    env["PYTHONUTF8"] = "1";
  }
  const hasLocale = Object.keys(hostEnv).some((name) => name === "LANG" || name.startsWith("LC_"));
  if (!hasLocale) {
    env["LANG"] = "C.UTF-8";
    env["LC_ALL"] = "C.UTF-8";
  }
  return env;
}

function canExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
