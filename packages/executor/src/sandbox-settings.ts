/**
 * The sandbox that settings ask for.
 *
 * What can be written comes from the settings and the executor's own first directory, never from a call: a directory that
 * a model names is where a command runs, not what it may change.
 */
import type { SandboxOptions, Settings } from "@pi-bash/contract";

/** The sandbox of every session of an executor; absent: none. */
export function sandboxOf(settings: Settings, workspace: string): SandboxOptions | undefined {
  const mode = settings.sandboxMode;
  if (mode === "full") return undefined;
  const backend = settings["sandbox.backend"];
  return {
    mode,
    network: settings["sandbox.network"],
    ...(backend === undefined ? {} : { backend }),
    writablePaths: mode === "read-only" ? [] : [workspace, ...settings["sandbox.writablePaths"]],
    protectedPaths: settings["sandbox.protectedPaths"],
    hiddenPaths: settings["sandbox.hiddenPaths"],
    allowDegraded: settings["sandbox.allowDegraded"],
  };
}
