/** Masks of results and of processes, and the one mask of an executor: made once, said to be missing once. */
import { describe, expect, it } from "vitest";
import { neverStarted } from "../src/command-result.ts";
import type { NativesPort, OutputMask } from "../src/natives-port.ts";
import { maskProcesses, maskResult, Secrets } from "../src/secrets.ts";
import { FakeNatives } from "./support/fake-natives.ts";

/** Hides each of the words, and counts them. */
function maskOf(...words: string[]): OutputMask {
  return {
    text: (text) => {
      const names = words.filter((word) => text.includes(word));
      return { text: words.reduce((left, word) => left.replaceAll(word, "***"), text), count: names.length, names };
    },
    stream: () => ({ skip: () => undefined, push: (bytes) => bytes, finish: () => new Uint8Array() }),
  };
}

describe("a result", () => {
  const result = { ...neverStarted(), output: "a B b A" };
  it("without a mask or without secrets is as it was", () => {
    expect(maskResult(undefined, result)).toBe(result);
    expect(maskResult(maskOf("C"), result)).toBe(result);
  });

  it("with secrets has them masked and counted, with those that were masked before", () => {
    expect(maskResult(maskOf("B", "A"), result)).toMatchObject({
      output: "a *** b ***",
      masked: { count: 2, names: ["B", "A"] },
    });
    const before = { ...result, masked: { count: 3, names: ["Z", "A"] } };
    expect(maskResult(maskOf("A", "B"), before).masked).toEqual({ count: 5, names: ["A", "B", "Z"] });
  });
});

it("command lines of processes are masked, and are others than before", () => {
  const processes = [{ pid: 1, command: "x A", startedAtMs: 0 }];
  expect(maskProcesses(maskOf("A"), processes)).toEqual([{ pid: 1, command: "x ***", startedAtMs: 0 }]);
  const same = maskProcesses(undefined, processes);
  expect(same).toEqual(processes);
  expect(same).not.toBe(processes);
});

describe("the mask of an executor", () => {
  const settings = {
    "secrets.mask": true,
    "secrets.names": ["LISTED"],
    "secrets.allow": [],
    "bash.environment.withhold": "provider" as const,
    "bash.environment.allow": [],
  };
  function withMask() {
    const made: { values: { name: string; value: string }[] }[] = [];
    const natives: NativesPort = new FakeNatives();
    natives.SecretMask = class {
      text = maskOf("x").text;
      stream = maskOf("x").stream;
      constructor(options: { values: { name: string; value: string }[] }) {
        made.push(options);
      }
    };
    return { natives, made };
  }

  it("is made once, of this machine's and the place's values", async () => {
    const { natives, made } = withMask();
    const secrets = new Secrets({
      settings,
      hostEnv: { OPENAI_API_KEY: "near", LISTED: "listed" },
      farEnv: { OPENAI_API_KEY: "far" },
      natives,
    });
    const mask = await secrets.mask();
    expect(await secrets.mask()).toBe(mask);
    expect(made).toHaveLength(1);
    expect(made[0]?.values).toEqual([
      { name: "OPENAI_API_KEY", value: "near" },
      { name: "LISTED", value: "listed" },
      { name: "OPENAI_API_KEY", value: "far" },
    ]);
    expect(secrets.untoldNotices(mask)).toEqual([]);
  });

  it("that could not be made is tried again", async () => {
    const { natives, made } = withMask();
    const good = natives.SecretMask;
    natives.SecretMask = class {
      text = maskOf().text;
      stream = maskOf().stream;
      constructor() {
        throw new Error("not now");
      }
    };
    const secrets = new Secrets({ settings, hostEnv: {}, natives });
    await expect(secrets.mask()).rejects.toThrow("not now");
    if (good !== undefined) natives.SecretMask = good;
    expect(await secrets.mask()).toBeDefined();
    expect(made).toHaveLength(1);
  });

  it("that is not wanted is none and nothing is said of it; one that is missing is said to be, once", async () => {
    const off = new Secrets({
      settings: { ...settings, "secrets.mask": false },
      hostEnv: {},
      natives: withMask().natives,
    });
    expect([await off.mask(), off.untoldNotices(undefined)]).toEqual([undefined, []]);
    const missing = new Secrets({ settings, hostEnv: {}, natives: new FakeNatives() });
    expect(await missing.mask()).toBeUndefined();
    expect(missing.untoldNotices(undefined).map(({ kind }) => kind)).toEqual(["secrets"]);
    expect(missing.untoldNotices(undefined)).toEqual([]);
  });
});
