/** What an answer says of a shell that was replaced. How the engine replaces it is tested in `crates/pi-shell`. */
import { isMainThread } from "node:worker_threads";
import { driverInfo } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { scene, textOf } from "./support/session.ts";

describe("an answer", () => {
  it("says that the shell was replaced", async () => {
    const result = await scene().bash({ command: "kill -KILL $$" });

    expect(result.details?.sessionReset).toBe(true);
    expect(textOf(result)).toContain("\nThe shell was replaced; ");
    expect(textOf(result)).toMatch(/\nCommand exited with code 137$/);
  });

  const hasDriver = driverInfo().state !== "absent";

  it.skipIf(!hasDriver)(
    `says over the bash driver that jobs went with a shell, and nothing after an exit${hasDriver ? "" : " (no driver)"}`,
    async () => {
      const { bash } = scene();
      await bash({ command: "sleep 30 & exec 5</dev/null" });
      const exited = await bash({ command: "exit 3" });
      const replaced = await bash({ command: "exec true" });

      expect(exited.details).not.toHaveProperty("lostWithShell");
      expect(textOf(exited)).not.toContain("replaced");
      expect(replaced.details).toMatchObject({ lostWithShell: ["jobs"] });
      expect(textOf(replaced)).toContain("its job table (`jobs`, `wait`, `%1`) is gone.\n");
    },
  );

  // In a worker thread, in which `npm run mutants` has the tests, `process.env` is a copy that the addon does not see.
  it.runIf(isMainThread)("says what went with the bash of a command, where each has its own", async () => {
    vi.stubEnv("PI_BASH_SESSION", "per-command");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { bash } = scene();
    const first = await bash({ command: "X=kept; sleep 30 & exec 5</dev/null" });
    const next = await bash({ command: "echo $X; exit 3" });

    expect(first.details).toMatchObject({ lostWithShell: ["jobs", "descriptors"] });
    expect(textOf(first)).toContain(
      "\nThe shell was replaced: what was set in it is kept, its job table (`jobs`, `wait`, `%1`) and the descriptors that were opened in it are gone.\n",
    );
    expect(textOf(next)).toContain("kept\n");
    expect(next.details).not.toHaveProperty("lostWithShell");
  });
});
