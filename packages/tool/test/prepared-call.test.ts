/** What a call becomes before it runs: all of it, where it starts, and what it is refused for before it is judged. */
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { BashToolSession } from "../src/session.ts";
import { ALLOWS } from "./support/allowing.ts";
import { farPlace, preparing, recordedPolicy } from "./support/preparing.ts";
import { jobs, thrown } from "./support/session.ts";

describe("a prepared call", () => {
  it("is what was given, with the defaults of what was not", async () => {
    const { prepare, folder, settings } = preparing();
    const call = await prepare({ command: "touch x" });
    expect(call).toStrictEqual({
      original: "touch x",
      command: "touch x",
      env: {},
      cwd: folder,
      mayOverlap: false,
      reading: undefined,
      judge: expect.any(Function),
      hasOwnFolder: false,
      description: undefined,
      timeout: { seconds: 300, milliseconds: 300_000 },
      isAsync: false,
      wantsPty: false,
      settings,
      applied: [],
      rewriteNotices: [],
    });
    expect(call.settings).toBe(settings);
  });

  it("has every change that was made to it, in the order in which they were made", async () => {
    const made = preparing(
      { "async.enabled": true, "bash.stripTrailingHeadTailMode": "strip" },
      { asyncJobManager: await jobs() },
    );
    const { prepare, folder, session, settings } = made;
    const localRoot = join(folder, "local");
    Object.assign(session, { internalUrls: { localRoot } });
    mkdirSync(join(folder, "sub"));
    const command = "cd sub && cat local://f 2>&1 | tail -2";
    const call = await prepare({ command, env: { A: "b" }, timeout: 9, description: "Look", async: true, pty: true });
    expect(call).toStrictEqual({
      original: command,
      command: `cat '${localRoot}/f'`,
      env: { A: "b" },
      cwd: join(folder, "sub"),
      mayOverlap: false,
      reading: undefined,
      judge: expect.any(Function),
      hasOwnFolder: false,
      description: "Look",
      timeout: { seconds: 9, milliseconds: 9_000 },
      isAsync: true,
      wantsPty: true,
      settings,
      applied: [
        "stripped trailing `| tail -2`",
        "stripped trailing `2>&1`",
        "leading `cd sub` became the working directory",
        "internal URLs became paths",
      ],
      rewriteNotices: [
        "Stripped trailing `| tail -2` — bash output is truncated automatically and the whole of a large one is kept.",
      ],
    });
  });

  it("may have a folder of its own, and a `cd` stays in its text then", async () => {
    const { prepare, folder } = preparing();
    expect(await prepare({ command: "cd a && touch x", cwd: "b/.." })).toMatchObject({
      command: "cd a && touch x",
      cwd: folder,
      hasOwnFolder: true,
      applied: [],
    });
  });

  it("says of a long folder only where it begins", async () => {
    const { prepare } = preparing();
    const folder = `/${"x".repeat(1_100)}`;
    const { applied, cwd } = await prepare({ command: `cd ${folder} && touch x` });
    expect(applied).toEqual([`leading \`cd /${"x".repeat(1_023)}\` became the working directory`]);
    expect(cwd).toBe(folder);
  });

  it("keeps a trailing pipe where the setting leaves it, and says nothing of one that is kept", async () => {
    const off = preparing({ "bash.stripTrailingHeadTail": false });
    expect(await off.prepare({ command: "touch x 2>&1 | tail -2" })).toMatchObject({
      command: "touch x 2>&1 | tail -2",
      applied: [],
      rewriteNotices: [],
    });
    const tee = preparing();
    expect(await tee.prepare({ command: "touch x 2>&1" })).toMatchObject({
      command: "touch x",
      applied: ["stripped trailing `2>&1`"],
      rewriteNotices: [],
    });
  });

  it("has the host's variables, those of its context over them, its own over both, and the decision's over all", async () => {
    const environment = { D: "decision" };
    const { policy } = recordedPolicy((request) => ({
      verdict: { ...ALLOWS, environment: request.env?.["E"] === undefined ? environment : {} },
    }));
    const commandEnv = () => ({ A: "host", B: "host", C: "host", D: "host" });
    const { prepare } = preparing({}, { commandEnv, policy });
    const context = { commandEnv: { B: "context", C: "context", D: "context" } };
    expect((await prepare({ command: "touch x", env: { C: "own", D: "own" } }, context)).env).toStrictEqual({
      A: "host",
      B: "context",
      C: "own",
      D: "decision",
    });
    expect((await prepare({ command: "touch x", env: { E: "e" } })).env).toStrictEqual({ ...commandEnv(), E: "e" });
  });
});

