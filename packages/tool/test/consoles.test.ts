/** Which console and which client's terminal a call gets, what each is asked to run, and what their outcomes become. */
import type { SettingsInput } from "@pi-bash/contract";
import type { CommandResult, OutputMask, SessionPlace } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import type { ClientExit, ClientOutput, CreateTerminalRequest } from "../src/client-bridge.ts";
import type { PtyRequest } from "../src/pty-port.ts";
import type { BashToolSession } from "../src/session.ts";
import { resultOf } from "./support/facts.ts";
import { playedScene } from "./support/played-executor.ts";
import { textOf, thrown } from "./support/session.ts";

const PERSON = { hasUI: true, ui: { name: "screen" } };
const MASK: OutputMask = {
  text: (text) => {
    const masked = text.replaceAll("secret", "***");
    return { text: masked, count: masked === text ? 0 : 1, names: masked === text ? [] : ["KEY"] };
  },
  stream: () => {
    throw new Error("not played");
  },
};

interface Played {
  settings?: SettingsInput;
  ports?: Partial<BashToolSession>;
  /** What the console shows. */
  shown?: Partial<CommandResult>;
  takesTerminals?: boolean;
}

/** A session with a console. */
function consoleOf({ settings = {}, ports = {}, shown = {}, takesTerminals }: Played = {}) {
  const requests: PtyRequest[] = [];
  const run = async (request: PtyRequest): Promise<CommandResult> => {
    requests.push(request);
    return resultOf("shown\n", shown);
  };
  const pty = takesTerminals === undefined ? { run } : { run, takesTerminals };
  const made = playedScene({ settings }, { pty, ...ports });
  return {
    ...made,
    requests,
    call: (params = {}, context: object = PERSON) => made.bash({ command: "vi x", pty: true, ...params }, { context }),
  };
}

/** A machine far away, with terminals unless `terminal` is undefined. */
function placeOf(terminal: object | undefined = {}): SessionPlace {
  const far = {
    shell: "/far/bash",
    mask: undefined,
    environment: (kind: string, env: object) => ({ KIND: kind, ...env }),
    createPty: () => {
      throw new Error("it was made");
    },
    ...terminal,
  };
  return {
    name: "ssh:build7",
    cwd: "/far",
    home: "/home/far",
    stat: async (path: string) => ({ kind: "directory", realPath: path }),
    ...(terminal === undefined ? {} : { terminal: far }),
  } as unknown as SessionPlace;
}

describe("the file of what a console shows", () => {
  it("is the session's, or the executor's where the session says nothing, and none where it gives none", async () => {
    const artifactOf = async (ports: Partial<BashToolSession>) => {
      const { call, requests } = consoleOf({ ports });
      await call();
      return requests[0]?.artifact;
    };
    const own = { id: "abc", path: "/nowhere/abc" };
    expect(await artifactOf({ allocateOutputArtifact: async () => own })).toStrictEqual(own);
    expect(await artifactOf({})).toMatchObject({ id: expect.any(String), path: expect.any(String) });
    expect(await artifactOf({ allocateOutputArtifact: async () => undefined })).toBeUndefined();
  });
});

