/** The ways of an executor beside running: what it says once, closes and asks, and how settings reach a session. */
import type { SettingsInput } from "@pi-bash/contract";
import { describe, expect, it, vi } from "vitest";
import { createExecutor, type ExecutorPorts } from "../src/executor.ts";
import type { ListeningPort, NativesPort, SessionOptions } from "../src/natives-port.ts";
import { placeTerminal } from "../src/places/place-terminal.ts";
import type { SessionBase } from "../src/session-base.ts";
import { storeIn } from "./support/artifacts.ts";
import { make } from "./support/executor.ts";
import { ended, never } from "./support/fake-natives.ts";
import { until } from "./support/waiting.ts";

/** What a session is started with. */
async function session(settings: SettingsInput, ports: ExecutorPorts = {}): Promise<SessionOptions> {
  const { natives, executor } = make(settings, ports);
  await executor.executeBash("ls");
  return natives.shells[0]?.options ?? {};
}

describe("a session is started with", () => {
  it("its shell and environment, and nothing that was not asked for", async () => {
    const options = await session({});
    expect(options).toMatchObject({ shell: expect.stringMatching(/bash$/), baseEnv: { PATH: "/usr/bin:/bin" } });
    for (const name of ["sandbox", "limits", "mask", "cwd", "snapshotPath"]) expect(options).not.toHaveProperty(name);
  });

  it("the executor's folder and limits", async () => {
    expect(await session({ limits: { openFiles: 100 } }, { cwd: "/" })).toMatchObject({
      cwd: "/",
      limits: { openFiles: 100 },
    });
  });

  it.each<[string, SettingsInput, object | undefined]>([
    ["none where everything is allowed", { sandboxMode: "full" }, undefined],
    [
      "one that writes nothing",
      { sandboxMode: "read-only", "sandbox.writablePaths": ["/x"] },
      { mode: "read-only", writablePaths: [] },
    ],
    [
      "one that writes its folder and what the settings name",
      { sandboxMode: "workspace-write", "sandbox.writablePaths": ["/x"] },
      { mode: "workspace-write", writablePaths: ["/", "/x"] },
    ],
    ["one of a backend", { sandboxMode: "read-only", "sandbox.backend": "landlock" }, { backend: "landlock" }],
  ])("a sandbox: %s", async (_, settings, expected) => {
    const { sandbox } = await session(settings, { cwd: "/" });
    if (expected === undefined) expect(sandbox).toBeUndefined();
    else expect(sandbox).toMatchObject(expected);
    if (expected !== undefined && !("backend" in expected)) expect(sandbox).not.toHaveProperty("backend");
  });
});

describe("a result says once", () => {
  it("a session which names were withheld, each session for itself", async () => {
    const { executor } = make({ "secrets.mask": false }, { hostEnv: { PATH: "/bin", OPENAI_API_KEY: "key" } });
    const said: unknown[] = [];
    for (const sessionKey of ["a", "a", "b"])
      said.push((await executor.executeBash("ls", { sessionKey })).withheldNames);
    expect(said).toEqual([["OPENAI_API_KEY"], undefined, ["OPENAI_API_KEY"]]);
    expect(executor.environment().withheld.map(({ name }) => name)).toEqual(["OPENAI_API_KEY"]);
  });

  it("nothing where there is nothing to say", async () => {
    const { executor } = make({ "secrets.mask": false });
    const result = await executor.executeBash("ls");
    for (const name of ["notices", "withheldNames", "sessionReset", "isIsolated", "place"])
      expect(result).not.toHaveProperty(name);
  });

  it("what the runtime says beside it, with its own", async () => {
    const { natives, executor } = make();
    natives.behaviour = async () => ended({}, { placeNotice: "away for 3 s" });
    const kinds = async () => (await executor.executeBash("ls")).notices?.map(({ kind }) => kind);
    expect([await kinds(), await kinds()]).toEqual([["place", "secrets"], ["place"]]);
  });
});