describe("a call that is judged again", () => {
  it("is the same but for what is said besides, and has what that decision gives", async () => {
    const doubts = [{ code: "d", severity: "unknown", message: "it may", span: { start: 0, end: 1 } }] as const;
    const { policy, asked } = recordedPolicy(({ unconfined }) => ({
      verdict: { ...ALLOWS, concurrencySafe: unconfined === false, environment: { U: String(unconfined) } },
    }));
    const { prepare } = preparing({}, { policy });
    const call = await prepare({ command: "touch x", env: { A: "b" } });
    expect(await call.judge({ doubts })).toStrictEqual({
      env: { A: "b", U: "false" },
      mayOverlap: true,
      reading: undefined,
    });
    expect(await call.judge({ unconfined: true })).toStrictEqual({
      env: { A: "b", U: "true" },
      mayOverlap: false,
      reading: undefined,
    });
    expect(asked.map(({ request }) => [request.command, request.unconfined, request.doubts])).toEqual([
      ["touch x", false, []],
      ["touch x", false, doubts],
      ["touch x", true, []],
    ]);
  });
});

describe("the folder of a prepared call", () => {
  const LASTS = { "bash.directoryPersists": true };

  /** A session with the folders `a/b` and `b`, whose `cd` has led to `last`. */
  function lasting(last: string) {
    const made = preparing(LASTS);
    for (const name of ["a/b", "b"]) mkdirSync(join(made.folder, name), { recursive: true });
    made.session.executor.folders.set("agent-1", join(made.folder, last));
    return made;
  }

  it.each([
    [{ command: "touch x" }, "a"],
    [{ command: "cd b && touch x" }, "a/b"],
    [{ command: "touch x", cwd: "b" }, "b"],
    [{ command: "cd b && touch x", cwd: "." }, "."],
  ])("is taken from where the session is, unless the call names one: %j", async (params, expected) => {
    const { prepare, folder } = lasting("a");
    expect((await prepare(params)).cwd).toBe(join(folder, expected));
  });

  it("that lasted and is gone is said where the call would start in it, and only there", async () => {
    const { prepare, folder, session } = lasting("gone");
    expect((await prepare({ command: "touch x", cwd: "b" })).cwd).toBe(join(folder, "b"));
    expect((await prepare({ command: `cd ${folder}/b && touch x` })).cwd).toBe(join(folder, "b"));
    for (const command of ["touch x", "cd b && touch x"]) {
      session.executor.folders.set("agent-1", join(folder, "gone"));
      expect((await thrown(prepare({ command }))).message).toMatch(/^The folder of the last `cd` is gone: /);
    }
  });

  it("reaches the policy with the text of the model, as the place where that would start", async () => {
    const { policy, asked } = recordedPolicy();
    const made = lasting("a");
    Object.assign(made.session, { policy });
    const command = "cd b && touch x";
    await made.prepare({ command });
    await made.prepare({ command, cwd: "b" });
    expect(asked.map(({ request }) => [request.cwd, request.original])).toEqual([
      [join(made.folder, "a/b"), { command, cwd: join(made.folder, "a") }],
      [join(made.folder, "b"), undefined],
    ]);
  });

  it("may be below the home that commands have, or this user's where they have none", async () => {
    const environment = (env: Record<string, string>) => ({ env, withheldNames: [] });
    const at = async (env: Record<string, string>) =>
      (await preparing({}, {}, { environment: () => environment(env) as never }).prepare({ command: ":", cwd: "~/x" }))
        .cwd;
    expect(await at({ HOME: "/home/them" })).toBe("/home/them/x");
    expect(await at({})).toBe(join(homedir(), "x"));
  });

  it("may be below the home of the place where commands run, or the root where that is not known", async () => {
    const at = async (home: string | undefined) =>
      (await preparing({}, { cwd: "/far", place: farPlace({ home }) }).prepare({ command: ":", cwd: "~/x" })).cwd;
    expect(await at("/home/far")).toBe("/home/far/x");
    expect(await at(undefined)).toBe("/x");
  });
});

