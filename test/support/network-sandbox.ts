/** Executors whose sandbox has rules for the network, and folders that such a sandbox shows. */
import { mkdtempSync, rmSync } from "node:fs";
import type { SandboxNetwork, Settings } from "@pi-bash/contract";
import { createExecutor, type Executor } from "@pi-bash/executor";
import type { ShellError } from "@pi-bash/natives";
import { onTestFinished, type TestContext } from "vitest";
import { canHaveNamespaces } from "./sandbox-ways.ts";

/** A folder that is not in `/tmp`, which is private in a sandbox. Removed with the test. */
export function visibleFolder(): string {
  const folder = mkdtempSync("/var/tmp/pi-bash-network-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An executor in such a sandbox, tried. Skips the test where this user can have no network namespace. */
export async function openNetworkSandbox(
  test: TestContext,
  backend: NonNullable<Settings["sandbox.backend"]>,
  network: SandboxNetwork,
  cwd = visibleFolder(),
): Promise<Executor> {
  const settings = { sandboxMode: "workspace-write", "sandbox.backend": backend, "sandbox.network": network } as const;
  const executor = createExecutor(settings, { cwd, usesSnapshot: false });
  onTestFinished(() => executor.dispose());
  await executor.executeBash("true").catch((error: ShellError) => {
    if (error.code !== "PI_SANDBOX_UNAVAILABLE" || canHaveNamespaces({})) throw error;
    test.skip(`this user has no network namespaces: ${error.message}`);
  });
  return executor;
}
