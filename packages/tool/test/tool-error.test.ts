/** What a tool throws: of bounded length, with its facts, and what becomes of the errors of layers below. */
import { describe, expect, it } from "vitest";
import { clampTimeout } from "../src/timeout.ts";
import { refusal, ToolAbortError, ToolError } from "../src/tool-error.ts";

const coded = (code: unknown): Error => Object.assign(new Error("no shell"), { code });

describe("an error of a tool", () => {
  it("has its message, its facts and its cause, where there are some", () => {
    const cause = new Error("why");
    const full = new ToolError("it failed", { details: { exitCode: 1 }, cause });
    expect(full).toMatchObject({ name: "ToolError", message: "it failed", details: { exitCode: 1 }, cause });
    const bare = new ToolError("it failed");
    expect(bare.details).toBeUndefined();
    expect(bare).not.toHaveProperty("cause");
  });

  it("of an abort always says that it was stopped", () => {
    const cause = new Error("why");
    expect(new ToolAbortError()).toMatchObject({
      name: "ToolAbortError",
      message: "Command aborted",
      details: { stopped: "cancelled" },
    });
    expect(new ToolAbortError()).not.toHaveProperty("cause");
    expect(new ToolAbortError("x", { details: { stopped: "deadline", exitCode: 1 }, cause })).toMatchObject({
      details: { stopped: "deadline", exitCode: 1 },
      cause,
    });
  });

  it("is cut to its beginning where its message is too long, and says how long it was", () => {
    const longest = 50 * 1024 + 2 * 1024;
    for (const Failure of [ToolError, ToolAbortError]) {
      expect(new Failure("x".repeat(longest)).message).toHaveLength(longest);
      expect(new Failure("x".repeat(longest + 1)).message).toBe(`${"x".repeat(2_048)}… (${longest + 1} characters)`);
      expect(new Failure("é".repeat(3_000), { maxBytes: 5_000 }).message).toBe(
        `${"é".repeat(1_024)}… (3000 characters)`,
      );
      expect(new Failure("é".repeat(3_000), { maxBytes: 6_000 }).message).toHaveLength(3_000);
    }
  });
});

describe("an error of a layer below", () => {
  it("is for the model where it has a code", () => {
    const error = coded("PI_NO_SHELL");
    expect(refusal(error)).toMatchObject({ name: "ToolError", message: "no shell", cause: error });
  });

  it.each([new ToolError("x"), new ToolAbortError("x"), new Error("x"), coded(7), "x", undefined, { code: "PI_X" }])(
    "passes through where it is the tool's own, or a defect: %s",
    (error) => {
      expect(refusal(error)).toBe(error);
    },
  );
});

describe("a deadline", () => {
  it.each([
    [undefined, 300, undefined],
    [0, 1, 0],
    [-5, 1, -5],
    [1, 1, undefined],
    [0.5, 1, 0.5],
    [2.5, 2.5, undefined],
    [3_600, 3_600, undefined],
    [3_601, 3_600, 3_601],
  ])("of %s seconds is %d", (given, seconds, requested) => {
    const timeout = clampTimeout(given);
    expect(timeout).toMatchObject({ seconds, milliseconds: seconds * 1_000 });
    expect(timeout.requestedSeconds).toBe(requested);
    expect(timeout.notice).toBe(
      requested === undefined
        ? undefined
        : `Timeout clamped to ${seconds}s (requested ${requested}s; allowed range 1-3600s).`,
    );
  });

  it("is bounded by the settings, and so is the one that is not given", () => {
    const settings = { defaultTimeout: 20_000, maxTimeout: 10_000 };
    expect(clampTimeout(undefined, settings)).toStrictEqual({ seconds: 10, milliseconds: 10_000 });
    expect(clampTimeout(11, settings)).toMatchObject({ seconds: 10, requestedSeconds: 11 });
    expect(clampTimeout(undefined, { ...settings, maxTimeout: 30_000 })).toStrictEqual({
      seconds: 20,
      milliseconds: 20_000,
    });
  });
});
