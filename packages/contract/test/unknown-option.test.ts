/** Options that no one reads are refused, with what was meant. */
import { describe, expect, it } from "vitest";
import {
  NotAnObjectError,
  refuseMisspeltOptions,
  refuseUnknownOptions,
  UnknownOptionError,
} from "../src/unknown-option.ts";

const KNOWN = { timeoutMs: true, cwd: true, env: true } as const;

function refusal(refuse: () => void): UnknownOptionError {
  try {
    refuse();
  } catch (error) {
    if (error instanceof UnknownOptionError) return error;
    throw error;
  }
  throw new Error("it was taken");
}

describe("an option that there is not", () => {
  it("is named, with the nearest that there is", () => {
    const error = refusal(() => refuseUnknownOptions("run", { cwd: "/", timeout: 5 }, KNOWN));

    expect(error.message).toBe("`run` has no option `timeout`; the nearest is `timeoutMs`");
    expect(error).toMatchObject({ code: "PI_UNKNOWN_OPTION", option: "timeout", nearest: ["timeoutMs"] });
    expect(refusal(() => refuseUnknownOptions("run", { nope: 1 }, KNOWN)).message).toBe("`run` has no option `nope`");
  });

  it("is none where it has no value, or where nothing was given", () => {
    refuseUnknownOptions("run", { nope: undefined, other: null, cwd: "/" }, KNOWN);
    refuseUnknownOptions("run", undefined, KNOWN);
  });

  it("is found without reading those that there are", () => {
    const given = {
      get cwd(): string {
        throw new Error("was read");
      },
    };
    refuseUnknownOptions("run", given, KNOWN);
  });

  it.each([
    [null, "null"],
    [["cwd"], "an array"],
    [5, "number"],
    ["cwd", "string"],
  ])("cannot be in %j, which is refused", (given, kind) => {
    expect(() => refuseUnknownOptions("run", given, KNOWN)).toThrow(new NotAnObjectError("run", given));
    expect(() => refuseMisspeltOptions("run", given as object, KNOWN)).toThrow(`\`run\` takes an object, not ${kind}`);
  });

  it("in someone else's object is only what looks misspelt", () => {
    const take = (given: object) => refuseMisspeltOptions("createBashTool", given, KNOWN);
    class Session {
      timeout = 5;
    }

    expect(refusal(() => take({ timoutMs: 5 })).nearest).toEqual(["timeoutMs"]);
    take({ nope: 1, database: 2 });
    take({ timeout: 5, timeoutMs: 5_000 });
    take(new Session());
  });
});
