/**
 * Secrets in what the executor gives out beside the text of a run: jobs in two looks, processes, an agent without an addon.
 *
 * Keys are put together from parts, so that scanners of secrets do not find any in this file.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createExecutor } from "../src/executor.ts";
import { makeMask } from "../src/secrets.ts";
import { ended, FakeNatives } from "./support/fake-natives.ts";
import { followScene, waitFor } from "./support/follow.ts";
import { real } from "./support/real.ts";

const API_KEY = "zz9-Plural-Z-Alpha-42";
const HOST = { hostEnv: { OPENAI_API_KEY: API_KEY } };
const BODY = "aB3dE5fG7hJ9kL2m".repeat(4);
const KEY = ["BEGIN", ...Array.from({ length: 6 }, () => BODY), "END"]
  .map((line) => (line === BODY ? line : `-----${line} RSA ${"PRIVATE"} KEY-----`))
  .concat("");

describe("a job's output", () => {
  for (const maskArtifacts of [false, true]) {
    it(`shows nothing of a key that two looks divide${maskArtifacts ? ", where its file is masked" : ""}`, async () => {
      const settings = { "secrets.maskArtifacts": maskArtifacts };
      const { start, next, touch, folder, executor, manager } = await followScene({}, { ...HOST, settings });
      writeFileSync(join(folder, "first"), `${KEY.slice(0, 4).join("\n")}\n`);
      writeFileSync(join(folder, "second"), `${KEY.slice(4).join("\n")}${API_KEY} end\n`);
      const id = start(`cat first; ${waitFor("go")}; cat second`);

      const first = await next(id);
      touch("go");
      let rest = "";
      while (!rest.includes("end")) rest += (await next(id)).output.text;

      expect(first.output.text).toMatch(/^\[masked: private-key\]\n/);
      expect(first.output.text + rest).toBe(`[masked: private-key]${"\n".repeat(8)}[masked: OPENAI_API_KEY] end\n`);
      const artifact = await executor.artifacts.get(manager.read(id, "one")?.job.artifactId ?? "");
      expect(readFileSync(artifact?.path ?? "", "utf8").includes(BODY)).toBe(!maskArtifacts);
    });
  }

  it("is filtered by what is shown, not by what is masked", async () => {
    const { start, next } = await followScene({}, HOST);
    const id = start(`echo 'a ${API_KEY}'; echo b`);

    expect((await next(id, { filter: "Plural", wakesOnOutput: false })).output.matches).toBe(0);
    expect((await next(id, { filter: "masked", wakesOnOutput: false })).output.text).toBe(
      "a [masked: OPENAI_API_KEY]\n",
    );
  });
});

describe("a result", () => {
  it("masks the command lines of processes that live on", async () => {
    const { executor } = real({ ...HOST, usesSnapshot: false });

    const { survivors } = await executor.executeBash(`bash -c 'sleep 30; :' '${API_KEY}' >/dev/null 2>&1 &`);

    expect(survivors?.map(({ command }) => command).join()).toContain("[masked: OPENAI_API_KEY]");
    expect(JSON.stringify(survivors)).not.toContain("Plural");
  });

  it("masks what the minimizer makes of a file that has the secret", async () => {
    const { executor, folder } = real({ ...HOST, usesSnapshot: false });
    const lines = Array.from({ length: 4_000 }, () => "the same line of a log, again and again");
    writeFileSync(join(folder, "log"), [`key ${API_KEY}`, ...lines, ""].join("\n"));

    const result = await executor.executeBash("cat log");

    expect(result.output).not.toContain("Plural");
    expect(result.totalBytes).toBe(readFileSync(join(folder, "log")).length);
  });

  it("says once that nothing is masked where the runtime cannot", async () => {
    const natives = new FakeNatives();
    natives.behaviour = async () => ended({ text: "out\n" });
    const executor = createExecutor({}, { natives, hostEnv: { PATH: "/usr/bin:/bin" }, usesSnapshot: false });
    onTestFinished(() => executor.dispose());

    expect((await executor.executeBash("true")).notices).toEqual([
      { kind: "secrets", text: expect.stringContaining("not masked") },
    ]);
    expect((await executor.executeBash("true")).notices).toBeUndefined();
  });
});

/** A mask that changes nothing, and the values that it was made for. */
function recordingMask() {
  const seen: { values: { name: string; value: string }[] } = { values: [] };
  class SecretMask {
    constructor(options: { values: { name: string; value: string }[] }) {
      seen.values = options.values;
    }
    text = (text: string) => ({ text, count: 0, names: [] });
    stream = () => ({ skip: () => undefined, push: (bytes: Uint8Array) => bytes, finish: () => new Uint8Array() });
  }
  return { SecretMask, seen };
}

describe("the values of a mask", () => {
  it("are those that were withheld and those that are listed, within the bounds of the runtime", () => {
    const { SecretMask, seen } = recordingMask();
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`MANY_${at}`, `value-${at}`]));
    const hostEnv = { KEY: "the key", LISTED_A: "a", OTHER: "b", HUGE: "x".repeat(17 * 1024), ...many };
    const settings = { "secrets.mask": true, "secrets.names": ["LISTED_*", "MANY_*", "HUGE"], "secrets.allow": [] };

    makeMask({ SecretMask }, { settings, hostEnv, withheld: [{ name: "KEY", reason: "name" }] });

    expect(seen.values.slice(0, 2)).toEqual([
      { name: "KEY", value: "the key" },
      { name: "LISTED_A", value: "a" },
    ]);
    expect(seen.values).toHaveLength(256);
    expect(makeMask({ SecretMask }, { settings: { ...settings, "secrets.mask": false }, hostEnv, withheld: [] })).toBe(
      undefined,
    );
  });

  it("have a bound on all their bytes, within which small ones still find room after large ones", () => {
    const { SecretMask, seen } = recordingMask();
    const large = (at: number): [string, string] => [`LISTED_${at}`, String(at).repeat(15 * 1024)];
    const hostEnv = {
      ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => large(at))),
      LISTED_EMPTY: "",
      LISTED_SAME: "2".repeat(15 * 1024),
      LISTED_Z: "small",
    };
    const settings = { "secrets.mask": true, "secrets.names": ["LISTED_*"], "secrets.allow": [] };

    makeMask({ SecretMask }, { settings, hostEnv, farEnv: { LISTED_0: "far" }, withheld: [] });

    const names = Array.from({ length: 8 }, (_, at) => `LISTED_${at}`);
    expect(seen.values.map(({ name }) => name)).toEqual([...names, "LISTED_Z", "LISTED_0"]);
    expect(seen.values.at(-1)).toEqual({ name: "LISTED_0", value: "far" });
  });
});