describe("a console", () => {
  it.each<[string, Played, object, boolean]>([
    ["a person", {}, PERSON, true],
    ["no person", {}, { ...PERSON, hasUI: false }, false],
    ["no word on a person", {}, { ui: {} }, false],
    ["no interface", {}, { hasUI: true }, false],
    ["null for an interface", {}, { hasUI: true, ui: null }, false],
    ["`PI_NO_PTY=1`", { ports: { hostEnv: { PATH: "/usr/bin:/bin", PI_NO_PTY: "1" } } }, PERSON, false],
    ["`PI_NO_PTY=0`", { ports: { hostEnv: { PATH: "/usr/bin:/bin", PI_NO_PTY: "0" } } }, PERSON, true],
    ["a place it does not know", { ports: { place: placeOf(), cwd: "/far" } }, PERSON, false],
    ["a place it is not for", { ports: { place: placeOf(), cwd: "/far" }, takesTerminals: false }, PERSON, false],
    ["a place that it takes", { ports: { place: placeOf(), cwd: "/far" }, takesTerminals: true }, PERSON, true],
  ])("is decided about by %s", async (_, played, context, isUsed) => {
    const { call, requests, runs } = consoleOf(played);
    await call({}, context);
    expect([requests.length, runs.length]).toEqual(isUsed ? [1, 0] : [0, 1]);
  });

  it("is not used on a place without terminals", async () => {
    const place = { ...placeOf(), terminal: undefined };
    const { call, requests } = consoleOf({ ports: { place, cwd: "/far" }, takesTerminals: true });
    expect((await call()).details?.applied).toStrictEqual([
      "`pty` was not followed: there is no terminal, or no person at it",
    ]);
    expect(requests).toEqual([]);
  });

  it("is given the command, where it runs and how long, and a file", async () => {
    const { call, requests, folder } = consoleOf({
      settings: { shellPrefix: "nice", "bash.outputMaxBytes": 9_000, "artifacts.maxBytes": 70_000 },
    });
    await call({ timeout: 7, env: { A: "b" } });
    expect(requests[0]).toMatchObject({
      command: "nice vi x",
      cwd: folder,
      timeoutMs: 7_000,
      maxBytes: 9_000,
      artifactMaxBytes: 70_000,
      title: "Console",
      ui: PERSON.ui,
      env: { A: "b" },
      artifact: { id: expect.any(String) },
    });
    expect(requests[0]?.shell).toMatch(/bash$/);
    expect(requests[0]).not.toHaveProperty("createPty");
  });

  it("on a place has the shell, the environment and the terminal of over there", async () => {
    const { call, requests } = consoleOf({ ports: { place: placeOf(), cwd: "/far" }, takesTerminals: true });
    const result = await call({ env: { A: "b" } });
    expect(requests[0]).toMatchObject({ shell: "/far/bash", cwd: "/far", env: { A: "b", KIND: expect.any(String) } });
    expect(requests[0]?.createPty).toBeDefined();
    expect(result.details?.place).toBe("ssh:build7");
  });

  it("has secrets masked in what the model reads of it", async () => {
    const place = placeOf({ mask: MASK });
    const { call } = consoleOf({ shown: { output: "a secret" }, ports: { place, cwd: "/far" }, takesTerminals: true });
    const result = await call();
    expect(textOf(result)).toMatch(/^a \*\*\*\n/);
    expect(result.details?.masked).toStrictEqual({ count: 1, names: ["KEY"] });
  });

  it("has its file kept only where its result names it", async () => {
    for (const isNamed of [true, false]) {
      const made = consoleOf();
      const verdicts: unknown[] = [];
      const { artifacts } = made.session.executor;
      const settle = artifacts.settle.bind(artifacts);
      Object.assign(artifacts, {
        settle: (id: string, verdict: "keep" | "discard") => {
          verdicts.push(verdict);
          return settle(id, verdict);
        },
      });
      Object.assign(made.session, {
        pty: {
          run: async ({ artifact }: PtyRequest) => resultOf("x", isNamed ? { artifactId: artifact?.id ?? "" } : {}),
        },
      });
      await made.call();
      expect(verdicts).toEqual([isNamed ? "keep" : "discard"]);
    }
  });

  it("is given the session's file where it has one, and none where it fails to", async () => {
    const given = consoleOf({ ports: { allocateOutputArtifact: async () => ({ id: "a", path: "/a" }) } });
    await given.call();
    expect(given.requests[0]?.artifact).toStrictEqual({ id: "a", path: "/a" });
    const fails = consoleOf({
      shown: { truncated: true },
      ports: { allocateOutputArtifact: () => Promise.reject(new Error("no disk")) },
    });
    const result = await fails.call();
    expect(result.details?.meta).toMatchObject({ artifactError: "no disk" });
  });

  it("is not opened in a folder that is missing", async () => {
    const { call, requests } = consoleOf();
    expect((await thrown(call({ cwd: "nowhere" }))).message).toMatch(/^Working directory does not exist: /);
    expect(requests).toEqual([]);
  });
});

