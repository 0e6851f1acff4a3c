/**
 * Variables that keep readers from wanting to write: locks, caches, logs and histories that a read-only run refuses.
 *
 * Each changes what a program writes beside its output, and none changes what it prints where it succeeds. A call's own
 * `env` wins over them. `TMPDIR` is not here: the core gives each confined copy a folder of its own.
 */
export const READ_ONLY_ENV: Readonly<Record<string, string>> = Object.freeze({
  // `git status` refreshes the index.
  GIT_OPTIONAL_LOCKS: "0",
  // Imports write `__pycache__`.
  PYTHONDONTWRITEBYTECODE: "1",
  // Every `npm` command writes a log, and looks for a newer version of itself.
  npm_config_logs_max: "0",
  npm_config_update_notifier: "false",
  // Without the network `cargo` tries for a while before it says so.
  CARGO_NET_OFFLINE: "true",
  // Before version 10 the runtime makes a file in memory of 2 TiB, larger than one may be here, and dies of it
  // (dotnet/runtime#117819).
  DOTNET_EnableWriteXorExecute: "0",
  // Histories.
  LESSHISTFILE: "-",
  NODE_REPL_HISTORY: "",
  SQLITE_HISTORY: "/dev/null",
});
