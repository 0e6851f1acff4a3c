/** The examples run as they stand, each in a process of its own, and are as short as they claim. */
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { scratchFolder } from "../support/scratch.ts";

const folder = fileURLToPath(new URL("../../examples/", import.meta.url));
/** An example that takes longer hangs. */
const LIMIT_MS = 50_000;

/** What each prints last. */
const LAST_LINES: Readonly<Record<string, string>> = {
  "acp.mjs": "40951 numbers have a 7",
  "ai-sdk.mjs": "40951 numbers have a 7",
  "anthropic.mjs": "40951 numbers have a 7",
  "ink.mjs": "3 commands",
  "mcp.mjs": "40951 numbers have a 7; the build is done",
  "openai-agents.mjs": "40951 numbers have a 7",
  "pi-tui.mjs": "3 commands, 1 window",
  "pi.mjs": "40951 numbers have a 7",
  "telemetry.mjs": "40951 numbers have a 7",
};

it("there is one for each name that this test knows", () => {
  expect(
    readdirSync(folder)
      .filter((name) => name.endsWith(".mjs"))
      .sort(),
  ).toEqual(Object.keys(LAST_LINES));
});

it.each(Object.entries(LAST_LINES))("%s runs to its end", async (name, lastLine) => {
  const place = scratchFolder();
  const env = { PATH: process.env["PATH"], HOME: place };

  const { stdout } = await promisify(execFile)(process.execPath, [`${folder}${name}`, place], {
    env,
    timeout: LIMIT_MS,
    killSignal: "SIGKILL",
  });

  expect(stdout.trimEnd().split("\n").at(-1)).toBe(lastLine);
});

it.each(Object.keys(LAST_LINES))("%s has less than 60 lines", (name) => {
  expect(readFileSync(`${folder}${name}`, "utf8").split("\n").length).toBeLessThan(60);
});
