/** What the executor is given to run, call by call, and what becomes of its answer; nothing is started. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BashDetails } from "@pi-bash/contract";
import type { SessionPlace } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import { type PlayedScene, playedScene } from "./support/played-executor.ts";
import { jobs, textOf, thrown, until } from "./support/session.ts";

/** A command that changes something, so that it has the session's shell. */
const CHANGES = "touch x";

describe("what the executor is given", () => {
  it("is the command with its folder, its variables, its deadline and its window", async () => {
    const { bash, runs, folder } = playedScene({ settings: { "bash.outputMaxBytes": 9_000 } });
    await bash({ command: CHANGES, env: { A: "b" }, timeout: 7 });
    expect(runs).toHaveLength(1);
    expect(runs[0]?.command).toBe(CHANGES);
    expect(runs[0]?.options).toMatchObject({
      cwd: folder,
      env: { A: "b" },
      timeoutMs: 7_000,
      sessionKey: "agent-1",
      window: { maxBytes: 9_000 },
    });
    for (const name of ["overlap", "readOnly", "artifact"]) expect(runs[0]?.options).not.toHaveProperty(name);
    expect(runs[0]?.options.signal?.aborted).toBe(false);
  });

  it("has no key for a session without one", async () => {
    const { bash, runs } = playedScene({}, { getSessionId: () => undefined });
    await bash({ command: CHANGES });
    expect(runs[0]?.options).not.toHaveProperty("sessionKey");
  });

  it("may be run in a copy where it only reads", async () => {
    const { bash, runs } = playedScene();
    await bash({ command: "pwd" });
    expect(runs[0]?.options).toMatchObject({ overlap: "clone" });
    expect(runs[0]?.options).not.toHaveProperty("readOnly");
  });

  it("may not where reading alone rests on variables that no one sets", async () => {
    const { bash, runs } = playedScene();
    await bash({ command: "git status" });
    expect(runs[0]?.options).not.toHaveProperty("overlap");
  });

  it("has the folder of a `local://` URL made, and none for a call that is refused", async () => {
    const made = playedScene();
    Object.assign(made.session, { internalUrls: { localRoot: join(made.folder, "local") } });
    await made.bash({ command: CHANGES, cwd: "local://new/deep" });
    expect(made.runs[0]?.options.cwd).toBe(join(made.folder, "local/new/deep"));
    expect(existsSync(join(made.folder, "local/new/deep"))).toBe(true);
    const refused = await thrown(made.bash({ command: "touch local://a/b", cwd: "missing" }));
    expect(refused.message).toMatch(/^Working directory does not exist/);
    expect(existsSync(join(made.folder, "local/a"))).toBe(false);
    await made.bash({ command: CHANGES, env: { F: "local://b/c" } });
    expect(made.runs[1]?.options.env).toStrictEqual({ F: join(made.folder, "local/b/c") });
    expect(existsSync(join(made.folder, "local/b"))).toBe(true);
  });

  it("has the host's variables, and the call's own before them", async () => {
    const { bash, runs } = playedScene({}, { commandEnv: () => ({ A: "host", B: "host", C: "host" }) });
    await bash({ command: CHANGES, env: { C: "call" } }, { context: { commandEnv: { B: "context", C: "context" } } });
    expect(runs[0]?.options.env).toStrictEqual({ A: "host", B: "context", C: "call" });
  });

  it("keeps a trailing pipe only where settings say so, and never on a place", async () => {
    const command = `${CHANGES}; seq 9 | tail -2`;
    const kept = playedScene();
    await kept.bash({ command });
    expect(kept.runs[0]?.command).toContain("tee -a");
    for (const settings of [{ "bash.stripTrailingHeadTail": false }]) {
      const plain = playedScene({ settings });
      await plain.bash({ command });
      expect(plain.runs[0]?.command).toBe(command);
    }
    const far = playedScene({}, { place: placeOf() });
    await far.bash({ command });
    expect(far.runs[0]?.command).toBe(command);
  });
});

