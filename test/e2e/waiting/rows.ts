/** How a row of the table of programs is run, for the tests and for the soak. */
import { spawnSync } from "node:child_process";
import { describe, it } from "vitest";
import { scratchFolder } from "../../support/scratch.ts";
import { type Watched, watchProgram } from "../../support/watched-program.ts";
import type { TableRow } from "./programs.ts";
import { NOT_WAITING } from "./working-programs.ts";

/** Elsewhere the kernel does not say who is blocked in which call. */
export const onLinux = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);

/** The first program that a row lacks. */
export function lacking({ command, needs }: TableRow): string | undefined {
  const words = needs ?? [command.split(" ")[0] ?? ""];
  return words.find((word) => spawnSync("sh", ["-c", `command -v ${word}`]).status !== 0);
}

export function titled(row: TableRow): string {
  const missing = lacking(row);
  return missing === undefined ? row.name : `${row.name} (skipped where \`${missing}\` is not installed)`;
}

/** Follows it in a folder of the test until it waits, for this long at most, in milliseconds. */
export async function watched(row: TableRow, limitMs: number, cwd = scratchFolder()): Promise<Watched> {
  return await watchProgram({
    command: row.command,
    cwd,
    limitMs,
    ...(row.env === undefined ? {} : { env: row.env }),
    ...(row.answers === undefined ? {} : { answers: row.answers }),
  });
}

/** Tests that each program of the table that works does not count as waiting for this long, in milliseconds. */
export function followWorkingPrograms(followedMs: number): void {
  describe.skipIf(!onLinux)(
    "a program on a terminal that does not wait (Linux on x64 and arm64)",
    { concurrent: true },
    () => {
      for (const row of NOT_WAITING) {
        it.skipIf(lacking(row) !== undefined)(
          `does not count as waiting: ${titled(row)}`,
          async ({ expect, onTestFinished }) => {
            const { state, output } = await watched(row, followedMs, scratchFolder(onTestFinished));

            const settled = row.expected === "no" ? "running" : row.expected;
            expect(row.startsSlowly === true ? ["running", settled] : [settled], output).toContain(state.state);
          },
        );
      }
    },
  );
}
