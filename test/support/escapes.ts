/** Runs the attempts of `test/programs/sandbox-escapes.ts` in a workspace of their own, with something outside to reach. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Escapes } from "../programs/sandbox-escapes.ts";
import { type HostOptions, startHost } from "./host.ts";

const supervisor = fileURLToPath(new URL("../../packages/natives/bin/pi-supervisor", import.meta.url));

/** What came of the attempts. */
export interface Ran {
  found: Escapes;
  workspace: string;
  /** Why this machine does not let this user have the sandbox. */
  unavailable: string | undefined;
}

/** Makes them as a user: in a sandbox of this backend, in read-only commands (`read-only`), or without (`none`). */
export async function escapes(backend: string, options: HostOptions, isDegraded = false): Promise<Ran> {
  // Not in /tmp, which is private in a sandbox: what is outside must be seen there, or nothing is proven.
  const folder = mkdtempSync("/var/tmp/pi-bash-sandbox-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const [workspace, outside] = [join(folder, "workspace"), join(folder, "outside")];
  for (const path of [workspace, outside]) {
    mkdirSync(path);
    // The attempts are to fail for the sandbox, not for the owner of a folder.
    chmodSync(path, 0o777);
  }
  const copy = join(folder, "pi-supervisor");
  copyFileSync(supervisor, copy);
  const env = { ...process.env, HOME: folder } as Record<string, string>;
  const host = startHost("sandbox-escapes", {
    ...options,
    env,
    args: [backend, workspace, outside, copy, isDegraded ? "degraded" : ""],
  });
  const end = await host.ended();
  if (end.code !== 0) throw new Error(`the host ended with ${end.code ?? end.signal}: ${host.stderr()}`);
  const found = JSON.parse(host.stdout().split("\n")[1] ?? "") as Escapes & { unavailable?: string };
  return { found, workspace, unavailable: found.unavailable };
}
