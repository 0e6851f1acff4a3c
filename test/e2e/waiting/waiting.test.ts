/**
 * Real programs on a terminal: which of them wait for a person, and which do not. Each row of the table is a test; one whose
 * program is not installed is skipped and says so.
 */
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../support/scratch.ts";
import { watchProgram } from "../../support/watched-program.ts";
import { type TableRow, WAITING } from "./programs.ts";
import { NOT_WAITING } from "./working-programs.ts";

/** Longest that a program takes to ask, and how long one is followed that must not, in milliseconds. */
const ASKS_WITHIN_MS = 30_000;
const FOLLOWED_MS = 6_500;

const onLinux = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);

/** The first program that a row lacks. */
function lacking({ command, needs }: TableRow): string | undefined {
  const words = needs ?? [command.split(" ")[0] ?? ""];
  return words.find((word) => spawnSync("sh", ["-c", `command -v ${word}`]).status !== 0);
}

function titled(row: TableRow): string {
  const missing = lacking(row);
  return missing === undefined ? row.name : `${row.name} (skipped where \`${missing}\` is not installed)`;
}

async function watched(row: TableRow, limitMs: number) {
  return await watchProgram({
    command: row.command,
    cwd: scratchFolder(),
    limitMs,
    ...(row.env === undefined ? {} : { env: row.env }),
    ...(row.answers === undefined ? {} : { answers: row.answers }),
  });
}

// Elsewhere the kernel does not say who is blocked in which call.
describe.skipIf(!onLinux)("a program on a terminal that waits for a person (Linux on x64 and arm64)", () => {
  for (const row of WAITING) {
    it.skipIf(lacking(row) !== undefined)(`is found: ${titled(row)}`, async () => {
      const { state, output } = await watched(row, ASKS_WITHIN_MS);

      expect(state, output).toMatchObject({ state: "waiting", kind: row.expected, isCertain: true });
    });
  }
});

describe.skipIf(!onLinux)(
  "a program on a terminal that does not wait (Linux on x64 and arm64)",
  { concurrent: true },
  () => {
    for (const row of NOT_WAITING) {
      it.skipIf(lacking(row) !== undefined)(`does not count as waiting: ${titled(row)}`, async ({ expect }) => {
        const { state, output } = await watched(row, FOLLOWED_MS);

        expect(state.state, output).toBe(row.expected === "no" ? "running" : row.expected);
      });
    }
  },
);
