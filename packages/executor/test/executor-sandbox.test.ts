/** Sandboxes and limits of the settings: every session has them, and results say what bounded a command. */

import { Settings } from "@pi-bash/contract";
import { capabilities } from "@pi-bash/natives";
import { expect, it, onTestFinished } from "vitest";
import { createExecutor } from "../src/index.ts";
import { sandboxOf } from "../src/sandbox-settings.ts";

it("what can be written is the executor's directory and what settings name", () => {
  const settings = Settings.parse({ sandboxMode: "workspace-write", "sandbox.writablePaths": ["/var/cache"] });

  expect(sandboxOf(settings, "/work")).toMatchObject({
    mode: "workspace-write",
    network: false,
    writablePaths: ["/work", "/var/cache"],
    allowDegraded: false,
  });
  expect(sandboxOf({ ...settings, sandboxMode: "read-only" }, "/work")?.writablePaths).toEqual([]);
  expect(sandboxOf({ ...settings, sandboxMode: "full" }, "/work")).toBeUndefined();
});

it("a sandbox that cannot be had refuses the command instead of running it without one", async () => {
  const missing = process.platform === "darwin" ? "landlock" : "seatbelt";
  const executor = createExecutor({ sandboxMode: "read-only", "sandbox.backend": missing }, { usesSnapshot: false });
  onTestFinished(() => executor.dispose());

  await expect(executor.executeBash("true")).rejects.toMatchObject({ code: "PI_SANDBOX_UNAVAILABLE" });
  expect(capabilities().sandbox).not.toContain(missing);
});

it("a result names the limit that ended its command", async () => {
  const executor = createExecutor({ limits: { fileSizeBytes: 4096 } }, { usesSnapshot: false, cwd: "/tmp" });
  onTestFinished(() => executor.dispose());

  const result = await executor.executeBash("f=$(mktemp); head -c 100000 /dev/zero > $f; s=$?; rm $f; (exit $s)");

  expect(result).toMatchObject({ exitCode: 153, limitsMet: ["file-size"] });
  expect(await executor.executeBash("true")).not.toHaveProperty("limitsMet");
});
