/** Options that no caller means: each is refused with a typed error before anything is spawned, or works. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { executeShell, Shell, ShellError, type ShellOptions, type ShellRunOptions } from "../src/index.ts";

/** An object whose option `name` throws when it is read. */
function throwing(name: string, rest: object = {}): object {
  return Object.defineProperty({ ...rest }, name, {
    enumerable: true,
    get: () => {
      throw new TypeError("getter");
    },
  });
}

/** An object whose option `name` is `first` once, and `later` from then on. */
function changing(name: string, [first, later]: [unknown, unknown], rest: object): object {
  let reads = 0;
  return Object.defineProperty({ ...rest }, name, {
    enumerable: true,
    get: () => {
      reads += 1;
      return reads === 1 ? first : later;
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

const BARE: unknown = Object.create(null);
const NO_LISTENERS = { aborted: false, addEventListener: () => undefined };
const DEAF = {
  aborted: false,
  addEventListener: () => {
    throw new TypeError("deaf");
  },
  removeEventListener: () => undefined,
};

const REFUSED: [title: string, options: unknown, code: string, named: string][] = [
  ["nothing", null, "PI_INVALID_OPTION", "`options`"],
  ["a list", [], "PI_INVALID_OPTION", "`options`"],
  ["a proxy that throws", PROXY, "PI_INVALID_OPTION", "`"],
  ["a symbol for a command", { command: Symbol("x") }, "PI_INVALID_OPTION", "`command`"],
  ["a String object", { command: new String("echo") }, "PI_INVALID_OPTION", "`command`"],
  ...["command", "cwd", "env", "timeoutMs", "signal", "sink"].map((name): [string, unknown, string, string] => [
    `a getter of ${name} that throws`,
    throwing(name, { command: ":" }),
    "PI_INVALID_OPTION",
    `\`${name}\``,
  ]),
  [
    "a getter in the sink that throws",
    { command: ":", sink: throwing("onUpdate") },
    "PI_INVALID_OPTION",
    "`sink.onUpdate`",
  ],
  ["a variable that throws", { command: ":", env: throwing("A") }, "PI_INVALID_OPTION", "`env`"],
  ["an environment that throws", { command: ":", env: PROXY }, "PI_INVALID_OPTION", "`env`"],
  ["a Map of variables", { command: ":", env: new Map([["A", "1"]]) }, "PI_INVALID_OPTION", "`env`"],
  ["a name with `=`", { command: ":", env: { "A=B": "x" } }, "PI_INVALID_ENV", "`A=B`"],
  ["a name of half a character", { command: ":", env: { "\ud800": "x" } }, "PI_INVALID_ENV", "variable name"],
  ["a function's name", { command: ":", env: { "BASH_FUNC_x%%": "() { :; }" } }, "PI_INVALID_ENV", "`BASH_FUNC_x%%`"],
  ["a value that is null", { command: ":", env: { A: null } }, "PI_INVALID_ENV", "`A`"],
  ["a folder of half a character", { command: ":", cwd: "/\ud800" }, "PI_MISSING_CWD", "/\ufffd"],
  ["a timeout of 1e308", { command: ":", timeoutMs: 1e308 }, "PI_INVALID_OPTION", "`timeoutMs`"],
  ["a bigint for a timeout", { command: ":", timeoutMs: 5n }, "PI_INVALID_OPTION", "`timeoutMs`"],
  ["a timeout without a text", { command: ":", timeoutMs: BARE }, "PI_INVALID_OPTION", "`timeoutMs`"],
  ["a concurrency without a text", { command: ":", concurrency: BARE }, "PI_INVALID_OPTION", "`concurrency`"],
  ["a signal that takes nothing back", { command: ":", signal: NO_LISTENERS }, "PI_INVALID_OPTION", "`signal`"],
  ["a signal that takes no listener", { command: ":", signal: DEAF }, "PI_INVALID_OPTION", "`signal`"],
  [
    "a signal that is only shaped so",
    { command: ":", signal: Object.create(AbortSignal.prototype) },
    "PI_INVALID_OPTION",
    "`signal`",
  ],
  ["an invocation that throws", { command: ":", invocation: PROXY }, "PI_INVALID_OPTION", "`invocation`"],
];

const SESSIONS: [title: string, options: unknown, code: string, named: string][] = [
  ["a getter that throws", throwing("cwd"), "PI_INVALID_OPTION", "`cwd`"],
  ["limits that throw", { limits: PROXY }, "PI_INVALID_OPTION", "`limits`"],
  ["a sandbox that throws", { sandbox: PROXY }, "PI_INVALID_OPTION", "`sandbox`"],
  ["a sandbox's mode without a text", { sandbox: { mode: BARE } }, "PI_INVALID_OPTION", "`sandbox.mode`"],
  ["a minimizer that throws", { minimizer: PROXY }, "PI_INVALID_OPTION", "`minimizer`"],
  ["a base environment that throws", { baseEnv: PROXY }, "PI_INVALID_OPTION", "`baseEnv`"],
  ["a base environment with a name with `=`", { baseEnv: { "A=B": "x" } }, "PI_INVALID_ENV", "`A=B`"],
  ["a base environment with a NUL", { baseEnv: { A: "x\0y" } }, "PI_INVALID_ENV", "`A`"],
  ["a base environment with a huge value", { baseEnv: { A: "x".repeat(200_000) } }, "PI_INVALID_ENV", "`A`"],
];

const WORKING: [title: string, options: unknown, output: string][] = [
  ["frozen options", Object.freeze({ command: "echo a", sink: Object.freeze({}) }), "a\n"],
  ["a command that changes", changing("command", ["echo a", 5], { sink: {} }), "a\n"],
  ["a signal that changes", changing("signal", [undefined, 5], { command: "echo a", sink: {} }), "a\n"],
  ["half a character", { command: "printf '<\ud800>'", sink: {} }, "<\ufffd>"],
  [
    "names of an object's own",
    { command: "env | grep -c own", env: { constructor: "own", toString: "own" }, sink: {} },
    "2\n",
  ],
  [
    "`__proto__`",
    { command: "env | grep __proto__", env: JSON.parse('{"__proto__":"own"}'), sink: {} },
    "__proto__=own\n",
  ],
  [
    "an environment without a prototype",
    { command: "echo $A", env: Object.assign(Object.create(null), { A: "1" }), sink: {} },
    "1\n",
  ],
  [
    "100,000 variables",
    {
      command: "echo $V99999",
      env: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`V${at}`, "x"])),
      sink: {},
    },
    "x\n",
  ],
  ["10 MB of a comment", { command: `#${"x".repeat(10_000_000)}\necho a`, sink: {} }, "a\n"],
];

async function errorOf(run: () => Promise<unknown>): Promise<ShellError> {
  const error: unknown = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ShellError) return error;
  throw new Error(`no ShellError but ${String(error)}`);
}

