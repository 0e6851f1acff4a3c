/** What background children write after their command ended: kept apart, and to be had. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { Shell } from "../src/index.ts";

it("BG-04 late output of a background child is to be had from the session", async () => {
  const folder = scratchFolder();
  const go = join(folder, "go");
  const shell = new Shell();
  const command = `(until [ -e ${go} ]; do sleep 0.02; done; echo TAIL; : >${go}.done) & echo now`;

  const result = await shell.run({ command, sink: {} });
  expect(result.output?.text).toBe("now\n");
  expect(shell.lateOutput()).toBe("");
  writeFileSync(go, "");
  await vi.waitUntil(() => existsSync(`${go}.done`), { timeout: 20_000, interval: 10 });
  await vi.waitUntil(() => shell.lateOutput() === "TAIL\n", { timeout: 20_000, interval: 10 });

  const next = await shell.run({ command: "echo next", sink: {} });
  expect(next.output?.text).toBe("next\n");
  await shell.close();
});