describe("a call is refused before it is judged", () => {
  /** The message, of a session whose policy must not be asked. */
  async function refused(params: unknown, settings: object = {}, ports: Partial<BashToolSession> = {}) {
    const { policy, asked } = recordedPolicy();
    const error = await thrown(preparing(settings, { policy, ...ports }).prepare(params));
    expect(asked).toEqual([]);
    return error;
  }

  it("for the name of a variable", async () => {
    const of = async (env: unknown) => (await refused({ command: ":", env })).message;
    expect(await of({ GOOD: "", "A-B": "" })).toBe("Invalid bash env name: A-B");
    expect(await of({ [`${"x".repeat(2_000)}-`]: "" })).toMatch(/^Invalid bash env name: x{40}…$/);
    expect(await of(JSON.parse('{"__proto__":"x"}'))).toBe("Invalid bash env name: __proto__");
    expect(await of({ LD_PRELOAD: "x.so" })).toContain("`LD_PRELOAD`");
  });

  it("for parameters that cannot be read, in the words of their schema", async () => {
    const throws = () => {
      throw new TypeError("closed");
    };
    const closed = new Proxy({}, { get: throws, ownKeys: throws });
    for (const params of [undefined, null, 7, "ls", closed, { command: ":", more: 1 }])
      expect((await refused(params)).message).toMatch(/^Invalid bash parameters: /);
  });

  it("for the background, where there is none", async () => {
    const off = "Async bash execution is disabled. Enable async.enabled to use async mode.";
    const asyncJobManager = await jobs();
    expect((await refused({ command: ":", async: true }, {}, { asyncJobManager })).message).toBe(off);
    expect((await refused({ command: ":", async: true }, { "async.enabled": true })).message).toBe(
      "Async job manager unavailable for this session.",
    );
    const { prepare } = preparing();
    expect((await prepare({ command: ":", async: false })).isAsync).toBe(false);
  });

  const RULES = {
    "bashInterceptor.enabled": true,
    "bashInterceptor.patterns": [{ pattern: "^make", tool: "build", message: "Use the `build` tool." }],
  };

  it("for a command that has a better tool, by the tools of the call, or else of the session", async () => {
    const tools = (...toolNames: string[]) => ({ toolNames });
    const made = preparing(RULES, tools("build"));
    const command = "cd sub && make all";
    const error = await thrown(made.prepare({ command }));
    expect(error.message).toBe("Blocked: Use the `build` tool.\n\nOriginal command: cd sub && make all");
    expect(error.details).toStrictEqual({ suggestedTool: "build" });
    expect((await made.prepare({ command }, tools("read"))).command).toBe("make all");
    const without = preparing(RULES);
    expect((await without.prepare({ command })).command).toBe("make all");
    expect((await thrown(without.prepare({ command }, tools("build")))).details).toStrictEqual({
      suggestedTool: "build",
    });
    const off = preparing({ ...RULES, "bashInterceptor.enabled": false }, tools("build"));
    expect((await off.prepare({ command })).command).toBe("make all");
  });

  it("never for a rule that does not compile, of which the process is warned where the session takes no warning", async () => {
    const broken = { ...RULES, "bashInterceptor.patterns": [{ pattern: "(", tool: "build", message: "never" }] };
    const emitted = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => emitted.mockRestore());
    const problem = expect.stringMatching(/^interception rule is skipped: .*`\(`/);

    const warned: string[] = [];
    await preparing(broken, { toolNames: ["build"], warn: (text) => warned.push(text) }).prepare({ command: "make" });
    expect(warned).toEqual([problem]);
    expect(emitted).not.toHaveBeenCalled();

    await preparing(broken, { toolNames: ["build"] }).prepare({ command: "make" });
    expect(emitted.mock.calls).toEqual([[problem, { code: "PI_INVALID_RULE" }]]);
  });
});
