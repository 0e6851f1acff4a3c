/** Parameters that no model means: each call is refused with an error for the model, or works. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createBashTool } from "../src/bash-tool.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { scene, textOf, thrown } from "./support/session.ts";

/** Parameters whose `name` throws when it is read. */
function throwing(name: string): object {
  return Object.defineProperty({ command: ":" }, name, {
    enumerable: true,
    get: () => {
      throw new TypeError("getter");
    },
  });
}

const PROXY = new Proxy(
  {},
  {
    get: () => {
      throw new TypeError("proxy");
    },
    ownKeys: () => {
      throw new TypeError("proxy");
    },
  },
);

const DEAF = {
  aborted: false,
  addEventListener: () => {
    throw new TypeError("deaf");
  },
  removeEventListener: () => undefined,
};

const REFUSED: [title: string, params: unknown][] = [
  ["nothing", undefined],
  ["null", null],
  ["a list", []],
  ["a text", "ls"],
  ["a symbol for a command", { command: Symbol("x") }],
  ["a bigint for a timeout", { command: ":", timeout: 5n }],
  ["a timeout of NaN", { command: ":", timeout: Number.NaN }],
  ["a text for a timeout", { command: ":", timeout: "5" }],
  ["a NUL in the command", { command: "echo a\0b" }],
  ["a NUL in the directory", { command: ":", cwd: "a\0b" }],
  ["a NUL in a value", { command: ":", env: { A: "\0" } }],
  ["a NUL in a name", { command: ":", env: { "A\0": "x" } }],
  ["a name with `=`", { command: ":", env: { "A=B": "x" } }],
  ["half a character for a name", { command: ":", env: { "\ud800": "x" } }],
  ["a function's name", { command: ":", env: { "BASH_FUNC_x%%": "() { :; }" } }],
  ["`__proto__` for a name", { command: ":", env: JSON.parse('{"__proto__":"own"}') }],
  ["a Map of variables", { command: ":", env: new Map([["A", "1"]]) }],
  ["a key of no one's", { command: ":", constructor: 1 }],
  ["a getter of the command that throws", throwing("command")],
  ["a getter of the environment that throws", throwing("env")],
  ["a getter of the timeout that throws", throwing("timeout")],
  ["a proxy that throws", PROXY],
  ["an environment that throws", { command: ":", env: PROXY }],
];

const WORKING: [title: string, params: unknown, output: RegExp][] = [
  ["a timeout of -0", { command: "echo a", timeout: -0 }, /^a\n/],
  ["a timeout of 1e308", { command: "echo a", timeout: 1e308 }, /^a\n/],
  ["frozen parameters", Object.freeze({ command: "echo a", env: Object.freeze({}) }), /^a\n/],
  ["half a character", { command: "echo '\ud800'" }, /^\ufffd\n/],
  ["names of an object's own", { command: "echo $constructor", env: { constructor: "own" } }, /^own\n/],
];

describe("a call", () => {
  it.each(REFUSED)("with %s is refused", async (_, params) => {
    const { session } = scene();

    const error = await thrown(createBashTool(session).execute("1", params));

    expect(error).toBeInstanceOf(ToolError);
  });

  it.each(WORKING)("with %s works", async (_, params, output) => {
    const { session } = scene();

    expect(textOf(await createBashTool(session).execute("1", params))).toMatch(output);
  });

  it("with a signal that is none is refused", async () => {
    const { session } = scene();
    for (const signal of ["abort", 7, {}, { aborted: false, addEventListener: 5 }, DEAF]) {
      const call = createBashTool(session).execute("1", { command: "echo ran" }, signal as unknown as AbortSignal);

      expect(await thrown(call)).toBeInstanceOf(ToolError);
    }
  });

  it("with an aborted signal does nothing", async () => {
    const { session } = scene();

    const call = createBashTool(session).execute("1", { command: "echo ran" }, AbortSignal.abort());

    expect(await thrown(call)).toBeInstanceOf(ToolAbortError);
  });

  it("in a folder with an odd name works or is refused", async () => {
    const { bash, folder } = scene();
    mkdirSync(join(folder, "a\nb"));
    mkdirSync(join(folder, "gone"));
    symlinkSync("loop", join(folder, "loop"));

    expect(textOf(await bash({ command: "pwd", cwd: "a\nb" }))).toContain(`${folder}/a\nb\n`);
    expect(await thrown(bash({ command: "pwd", cwd: "loop" }))).toBeInstanceOf(ToolError);
    await bash({ command: "rmdir ../gone", cwd: "gone" });
    expect(textOf(await bash({ command: "echo on" }))).toMatch(/^on\n/);
  });
});
