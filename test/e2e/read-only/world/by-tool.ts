/** Has a host of some user make the attempts through the bash tool, and says what came of them. */
import { chmodSync, chownSync, mkdtempSync, rmSync } from "node:fs";
import { expect, onTestFinished } from "vitest";
import type { ToolOutcomes } from "../../../programs/read-only-tool.ts";
import { type HostOptions, startHost } from "../../../support/host.ts";
import { OTHER_USER } from "../../../support/sandbox-ways.ts";
import type { Trial } from "./trial.ts";

/** `every`: of those inside an interpreter each n-th is made. `longestMs`: bound of all of it. */
export async function attemptsByTool(
  options: HostOptions,
  { every, longestMs }: { readonly every: number; readonly longestMs: number },
): Promise<ToolOutcomes> {
  const folder = worldFolder(options);
  const args = [folder, String(every)];
  const host = startHost("read-only-tool", { ...options, copiesAddon: true, args, longestMs });
  const end = await host.ended();
  expect(end.code, host.stderr()).toBe(0);
  return JSON.parse(host.stdout()) as ToolOutcomes;
}

/** An empty folder for a world of that user, gone when the test is over. */
export function worldFolder(options: HostOptions): string {
  const folder = mkdtempSync("/var/tmp/pi-bash-world-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (options.wrapper !== undefined) chownSync(folder, OTHER_USER, OTHER_USER);
  // Others look into it on their way to the checkout's addon.
  chmodSync(folder, 0o755);
  return folder;
}

/** The attempts that had an effect, each with what was different and what it printed. */
export function effectsIn(trial: Trial): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(trial)
      .filter(([, { effects }]) => effects.length > 0)
      .map(([name, { effects, printed }]) => [name, [...effects, printed]]),
  );
}