describe("a client's terminal", () => {
  interface Client {
    exit?: () => Promise<ClientExit>;
    output?: () => Promise<ClientOutput>;
    settings?: SettingsInput;
    mask?: OutputMask;
    capabilities?: { terminal?: boolean };
  }

  /** A session whose client has terminals. */
  function clientOf({ exit, output, settings = {}, mask, capabilities = { terminal: true } }: Client = {}) {
    const requests: CreateTerminalRequest[] = [];
    const bridge = {
      capabilities,
      createTerminal: async (request: CreateTerminalRequest) => {
        requests.push(request);
        return {
          terminalId: "term-1",
          waitForExit: exit ?? (async () => ({ exitCode: 0 })),
          currentOutput: output ?? (async () => ({ output: "a\r\nb\r\n", truncated: false })),
          kill: async () => undefined,
          release: async () => undefined,
        };
      },
    };
    const executor = mask === undefined ? {} : { secretMask: async () => mask };
    return { ...playedScene({ settings, executor }, { getClientBridge: () => bridge }), requests };
  }

  it.each([{}, { terminal: false }])("is not used where the client has %j", async (capabilities) => {
    const { bash, requests, runs } = clientOf({ capabilities });
    await bash({ command: "touch x" });
    expect([requests.length, runs.length]).toEqual([0, 1]);
  });

  it("is given a login shell with the command, its folder and its variables", async () => {
    const { bash, requests, folder } = clientOf({ settings: { "bash.outputMaxBytes": 9_000 } });
    await bash({ command: "touch x", env: { A: "b" } });
    expect(requests[0]).toMatchObject({ args: ["-l", "-c", "touch x"], cwd: folder, outputByteLimit: 9_000 });
    expect(requests[0]?.env).toContainEqual({ name: "A", value: "b" });
    expect((await thrown(bash({ command: "touch x", cwd: "nowhere" }))).message).toMatch(/does not exist/);
    expect(requests).toHaveLength(1);
  });

  it.each<[string, ClientExit, object]>([
    ["a status", { exitCode: 3 }, { exitCode: 3 }],
    ["a signal", { exitCode: null, signal: "SIGHUP" }, { exitCode: 137, signal: "SIGHUP" }],
    ["both", { exitCode: 129, signal: "SIGHUP" }, { exitCode: 129, signal: "SIGHUP" }],
  ])("that ends with %s has it in the details", async (_, exit, details) => {
    const result = await clientOf({ exit: async () => exit }).bash({ command: "touch x" });
    expect(result.details).toMatchObject(details);
  });

  it("has the line ends and the colours of a terminal taken out", async () => {
    const output = async () => ({ output: "\u001b[31ma\u001b[0m\r\r\nb\rc\n", truncated: false });
    expect(textOf(await clientOf({ output }).bash({ command: "touch x" }))).toMatch(/^a\nb\rc\n\nWall time/);
  });

  it("is shown up to the bound, with a word that it is cut", async () => {
    const settings = { "bash.outputMaxBytes": 2_000 };
    const of = (length: number, truncated = false) =>
      clientOf({ settings, output: async () => ({ output: "x".repeat(length), truncated }) }).bash({
        command: "touch x",
      });
    expect(textOf(await of(2_000))).toMatch(/^x{2000}\n\nWall time/);
    expect(textOf(await of(2_001))).toMatch(/^…x{2000}\n\n\(output truncated\)\nWall time/);
    expect(textOf(await of(10, true))).toMatch(/^…x{10}\n\n\(output truncated\)\n/);
  });

  it("has secrets masked, in its failure, too", async () => {
    const output = async () => ({ output: "a secret\n", truncated: false });
    const failed = clientOf({ mask: MASK, output, exit: () => Promise.reject("gone") });
    const error = await thrown(failed.bash({ command: "touch x" }));
    expect(error.message).toBe("a ***\n\n\nClient terminal failed: gone");
    expect(error.details).toMatchObject({ terminalId: "term-1" });
    const silent = clientOf({
      output: async () => ({ output: "", truncated: false }),
      exit: () => Promise.reject("gone"),
    });
    expect((await thrown(silent.bash({ command: "touch x" }))).message).toBe("Client terminal failed: gone");
  });
});

describe("a sandbox that the settings ask for", () => {
  it("has to be the executor's, or nothing runs", async () => {
    const settings = { sandboxMode: "read-only" } as const;
    const { bash, runs, session } = playedScene();
    Object.assign(session, { settings });
    expect((await thrown(bash({ command: "touch x" }))).message).toBe(
      "`sandboxMode` is `read-only`, and the executor runs without a sandbox; make it with the same settings",
    );
    expect(runs).toEqual([]);
  });

  it("keeps calls from consoles and from the client's terminal", async () => {
    const never = () => Promise.reject(new Error("it was used"));
    const executor = { sandbox: {} as never };
    const bridge = { capabilities: { terminal: true }, createTerminal: never };
    const { bash, runs } = playedScene({ executor }, { pty: { run: never }, getClientBridge: () => bridge });
    await bash({ command: "touch x" }, { context: PERSON });
    await bash({ command: "touch x", pty: true }, { context: PERSON });
    expect(runs).toHaveLength(2);
  });
});
