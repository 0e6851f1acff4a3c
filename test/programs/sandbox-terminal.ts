/**
 * A host that runs a command on a terminal in a sandbox, and prints what it printed, for ways of a sandbox that a test
 * cannot put itself into.
 *
 *   sandbox-terminal <backend> <workspace> <command>
 *
 * Prints one line of JSON: the output, or why this user cannot have the sandbox.
 */
import type { SandboxBackend, SandboxMode } from "@pi-bash/contract";
import { PtySession } from "@pi-bash/natives";

const [, , backend = "", workspace = "", command = ""] = process.argv;

/** What the command printed in each mode. */
export interface OnTerminal {
  readonly printed?: Readonly<Record<string, string>>;
  readonly unavailable?: string;
}

const printed: Record<string, string> = {};
let result: OnTerminal = { printed };
for (const mode of ["read-only", "workspace-write"] satisfies SandboxMode[]) {
  const writablePaths = mode === "read-only" ? [] : [workspace];
  const sandbox = { mode, backend: backend as SandboxBackend, writablePaths, allowDegraded: true };
  printed[mode] = "";
  try {
    await new PtySession().start({ command, cwd: workspace, sandbox, timeoutMs: 15_000 }, (_error, chunk) => {
      printed[mode] += chunk;
    });
  } catch (error) {
    if ((error as { code?: string }).code !== "PI_SANDBOX_UNAVAILABLE") throw error;
    result = { unavailable: String(error) };
  }
}
process.stdout.write(`${JSON.stringify(result)}\n`);
