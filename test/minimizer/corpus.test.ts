/** The corpus of real captures through the addon: no fact is lost, and it is worth it. */
import { fileURLToPath } from "node:url";
import { minimizeOutput } from "@pi-bash/natives";
import { expect, it } from "vitest";
import { score } from "./score.mjs";

const CASES = fileURLToPath(new URL("cases", import.meta.url));

/** Part of the tokens that has to be saved with every fact kept; a run has about 0.6. */
const LEAST_CREDITED = 0.55;

it("no capture loses a fact, none for a program is touched, and more than half of the tokens are saved", () => {
  const found = score(
    CASES,
    (command: string, output: string, exitCode: number) => minimizeOutput(command, output, exitCode)?.text ?? output,
  );

  expect(found.rows.filter(({ lost }) => lost.length > 0).map(({ name, lost }) => `${name}: ${lost[0]}`)).toEqual([]);
  expect(found.rows.filter(({ raw, left }) => left > raw).map(({ name }) => name)).toEqual([]);
  expect(found.touched).toEqual([]);
  expect(found.rows.length).toBeGreaterThan(150);
  expect(found.credited).toBeGreaterThan(LEAST_CREDITED);
}, 120_000);
