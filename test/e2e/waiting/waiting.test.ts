/**
 * Real programs on a terminal: which of them wait for a person, and which do not. Each row of the table is a test; one whose
 * program is not installed is skipped and says so.
 */
import { describe, expect, it } from "vitest";
import { WAITING } from "./programs.ts";
import { followWorkingPrograms, lacking, onLinux, titled, watched } from "./rows.ts";

/** Longest that a program takes to ask, in milliseconds. */
const ASKS_WITHIN_MS = 30_000;

describe.skipIf(!onLinux)("a program on a terminal that waits for a person (Linux on x64 and arm64)", () => {
  for (const row of WAITING) {
    it.skipIf(lacking(row) !== undefined)(`is found: ${titled(row)}`, async () => {
      const { state, output } = await watched(row, ASKS_WITHIN_MS);

      expect(state, output).toMatchObject({ state: "waiting", kind: row.expected, isCertain: true });
    });
  }
});

followWorkingPrograms(6_500);
