/**
 * An executor on a fake native runtime, disposed of after the test.
 */
import type { SettingsInput } from "@pi-bash/contract";
import { onTestFinished } from "vitest";
import { createExecutor, type Executor, type ExecutorPorts } from "../../src/executor.ts";
import { FakeNatives } from "./fake-natives.ts";

/** The executor and its runtime. */
export function make(
  settings: SettingsInput = {},
  ports: ExecutorPorts = {},
): { natives: FakeNatives; executor: Executor } {
  const natives = new FakeNatives();
  const executor = createExecutor(settings, {
    natives,
    hostEnv: { PATH: "/usr/bin:/bin" },
    usesSnapshot: false,
    ...ports,
  });
  onTestFinished(() => executor.dispose());
  return { natives, executor };
}