describe("an executor", () => {
  it("closes the session of a key and what it started, forgets its folder, and none where there is none", async () => {
    const { natives, executor } = make();
    await executor.executeBash("ls", { sessionKey: "a" });
    executor.folders.set("a", "/x");
    await executor.closeSession("a");
    await executor.closeSession("nothing");
    expect([natives.shells[0]?.isClosed, executor.folders.get("a"), executor.stats().sessions]).toEqual([
      true,
      undefined,
      0,
    ]);
    expect(await executor.executeBash("ls", { sessionKey: "a" })).not.toHaveProperty("sessionReset");
  });

  it("asks its runtime who listens on a port; without one that can look no one does", async () => {
    const { natives, executor } = make();
    expect(await executor.portHolder(80)).toBeUndefined();
    const holder: ListeningPort = { port: 80, address: "::", startedAtMs: 0, isInside: false };
    const portHolder = vi.fn(async (port: number) => (port === 80 ? holder : null));
    (natives as NativesPort).portHolder = portHolder;
    expect([await executor.portHolder(80), await executor.portHolder(81)]).toEqual([holder, undefined]);
  });

  it("keeps no more idle sessions than it was given", async () => {
    const { natives, executor } = make({}, { maxIdleSessions: 1 });
    for (const sessionKey of ["a", "b"]) await executor.executeBash("ls", { sessionKey });
    await until(() => natives.shells[0]?.isClosed === true, "the older one to be closed");
    expect(natives.shells[1]?.isClosed).toBe(false);
  });

  it("starts nothing for a call that was aborted before or while it waits, or has a wrong folder", async () => {
    const { natives, executor } = make();
    expect(await executor.executeBash("ls", { signal: AbortSignal.abort() })).toMatchObject({ cancelled: true });
    expect(natives.shells).toEqual([]);
    await expect(executor.executeBash("ls", { cwd: "/not/there" })).rejects.toMatchObject({ code: "PI_MISSING_CWD" });
    expect(natives.shells).toEqual([]);
    natives.behaviour = never;
    const leave = new AbortController();
    void executor.executeBash("sleep", { signal: leave.signal }).catch(() => undefined);
    await until(() => natives.runs.length === 1, "the first command");
    const waiting = new AbortController();
    const second = executor.executeBash("ls", { signal: waiting.signal });
    waiting.abort();
    expect(await second).toMatchObject({ cancelled: true, output: "[Command cancelled]" });
    expect(natives.runs).toHaveLength(1);
    leave.abort();
  });

  it("does not look for the folder of a session that stands: its runtime does", async () => {
    const { natives, executor } = make();
    await executor.executeBash("ls");
    await executor.executeBash("ls", { cwd: "/not/there" });
    expect(natives.runs.at(-1)?.options.cwd).toBe("/not/there");
  });

  it("refuses variables, options and settings that it does not take", async () => {
    const { executor } = make();
    await expect(executor.executeBash("ls", { env: { BASH_ENV: "/x" } })).rejects.toMatchObject({
      code: "PI_INVALID_ENV",
    });
    await expect(executor.executeBash("ls", { timeout: 5 } as object)).rejects.toThrow("timeout");
    expect(() => createExecutor({ sandboxmode: "full" } as object)).toThrow("sandboxmode");
    expect(() => createExecutor({}, { folder: "/" } as object)).toThrow("folder");
    const allowed = make({ "bash.environment.allow": ["BASH_ENV"] });
    await allowed.executor.executeBash("ls", { env: { BASH_ENV: "/x" } });
    expect(allowed.natives.runs[0]?.options.env).toEqual({ BASH_ENV: "/x" });
  });

  it("disposes of its own store, and leaves one that it was given", async () => {
    const { store } = storeIn();
    const given = make({}, { artifacts: store });
    await given.executor.dispose();
    await expect(store.save("bash", "x")).resolves.toBeDefined();
    const own = make();
    await own.executor.dispose();
    await expect(own.executor.artifacts.save("bash", "x")).rejects.toThrow("disposed");
    await expect(own.executor.executeBash("ls")).rejects.toThrow("executor is disposed; create another one");
  });

  it("has what its settings say of sandboxes, records and masked files", () => {
    const of = (settings: SettingsInput) => {
      const { sandbox, recordsTerminals, masksArtifacts } = make(settings).executor;
      return [sandbox?.mode, recordsTerminals, masksArtifacts];
    };
    expect(of({ sandboxMode: "read-only", "tty.record": true, "secrets.maskArtifacts": true })).toEqual([
      "read-only",
      true,
      true,
    ]);
    expect(
      of({ sandboxMode: "full", "tty.record": false, "secrets.maskArtifacts": true, "secrets.mask": false }),
    ).toEqual([undefined, false, false]);
    expect(of({ "secrets.maskArtifacts": false })[2]).toBe(false);
  });

  it("takes bounds for its artifacts from the settings", async () => {
    const { executor } = make({ "artifacts.maxBytes": 2_000_000 });
    expect(executor.artifacts.maxBytes).toBe(2_000_000);
  });
});

describe("the terminals of a place", () => {
  class PtySession {}
  const baseOf = (more: object = {}) =>
    ({
      natives: { PtySession },
      place: { facts: { env: { PAGER: "less", OPENAI_API_KEY: "k" } } },
      config: { shell: "/far/bash" },
      environment: { env: { PAGER: "cat" } },
      mask: undefined,
      ...more,
    }) as unknown as SessionBase;
  const settings = { "bash.environment.withhold": "provider", "bash.environment.allow": [] } as never;

  it("are none on this machine, and none where the place has no pseudoterminals", () => {
    expect(placeTerminal(baseOf({ place: undefined }), settings)).toBeUndefined();
    expect(placeTerminal(baseOf({ natives: {} }), settings)).toBeUndefined();
  });

  it("have the shell over there and its environment: hardened, or the far user's own without keys", () => {
    const terminal = placeTerminal(baseOf(), settings);
    expect(terminal?.shell).toBe("/far/bash");
    expect(terminal?.environment("hardened")).toEqual({ PAGER: "cat", TERM: "xterm-256color" });
    expect(terminal?.environment("user", { A: "1", TERM: "vt100" })).toEqual({ PAGER: "less", TERM: "vt100", A: "1" });
    expect(terminal?.createPty()).toBeInstanceOf(PtySession);
  });
});
