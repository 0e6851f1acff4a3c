/** What the sessions of one place begin with: on this machine, and on a place, where everything is asked there. */
import { Settings, type SettingsInput } from "@pi-bash/contract";
import { HARD_TIMEOUT_GRACE_MS } from "@pi-bash/contract/internal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import type { ExecutorPorts } from "../src/executor.ts";
import type { NativesPort } from "../src/natives-port.ts";
import type { OpenedPlace, PathKind, PlaceFacts, RemotePlace } from "../src/places/place.ts";
import { Secrets } from "../src/secrets.ts";
import { type BaseSource, localBase, placeBase } from "../src/session-base.ts";
import { ended, FakeNatives } from "./support/fake-natives.ts";

afterEach(() => void vi.useRealTimers());

const FACTS: PlaceFacts = {
  instance: "one",
  env: { PATH: "/far/bin:/bin", HOME: "/home/far" },
  home: "/home/far",
  cwd: "/srv/project",
  bash: { path: "/far/bash" },
  folder: "/far",
  rttMs: 7,
};
const PLACE: RemotePlace = { kind: "remote", name: "ssh:far", open: () => Promise.reject(new Error("it is open")) };

function sourceOf(settings: SettingsInput = {}, ports: ExecutorPorts = {}): BaseSource {
  const parsed = Settings.parse({ "secrets.mask": false, ...settings });
  const hostEnv = { PATH: "/usr/bin:/bin", OPENAI_API_KEY: "near-key-1234" };
  return { settings: parsed, ports, hostEnv, secrets: new Secrets({ settings: parsed, hostEnv, natives: undefined }) };
}

/** The base of a place; `kinds` says what stands at its paths. */
async function far(
  options: {
    settings?: SettingsInput;
    ports?: ExecutorPorts;
    facts?: Partial<PlaceFacts>;
    kinds?: Record<string, PathKind>;
    opened?: Partial<OpenedPlace>;
    natives?: NativesPort;
  } = {},
) {
  const { kinds = { "/usr/bin/false": "file" }, natives = new FakeNatives() } = options;
  const files = {
    stat: async (path: string) => ({ kind: kinds[path] ?? ("missing" as const) }),
    put: async (name: string) => `/far/${name}`,
    read: () => Promise.reject(new Error("none")),
    remove: async () => undefined,
  };
  const opened = { facts: { ...FACTS, ...options.facts }, natives, files, ...options.opened };
  return { base: await placeBase(sourceOf(options.settings, options.ports), PLACE, opened), natives, files };
}

