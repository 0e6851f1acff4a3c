/** The benchmark of the renderer, in small: that it measures, not what. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../dist/renderer/main.js", import.meta.url));

it("says of each aim of the renderer whether it is met", () => {
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "--quick"], { encoding: "utf8", timeout: 50_000 });

  expect(stderr).toBe("");
  const verdicts = stdout.split("\n").filter((line) => /^(?:met|MISSED) .*: \d+\.\d\d ms, at most \d+$/.test(line));
  expect(verdicts).toHaveLength(3);
});
