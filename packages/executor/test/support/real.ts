/**
 * An executor on the real native runtime, with a home of its own, disposed of after the test; and a count of the
 * processes that its commands started.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingsInput } from "@pi-bash/contract";
import { onTestFinished } from "vitest";
import { scratchFolder } from "../../../../test/support/scratch.ts";
import { createExecutor, type Executor, type ExecutorPorts } from "../../src/executor.ts";

/** Far more than an rc takes to load, so that a busy machine changes nothing. */
const PATIENT_MS = 40_000;

export interface Real {
  executor: Executor;
  /** A folder for the test; `home` is one in it. */
  folder: string;
  home: string;
  /** Command lines of living processes that this executor's sessions started. Linux only. */
  processes: () => string[];
}

export interface RealOptions extends Omit<ExecutorPorts, "hostEnv"> {
  /** Text of `~/.bashrc`; none where it is absent. */
  rc?: string;
  hostEnv?: Record<string, string>;
  /** Folder of the test. Default: a new one. */
  folder?: string;
  settings?: SettingsInput;
}

/** The executor. */
export function real(options: RealOptions = {}): Real {
  const { rc, hostEnv, settings, folder = scratchFolder(), ...ports } = options;
  const home = join(folder, "home");
  mkdirSync(home);
  if (rc !== undefined) writeFileSync(join(home, ".bashrc"), rc);
  const tag = `PI_TEST_TAG=${randomUUID()}`;
  const [name = "", value = ""] = tag.split("=");
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home, LANG: "C.UTF-8", [name]: value, ...hostEnv };
  const executor = createExecutor(settings ?? {}, {
    cwd: folder,
    snapshotBudgetMs: PATIENT_MS,
    ...ports,
    hostEnv: env,
  });
  onTestFinished(() => executor.dispose());
  return { executor, folder, home, processes: () => taggedProcesses(tag) };
}

/** Command lines of processes with a variable in their environment. Zombies have none. */
function taggedProcesses(tag: string): string[] {
  const found: string[] = [];
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(tag)) continue;
      found.push(readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ").trim());
    } catch {
      // It ended while we looked.
    }
  }
  return found;
}