describe("the base of a place", () => {
  it("has the shell, the folder and the environment from there, and a session nothing beside them", async () => {
    const { base, files } = await far();
    expect(base.config).toStrictEqual({ shell: "/far/bash" });
    expect(base.environment.env).toMatchObject({ PATH: "/far/bin:/bin", HOME: "/home/far", SHELL: "/far/bash" });
    expect(base.sessionOptions(undefined)).toStrictEqual({
      shell: "/far/bash",
      baseEnv: base.environment.env,
      cwd: "/srv/project",
    });
    expect(base.sessionOptions("/far/rc.sh").snapshotPath).toBe("/far/rc.sh");
    expect(base.place).toStrictEqual({ name: "ssh:far", files, facts: FACTS, awayMs: undefined });
    expect([base.mask, base.sandbox]).toEqual([undefined, undefined]);
  });

  it("has a prefix, limits and a sandbox of its folder where the settings say so", async () => {
    const settings = { shellPrefix: "nice", limits: { openFiles: 9 }, sandboxMode: "workspace-write" as const };
    const { base } = await far({ settings });
    expect(base.config).toStrictEqual({ shell: "/far/bash", prefix: "nice" });
    expect(base.sessionOptions(undefined)).toMatchObject({
      limits: { openFiles: 9 },
      sandbox: { mode: "workspace-write", writablePaths: ["/srv/project"] },
    });
    const named = await far({ settings, ports: { cwd: "/other" } });
    expect(named.base.sandbox?.writablePaths).toEqual(["/other"]);
  });

  it("waits for a run the grace, four seconds and a round trip", async () => {
    expect((await far()).base.graceMs).toBe(HARD_TIMEOUT_GRACE_MS + 4_000 + 7);
    expect((await far({ ports: { graceMs: 100 } })).base.graceMs).toBe(4_107);
    expect((await far({ opened: { awayMs: 30_000 } })).base.place?.awayMs).toBe(30_000);
  });

  it.each<[string, Record<string, PathKind>, string]>([
    ["both are there", { "/usr/bin/false": "file", "/bin/false": "file" }, "/usr/bin/false"],
    ["only the other one is there", { "/bin/false": "file" }, "/bin/false"],
    ["what has its name is a folder", { "/usr/bin/false": "directory", "/bin/false": "file" }, "/bin/false"],
    ["there is none", {}, "false"],
  ])("refuses questions by the `false` of the place where %s", async (_, kinds, expected) => {
    expect((await far({ kinds })).base.environment.env["GIT_ASKPASS"]).toBe(expected);
  });

  it.each<[string, Partial<PlaceFacts>, string]>([
    ["nothing is known of it", {}, "ssh:far has no bash"],
    ["it was found wanting", { bashError: "it is too old" }, "ssh:far has no bash: it is too old"],
  ])("is none where there is no bash: %s", async (_, facts, message) => {
    const { bash: __, ...rest } = FACTS;
    const opened = { facts: { ...rest, ...facts } } as Partial<OpenedPlace>;
    await expect(far({ opened })).rejects.toMatchObject({ code: "PI_SHELL_NOT_FOUND", message });
  });

  it("looks at folders there, from its own folder on", async () => {
    const { base } = await far({ kinds: { "/srv/project/sub": "directory", "/abs": "directory" } });
    await expect(base.checkFolder("sub")).resolves.toBeUndefined();
    await expect(base.checkFolder("/abs")).resolves.toBeUndefined();
    await expect(base.checkFolder("../x")).rejects.toThrow("Working directory does not exist on ssh:far: /srv/x");
  });

  it("masks the values of both machines, those of this one first", async () => {
    const made: { values: { name: string; value: string }[] }[] = [];
    const natives: NativesPort = new FakeNatives();
    natives.SecretMask = class {
      text = (text: string) => ({ text, count: 0, names: [] });
      stream = () => ({ skip: () => undefined, push: (bytes: Uint8Array) => bytes, finish: () => new Uint8Array() });
      constructor(options: { values: { name: string; value: string }[] }) {
        made.push(options);
      }
    };
    const env = { ...FACTS.env, OPENAI_API_KEY: "far-key-12345" };
    const { base } = await far({ settings: { "secrets.mask": true }, facts: { env }, natives });
    expect(base.sessionOptions(undefined).mask).toBe(base.mask);
    expect(base.mask).toBeInstanceOf(natives.SecretMask);
    expect(made.map(({ values }) => values)).toEqual([
      [
        { name: "OPENAI_API_KEY", value: "near-key-1234" },
        { name: "OPENAI_API_KEY", value: "far-key-12345" },
      ],
    ]);
  });

  it("proves in a session of its own whether commands can run read-only", async () => {
    const natives = new FakeNatives();
    natives.readOnly = { available: true, degraded: [] };
    natives.behaviour = async () => ended({}, { readOnly: { degraded: [], stateDropped: false } });
    const { base } = await far({ natives });
    expect(await base.proof.found()).toEqual({ available: true, degraded: [] });
    expect(natives.shells.map(({ options }) => options)).toStrictEqual([base.sessionOptions(undefined)]);
  });

  it("keeps as many idle sessions as the executor may", async () => {
    vi.useFakeTimers();
    const { base, natives } = await far({ ports: { maxIdleSessions: 1 } });
    for (const key of ["a", "b"]) (await base.pool.acquire(key, {}, { mayClone: false }))?.release();
    await vi.advanceTimersByTimeAsync(0);
    expect((natives as FakeNatives).shells.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  it.each([
    ["the time that it is given and twelve round trips", { snapshotBudgetMs: 10_000 }, 100, 6_720],
    ["five seconds and twelve round trips", {}, 100, 3_720],
    ["five seconds", {}, 0, 3_000],
  ])("reads the rc there within %s, three fifths of them for the first try", async (_, ports, rttMs, firstMs) => {
    vi.useFakeTimers();
    const natives = new FakeNatives();
    natives.behaviour = async () => ended({}, { exitCode: 1 });
    const { base } = await far({ natives, ports, facts: { rttMs }, kinds: { "/home/far/.bashrc": "file" } });
    await base.snapshots.getOrCreate();
    const [first] = natives.runs;

    expect(first?.options).toMatchObject({ shell: "/far/bash", timeoutMs: firstMs });
    expect(first?.options.command).toContain("'/far/capture-");
  });
});

describe("the base of this machine", () => {
  const SHELL = { shellPath: "/bin/bash" };

  it("has a session begin where the host is, with nothing that was not asked for", async () => {
    const natives = new FakeNatives();
    const base = await localBase(sourceOf(SHELL, { natives }));
    expect(base.config).toStrictEqual({ shell: "/bin/bash" });
    expect(base.sessionOptions(undefined)).toStrictEqual({ shell: "/bin/bash", baseEnv: base.environment.env });
    expect([base.place, base.natives, base.graceMs]).toEqual([undefined, natives, HARD_TIMEOUT_GRACE_MS]);
    expect(base.environment.withheld).toEqual([{ name: "OPENAI_API_KEY", reason: "provider" }]);
    await expect(base.checkFolder(".")).resolves.toBeUndefined();
  });

  it("has the executor's folder, grace and name of its settings", async () => {
    const cwd = scratchFolder();
    const ports = { natives: new FakeNatives(), cwd, graceMs: 5, configName: "the config" };
    const base = await localBase(sourceOf({ ...SHELL, sandboxMode: "workspace-write" }, ports));
    expect([base.sessionOptions(undefined).cwd, base.graceMs, base.sandbox?.writablePaths]).toEqual([cwd, 5, [cwd]]);
    await expect(base.checkFolder("missing")).rejects.toThrow(`Working directory does not exist: ${cwd}/missing`);

    await expect(localBase(sourceOf({ shellPath: "/not/there" }, ports))).rejects.toThrow(
      "Please update shellPath in the config",
    );
  });
});
