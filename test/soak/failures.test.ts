/** The failure cases, twenty times in a row, each round in processes of its own as in `npm test`. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROUNDS = 20;
const root = fileURLToPath(new URL("../../", import.meta.url));

it.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))("round %i of the failure cases passes", async () => {
  const words = ["node_modules/vitest/vitest.mjs", "run", "test/e2e/failures"];
  const child = spawn(process.execPath, words, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }

  const code = await new Promise((resolve) => child.on("exit", resolve));

  expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
});
