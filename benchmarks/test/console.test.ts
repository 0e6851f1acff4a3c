/** The benchmark of the console, in small: that it measures, not what. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PROGRAM = fileURLToPath(new URL("../dist/console/main.js", import.meta.url));

// Processor times come from /proc, which only Linux has.
it.skipIf(process.platform !== "linux")("says of each aim whether it is met", () => {
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, "--quick"], { encoding: "utf8", timeout: 50_000 });

  expect(stderr).toBe("");
  const verdicts = stdout
    .split("\n")
    .filter((line) => /^(?:met|MISSED) .*: \d+\.\d\d .*, at (?:most|least) \d+$/.test(line));
  expect(verdicts).toHaveLength(5);
});
