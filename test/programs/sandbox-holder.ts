/**
 * A host that holds a session in a sandbox open until it is killed, for what its sudden end leaves behind.
 *
 *   sandbox-holder <backend> <workspace> [rule of the network]...
 *
 * Prints `open` when a command has run there, or `unavailable` and the reason where this user has no such sandbox.
 */
import type { SandboxBackend } from "@pi-bash/contract";
import { createExecutor } from "@pi-bash/executor";

const [, , backend = "", cwd = "", ...allow] = process.argv;
const settings = {
  sandboxMode: "workspace-write",
  "sandbox.backend": backend as SandboxBackend,
  "sandbox.network": allow.length === 0 ? false : { allow },
} as const;
const executor = createExecutor(settings, { cwd, usesSnapshot: false });
try {
  await executor.executeBash("true");
  process.stdout.write("open\n");
  setInterval(() => undefined, 60_000);
} catch (error) {
  if ((error as { code?: string }).code !== "PI_SANDBOX_UNAVAILABLE") throw error;
  process.stdout.write(`unavailable: ${(error as Error).message}\n`);
}
