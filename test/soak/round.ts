/** A round of tests in processes of its own, as `npm test` runs them. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Runs vitest with `words`, files and options; throws with what it printed when a test fails, or when there is none. */
export function passRound(...words: string[]): Promise<void> {
  return passRoundWith({}, ...words);
}

/** The same with variables of its own. */
export async function passRoundWith(env: Readonly<Record<string, string>>, ...words: string[]): Promise<void> {
  const child = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...words], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }

  const code = await new Promise((resolve) => child.on("exit", resolve));

  expect([code, code === 0 ? "" : output]).toEqual([0, ""]);
}