it.each(REFUSED)("a run with %s is refused", async (_, options, code, named) => {
  await using shell = new Shell();

  for (const run of [() => shell.run(options as ShellRunOptions), () => executeShell(options as ShellRunOptions)]) {
    const error = await errorOf(run);

    expect(error.code).toBe(code);
    expect(error.message).toContain(named);
  }
  expect((await shell.run({ command: "true" })).exitCode).toBe(0);
});

it.each(SESSIONS)("a session with %s is refused", async (_, options, code, named) => {
  const error = await errorOf(async () => {
    await using shell = new Shell(options as ShellOptions);
    await shell.run({ command: "true" });
  });

  expect(error.code).toBe(code);
  expect(error.message).toContain(named);
});

it.each(WORKING)("a run with %s works", async (_, options, output) => {
  await using shell = new Shell();

  const result = await shell.run(options as ShellRunOptions);

  expect([result.exitCode, result.output?.text]).toEqual([0, output]);
});

it("folders with odd names work or are refused by name", async () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, "a\nb"));
  mkdirSync(join(folder, "gone"));
  symlinkSync("loop", join(folder, "loop"));
  await using shell = new Shell({ cwd: folder });

  expect((await shell.run({ command: "pwd", cwd: "a\nb", sink: {} })).output?.text).toBe(`${folder}/a\nb\n`);
  expect((await errorOf(() => shell.run({ command: "pwd", cwd: join(folder, "loop") }))).code).toBe("PI_CWD_DENIED");
  await shell.run({ command: "rmdir ../gone", cwd: join(folder, "gone") });
  expect((await shell.run({ command: "echo on", sink: {} })).output?.text).toBe("on\n");
});
