/** Where no shell is looked for: in folders of the path that are not absolute, whatever they lead to. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { shellConfig } from "../src/shell-config.ts";

it("a bash in a relative folder of the path is not taken, and the same one in the absolute folder is", () => {
  const folder = join(scratchFolder(), "bin");
  mkdirSync(folder);
  writeFileSync(join(folder, "bash"), "", { mode: 0o755 });
  const near = relative(process.cwd(), folder);

  expect(shellConfig({ settings: {}, hostEnv: { PATH: folder } }).shell).toBe(join(folder, "bash"));
  expect(shellConfig({ settings: {}, hostEnv: { PATH: near } }).shell).not.toBe(join(near, "bash"));
  expect(shellConfig({ settings: {}, hostEnv: { PATH: `${near}:${folder}` } }).shell).toBe(join(folder, "bash"));
});
