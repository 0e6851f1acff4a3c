/**
 * Which shell runs the commands, and what stands before each of them.
 *
 * The engine speaks bash, so `$SHELL` counts only where it is a bash; otherwise folders are searched. A path that a
 * person configured is checked here, because the message can name the setting to change.
 */
import { accessSync, constants, statSync } from "node:fs";
import { basename, delimiter, isAbsolute, join } from "node:path";
import type { Settings } from "@pi-bash/contract";

/** Folders looked in after those of `PATH`, for hosts that were started without one (EV-09). */
const FALLBACK_FOLDERS = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/** The shell that runs commands. */
export interface ShellConfig {
  /** Absolute path of the shell. */
  shell: string;
  /** Text put before every command, a space between; absent: none. */
  prefix?: string;
}

/** No usable shell: nothing was started. The message names the path and what is wrong with it. */
export class ShellConfigError extends Error {
  readonly code: "PI_UNUSABLE_SHELL" | "PI_SHELL_NOT_FOUND";

  constructor(code: ShellConfigError["code"], message: string) {
    super(message);
    this.name = "ShellConfigError";
    this.code = code;
  }
}

export interface ShellConfigOptions {
  settings: Pick<Settings, "shellPath" | "shellPrefix">;
  hostEnv: Readonly<Record<string, string | undefined>>;
  /** What a person edits to change `shellPath`, named in messages. Default: `settings`. */
  configName?: string;
  platform?: NodeJS.Platform;
}

/** Finds the shell and the prefix. Throws `ShellConfigError`. */
export function shellConfig(options: ShellConfigOptions): ShellConfig {
  const { settings, hostEnv } = options;
  const prefix = settings.shellPrefix ?? hostEnv["PI_SHELL_PREFIX"] ?? hostEnv["CLAUDE_CODE_SHELL_PREFIX"];
  const shell = settings.shellPath === undefined ? discover(options) : customShell(settings.shellPath, options);
  return prefix === undefined || prefix.trim() === "" ? { shell } : { shell, prefix };
}

/**
 * The text that is run: `<prefix> <command>`, and nothing else is changed (RC-06). A prefix therefore binds to the
 * first simple command only, as it would if a person typed it.
 */
export function prefixedCommand(command: string, prefix: string | undefined): string {
  return prefix === undefined ? command : `${prefix} ${command}`;
}

/** Whether a shell is a bash by its name: only those get a snapshot of the user's rc. */
export function isBash(shell: string): boolean {
  return basename(shell).toLowerCase().includes("bash");
}

function customShell(path: string, options: ShellConfigOptions): string {
  const advice = `Please update shellPath in ${options.configName ?? "settings"}`;
  const problem = problemWith(path);
  if (problem === undefined) return path;
  const message =
    problem === "missing" ? `Custom shell path not found: ${path}` : `Custom shell path ${problem}: ${path}`;
  throw new ShellConfigError("PI_UNUSABLE_SHELL", `${message}\n${advice}`);
}

function discover(options: ShellConfigOptions): string {
  const { hostEnv } = options;
  const platform = options.platform ?? process.platform;
  const own = hostEnv["SHELL"];
  if (own !== undefined && isBashFile(own) && problemWith(own) === undefined) return own;
  const folders = [
    ...searchPath(hostEnv["PATH"]),
    ...(platform === "win32" ? gitBashFolders(hostEnv) : FALLBACK_FOLDERS),
  ];
  const file = platform === "win32" ? "bash.exe" : "bash";
  const found = folders.map((folder) => join(folder, file)).find((path) => problemWith(path) === undefined);
  if (found !== undefined) return found;
  throw new ShellConfigError(
    "PI_SHELL_NOT_FOUND",
    `no bash found; install bash or set \`shellPath\` to its path (looked in ${folders.join(", ")})`,
  );
}

function isBashFile(path: string): boolean {
  return isAbsolute(path) && /^bash(?:\.exe)?$/.test(basename(path));
}

function searchPath(path: string | undefined): string[] {
  return (path ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
}

/** Where Git for Windows puts its bash. */
function gitBashFolders(hostEnv: ShellConfigOptions["hostEnv"]): string[] {
  const roots = [
    hostEnv["GIT_INSTALL_ROOT"],
    hostEnv["ProgramFiles"] && join(hostEnv["ProgramFiles"], "Git"),
    hostEnv["ProgramFiles(x86)"] && join(hostEnv["ProgramFiles(x86)"], "Git"),
    hostEnv["LOCALAPPDATA"] && join(hostEnv["LOCALAPPDATA"], "Programs", "Git"),
    hostEnv["USERPROFILE"] && join(hostEnv["USERPROFILE"], "scoop", "apps", "git", "current"),
  ];
  return roots.filter((root) => root !== undefined && root !== "").map((root) => join(String(root), "bin"));
}

/** What is wrong with a shell's path; absent: nothing. */
function problemWith(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return "is not a file";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "cannot be read";
  }
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return "is not executable";
  }
}