describe("the file of an output", () => {
  const allocates = (allocate: () => Promise<{ id?: string; path?: string } | undefined>, cut = {}) =>
    playedScene({ answer: async () => ({ truncated: true, ...cut }) }, { allocateOutputArtifact: allocate });

  async function kept(made: PlayedScene): Promise<{ artifact: unknown; meta: BashDetails["meta"] }> {
    const { details } = await made.bash({ command: CHANGES });
    return { artifact: made.runs[0]?.options.artifact, meta: details?.meta };
  }

  it("is the session's, where it gives one", async () => {
    const { artifact, meta } = await kept(allocates(async () => ({ id: "a", path: "/a" })));
    expect(artifact).toStrictEqual({ id: "a", path: "/a" });
    expect(meta).not.toHaveProperty("artifactError");
  });

  it.each<[string, () => Promise<{ id?: string; path?: string } | undefined>, string]>([
    ["none", async () => undefined, "the session has no artifacts"],
    ["one without a path", async () => ({ id: "a" }), "the session has no artifacts"],
    ["one without an id", async () => ({ path: "/a" }), "the session has no artifacts"],
    ["an error", () => Promise.reject(new Error("no disk")), "no disk"],
    ["a text for an error", () => Promise.reject("no disk"), "no disk"],
  ])("is nowhere where it gives %s, and the answer says why", async (_, allocate, why) => {
    const { artifact, meta } = await kept(allocates(allocate));
    expect(artifact).toBe(false);
    expect(meta).toMatchObject({ artifactError: why });
  });

  it("is missed only where the output was cut, and the executor's reason stands", async () => {
    expect((await kept(allocates(async () => undefined, { truncated: false }))).meta).toBeUndefined();
    const own = await kept(allocates(async () => undefined, { artifactError: "its own" }));
    expect(own.meta).toMatchObject({ artifactError: "its own" });
  });
});

/** A machine far away, on which only the folder `/far` is. */
function placeOf(more: Partial<SessionPlace> = {}): SessionPlace {
  return {
    name: "ssh:build7",
    cwd: "/far",
    home: "/home/far",
    stat: async (path) =>
      /^\/(?:far|home\/far|)$/.test(path) || path.endsWith("/here")
        ? { kind: "directory", realPath: path }
        : { kind: "missing" },
    ...more,
  };
}

describe("a session on a place", () => {
  const far = (more: Partial<SessionPlace> = {}, ports = {}) =>
    playedScene({}, { cwd: "/far", place: placeOf(more), ...ports });

  it("has its folders and its home over there", async () => {
    const made = far();
    for (const cwd of ["~", "~/here", "sub/../here", "/here"]) await made.bash({ command: CHANGES, cwd });
    expect(made.runs.map(({ options }) => options.cwd)).toEqual(["/home/far", "/home/far/here", "/far/here", "/here"]);
    const homeless = far({ home: undefined });
    await homeless.bash({ command: CHANGES, cwd: "~/here" });
    expect(homeless.runs[0]?.options.cwd).toBe("/here");
  });

  it("has no internal URLs, in a command, in a variable or as a folder", async () => {
    const localRoot = "/local";
    const calls = [
      { command: "cat local://x" },
      { command: "true", env: { F: "local://x" } },
      { command: "true", cwd: "local://" },
      { command: "true", cwd: "local://x" },
    ];
    for (const call of calls) {
      const made = far({}, { internalUrls: { localRoot } });
      expect((await thrown(made.bash(call))).message).toMatch(
        /^Internal URLs are files of the agent's machine.*ssh:build7/,
      );
      expect(made.runs).toEqual([]);
    }
  });

  it("does not run in the client's terminal, nor on a console that knows no places", async () => {
    const never = () => Promise.reject(new Error("it was used"));
    const bridge = { capabilities: { terminal: true }, createTerminal: never };
    const made = far({}, { getClientBridge: () => bridge, pty: { run: never } });
    const context = { hasUI: true, ui: {} };
    await made.bash({ command: CHANGES }, { context });
    await made.bash({ command: CHANGES, pty: true }, { context });
    expect(made.runs).toHaveLength(2);
  });
});

