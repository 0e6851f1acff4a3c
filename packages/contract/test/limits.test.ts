/** The numbers that the specification fixes, written out once more: changing one is changing what agents rely on. */
import { describe, expect, it } from "vitest";
import * as limits from "../src/limits.ts";

describe("limits", () => {
  it("of a call's time are those of the specification", () => {
    expect(limits).toMatchObject({
      DEFAULT_TIMEOUT_SECONDS: 300,
      MIN_TIMEOUT_SECONDS: 1,
      MAX_TIMEOUT_SECONDS: 3_600,
      HARD_TIMEOUT_GRACE_MS: 5_000,
      DEFAULT_AUTO_BACKGROUND_THRESHOLD_MS: 60_000,
      AUTO_BACKGROUND_MARGIN_MS: 1_000,
    });
  });

  it("of what is shown are those of the specification", () => {
    expect(limits).toMatchObject({
      DEFAULT_MAX_BYTES: 51_200,
      UPDATE_INTERVAL_MS: 50,
      CLIENT_TERMINAL_SIGNAL_EXIT_CODE: 137,
      RESULT_PREVIEW_LINES: 10,
      BANG_PREVIEW_LINES: 20,
      BANG_LINE_CHARS: 4_000,
    });
  });

  it("of a terminal are those of the published runtime", () => {
    expect(limits).toMatchObject({
      DEFAULT_PTY_COLUMNS: 120,
      DEFAULT_PTY_ROWS: 40,
      PTY_COLUMNS_RANGE: { min: 20, max: 400 },
      PTY_ROWS_RANGE: { min: 5, max: 200 },
    });
  });
});
