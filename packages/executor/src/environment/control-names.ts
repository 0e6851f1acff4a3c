/**
 * Variables that change what a command is, instead of informing it: they never come from the host.
 *
 * An agent started from a git hook, under a preloaded library or from a shell with exported functions must run the
 * same command as one started by hand. The lists name families by their source, so that a reader can check them.
 */

/** Files that bash runs, options it takes, text it expands, and names that describe the host's shell (`bash(1)`). */
const SHELL_NAMES = new Set([
  "BASH_ENV",
  "BASHOPTS",
  "BASH_XTRACEFD",
  "BASH_LOADABLES_PATH",
  "CDPATH",
  "ENV",
  "GLOBIGNORE",
  "HISTFILE",
  "IFS",
  "OLDPWD",
  "POSIXLY_CORRECT",
  "PROMPT_COMMAND",
  "PS0",
  "PS1",
  "PS2",
  "PS4",
  "PWD",
  "SHELLOPTS",
  "SHLVL",
  "TMOUT",
  "_",
]);

/**
 * Libraries that the loader puts into every program (`ld.so(8)`, `dyld(1)`). Search paths (`LD_LIBRARY_PATH`) stay:
 * they say where a library is, which builds rely on, not that it is loaded.
 */
const LOADER_NAMES = new Set(["LD_PRELOAD", "LD_AUDIT", "LD_DEBUG", "LD_PROFILE", "DYLD_INSERT_LIBRARIES"]);

/**
 * What `git rev-parse --local-env-vars` prints: a hook's variables bind git to the hook's repository (EV-03).
 * `GIT_CONFIG_COUNT` is left out: git never exports it by itself, people set it (`safe.directory` in containers).
 */
const GIT_LOCAL_NAMES = new Set([
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_CONFIG",
  "GIT_CONFIG_PARAMETERS",
  "GIT_DIR",
  "GIT_GRAFT_FILE",
  "GIT_IMPLICIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_INTERNAL_SUPER_PREFIX",
  "GIT_NO_REPLACE_OBJECTS",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
  "GIT_REPLACE_REF_BASE",
  "GIT_SHALLOW_FILE",
  "GIT_WORK_TREE",
]);

/** Node's channel to the host's own parent: a child that opens it would read the host's messages. */
const NODE_CHANNEL_NAMES = new Set(["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE", "NODE_UNIQUE_ID"]);

/** Options that make every `node` wait for, or report to, the debugger of the host. */
const NODE_DEBUG_OPTION = /(?:^|\s)--(?:inspect|debug)/;

/** Names that a caller may not set for one command: they would end the shell or run what is not the command. */
const REFUSED_NAMES = new Set([
  "BASHOPTS",
  "BASHPID",
  "BASH_ENV",
  "BASH_LOADABLES_PATH",
  "BASH_VERSINFO",
  "BASH_XTRACEFD",
  "ENV",
  "EUID",
  "FUNCNAME",
  "GROUPS",
  "LINENO",
  "POSIXLY_CORRECT",
  "PPID",
  "PROMPT_COMMAND",
  "PS4",
  "SHELLOPTS",
  "UID",
  "_",
]);

/** Whether a variable of the host stays out of every session, whatever is configured about secrets. */
export function isControlVariable(name: string, value: string): boolean {
  if (SHELL_NAMES.has(name) || LOADER_NAMES.has(name)) return true;
  if (GIT_LOCAL_NAMES.has(name) || NODE_CHANNEL_NAMES.has(name)) return true;
  // Exported functions (RC-04) would replace commands, `ls` for example, in every bash.
  if (name.startsWith("BASH_FUNC_") || name.startsWith("__pi_")) return true;
  return name === "NODE_OPTIONS" && NODE_DEBUG_OPTION.test(value);
}

/** Whether a caller may not set that name for a command. */
export function isRefusedName(name: string): boolean {
  return REFUSED_NAMES.has(name) || LOADER_NAMES.has(name) || name.startsWith("BASH_FUNC_") || name.startsWith("__pi_");
}