describe("where a call starts", () => {
  const follows = { "bash.directoryPersists": true };

  /** Calls in turn, the first of which ends in the folder `a`; where each of them started. */
  async function folders(answer: object, ...calls: object[]): Promise<(string | undefined)[]> {
    const made = playedScene({
      settings: follows,
      answer: async () => (made.runs.length === 1 ? { workingDir: join(made.folder, "a"), ...answer } : {}),
    });
    for (const name of ["a/b", "c"]) mkdirSync(join(made.folder, name), { recursive: true });
    for (const call of calls) await made.bash(call);
    return made.runs.map(({ options }) => options.cwd?.slice(made.folder.length));
  }
  const MOVES = { command: `cd a; ${CHANGES}` };

  it("is where the one before has left the session", async () => {
    expect(await folders({}, MOVES, { command: "ls" })).toEqual(["", "/a"]);
    expect(await folders({}, MOVES, { command: "cd b && ls" })).toEqual(["", "/a/b"]);
    expect(await folders({}, MOVES, { command: "ls", cwd: "c" })).toEqual(["", "/c"]);
  });

  it.each([
    ["ran in a copy", { isIsolated: true }, MOVES],
    ["lost its shell", { sessionReset: true }, MOVES],
    ["has no folder", { workingDir: undefined }, MOVES],
    ["had a folder of its own", {}, { ...MOVES, cwd: "c" }],
    ["only reads", {}, { command: "pwd" }],
  ])("is the workspace after one that %s", async (_, answer, call) => {
    expect((await folders(answer, call, { command: "ls" }))[1]).toBe("");
  });

  it("is the workspace again where the folder is gone, once that was said", async () => {
    const made = playedScene({ settings: follows, answer: async () => ({ workingDir: "/nowhere/at/all" }) });
    expect(textOf(await made.bash(MOVES))).toContain("Now in /nowhere/at/all.");
    const refused = await thrown(made.bash({ command: "cd sub && ls" }));
    expect(refused.message).toBe(
      `The folder of the last \`cd\` is gone: /nowhere/at/all. The command did not run; the next one starts in ${made.folder}.`,
    );
    expect(made.runs).toHaveLength(1);
    await made.bash({ command: CHANGES });
    expect(made.runs[1]?.options.cwd).toBe(made.folder);
  });

  it("is not asked of the disk where a call names an absolute folder itself", async () => {
    const made = playedScene({ settings: follows, answer: async () => ({ workingDir: "/nowhere/at/all" }) });
    await made.bash(MOVES);
    await made.bash({ command: `cd ${made.folder} && ${CHANGES}` });
    expect(made.runs[1]?.options.cwd).toBe(made.folder);
  });

  it("is another one's in each session of an executor", async () => {
    const made = playedScene({
      settings: follows,
      answer: async () => (made.runs.length === 1 ? { workingDir: "/" } : {}),
    });
    await made.bash(MOVES);
    for (const getSessionId of [() => "agent-2", () => undefined, undefined]) {
      Object.assign(made.session, { getSessionId });
      await made.bash({ command: CHANGES });
    }
    expect(made.runs.slice(1).map(({ options }) => options.cwd)).toEqual(Array(3).fill(made.folder));
    expect(made.runs[3]?.options).not.toHaveProperty("sessionKey");
    Object.assign(made.session, { getSessionId: () => "agent-1" });
    await made.bash({ command: CHANGES });
    expect(made.runs[4]?.options.cwd).toBe("/");
  });

  it("is looked for on the place where commands run", async () => {
    const made = playedScene(
      { settings: follows, answer: async () => ({ workingDir: "/far/here" }) },
      { cwd: "/far", place: placeOf() },
    );
    await made.bash({ command: CHANGES });
    await made.bash({ command: `cd here && ${CHANGES}` });
    expect(made.runs[1]?.options.cwd).toBe("/far/here/here");
  });

  it("is moved to no folder that it had already", async () => {
    const made = playedScene({ settings: follows, answer: async () => ({ workingDir: made.folder }) });
    expect(textOf(await made.bash(MOVES))).not.toContain("Now in");
  });
});

describe("a call that became a job", () => {
  it("is said with the name of its file, its rewrites and its deadline", async () => {
    const manager = await jobs();
    const { bash } = playedScene({ settings: { "async.enabled": true } }, { asyncJobManager: manager });
    const { content, details } = await bash({ command: `cd . && ${CHANGES}`, async: true, pty: true, timeout: 0 });
    expect(textOf({ content })).toMatch(/^Timeout clamped to 1s .*\n\nBackground job bg_1 started: cd \. && touch x\n/);
    expect(details).toMatchObject({
      artifactId: expect.any(String),
      async: { state: "running", jobId: "bg_1", type: "bash" },
      applied: expect.arrayContaining(["`pty` was not followed: a background job has no terminal"]),
    });
  });

  it("has a shell of its own on the place of its session, and is not confined by accident", async () => {
    const manager = await jobs();
    const { bash, runs } = playedScene({ settings: { "async.enabled": true } }, { asyncJobManager: manager });
    await bash({ command: CHANGES, async: true });
    await until(() => runs.length === 1, "it to run");
    expect(runs[0]?.options).toMatchObject({ isEphemeral: true, placeKey: "agent-1", isFollowed: true });
    expect(runs[0]?.options.sessionKey).toMatch(/^agent-1:async:/);
    expect(runs[0]?.options).not.toHaveProperty("onTimeout");
    expect(runs[0]?.options).not.toHaveProperty("lifetimeMs");
  });

  it("is refused with a NUL character before it starts", async () => {
    const manager = await jobs();
    const { bash, runs } = playedScene({ settings: { "async.enabled": true } }, { asyncJobManager: manager });
    expect((await thrown(bash({ command: "a\0b", async: true }))).message).toMatch(/NUL character|Remove it|cannot/);
    expect(runs).toEqual([]);
    expect(manager.list("agent-1")).toEqual([]);
  });
});
