/** An executor on a runtime of the test's own: snapshots, terminals, rule files, calls that are given up early. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Settings, type SettingsInput } from "@pi-bash/contract";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import type { PtyDevice, PtyEnd, PtyStart } from "../src/console/console-port.ts";
import type { ExecutorPorts } from "../src/executor.ts";
import type { NativesPort } from "../src/natives-port.ts";
import type { OpenedPlace, PlaceFiles, RemotePlace } from "../src/places/place.ts";
import { loadRuleFiles, PROJECT_RULES } from "../src/rule-files.ts";
import type { OpenTerminalOptions } from "../src/tty/open-terminal.ts";
import { findBackend } from "../src/usable-natives.ts";
import { make } from "./support/executor.ts";
import { ended, FakeNatives } from "./support/fake-natives.ts";
import { deferred, until } from "./support/waiting.ts";

const FACTS = { instance: "1", env: { PATH: "/bin" }, cwd: "/w", bash: { path: "/bin/bash" }, folder: "/f", rttMs: 0 };
const FILES = { stat: async () => ({ kind: "directory" as const }) } as unknown as PlaceFiles;

/** A place; `answer` holds its opening back. */
function placeOf(natives: FakeNatives, answer: Promise<unknown> = Promise.resolve()): RemotePlace {
  const opened: OpenedPlace = { facts: FACTS, natives, files: FILES };
  return { kind: "remote", name: "far", open: () => answer.then(() => opened) };
}

describe("the snapshot of an executor", () => {
  /** An executor of a user with an rc that defines one function; `asked` are the shells that read it. */
  function withRc(ports: ExecutorPorts = {}) {
    const home = scratchFolder();
    writeFileSync(join(home, ".bashrc"), "greet() { :; }");
    const hostEnv = { PATH: "/usr/bin:/bin", HOME: home };
    const made = make({ "secrets.mask": false }, { usesSnapshot: true, hostEnv, ...ports });
    const asked: string[] = [];
    made.natives.behaviour = async ({ shell, options: { command } }) => {
      if (shell !== undefined) return ended();
      asked.push(command);
      const script = /'([^']+capture-[^']+)'/.exec(command)?.[1];
      if (script === undefined) return ended({ text: "verified\n" });
      const record = /__pi_record='([^']+)'/.exec(readFileSync(script, "utf8"))?.[1] ?? "";
      writeFileSync(record, ["version", "5.2", "function", "greet", "greet () { :; }\n", "end", ""].join("\0"));
      return ended();
    };
    const path = (at: number) => made.natives.shells[at]?.options.snapshotPath ?? "";
    return { ...made, asked, path };
  }

  it("is made once, for all sessions, and written again for a new one alone", async () => {
    const { natives, executor, asked, path } = withRc();
    await executor.executeBash("ls", { sessionKey: "a" });
    expect(readFileSync(path(0), "utf8")).toContain("greet () { :; }");
    rmSync(path(0));
    await executor.executeBash("ls", { sessionKey: "a" });
    expect([existsSync(path(0)), natives.shells.length]).toEqual([false, 1]);
    await executor.executeBash("ls", { sessionKey: "b" });

    expect([path(1) === path(0), existsSync(path(1)), natives.shells.length]).toEqual([true, true, 2]);
    expect(asked).toHaveLength(2);
    await executor.closeSession("b");
    expect(natives.shells.map(({ isClosed }) => isClosed)).toEqual([false, true]);
    await executor.dispose();
    expect(existsSync(path(0))).toBe(false);
  });

  it("is not read where it is not wanted, and a failure is said once", async () => {
    const without = withRc({ usesSnapshot: false });
    await without.executor.executeBash("ls");
    expect([without.asked, "snapshotPath" in (without.natives.shells[0]?.options ?? {})]).toEqual([[], false]);
    const { natives, executor } = withRc();
    natives.behaviour = async () => ended();
    const kinds = [await executor.executeBash("ls"), await executor.executeBash("ls")].map(({ notices }) =>
      notices?.map(({ kind }) => kind),
    );
    expect([kinds, natives.shells[0]?.options.snapshotPath]).toEqual([[["snapshot"], undefined], undefined]);
  });

  it("leaves the shells that stand where they are when it cannot be written again for a new one", async () => {
    const { natives, executor, path } = withRc();
    await executor.executeBash("ls", { sessionKey: "a" });
    // A file stands where its folder was.
    rmSync(dirname(path(0)), { recursive: true });
    writeFileSync(dirname(path(0)), "");
    onTestFinished(() => rmSync(dirname(path(0)), { force: true }));
    const fresh = await executor.executeBash("ls", { sessionKey: "b" });
    expect(fresh.notices?.map(({ kind }) => kind)).toEqual(["snapshot"]);
    expect([path(1), natives.shells.length]).toEqual(["", 2]);

    await executor.executeBash("ls", { sessionKey: "a" });
    await executor.executeBash("ls", { sessionKey: "b" });
    expect(natives.shells.length).toBe(2);
    await executor.closeSession("a");
    expect(natives.shells.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  it("is not waited for by a call that was aborted", async () => {
    const { natives, executor } = withRc();
    const answer = deferred<ReturnType<typeof ended>>();
    natives.behaviour = () => answer.promise;
    const call = new AbortController();
    const running = executor.executeBash("ls", { signal: call.signal });
    await until(() => natives.runs.length === 1, "the rc to be read");
    call.abort();
    expect(await running).toMatchObject({ cancelled: true, output: "[Command cancelled]" });
    expect(natives.shells).toEqual([]);
    answer.resolve(ended());
  });
});

describe("a place that is not connected yet", () => {
  it("is not waited for by a call that was aborted", async () => {
    const answer = deferred<void>();
    const natives = new FakeNatives();
    const { executor } = make({ "secrets.mask": false }, { place: placeOf(natives, answer.promise) });
    const call = new AbortController();
    const running = executor.executeBash("ls", { signal: call.signal });
    call.abort();
    expect(await running).toMatchObject({ cancelled: true, output: "[Command cancelled]" });
    answer.resolve();
    expect((await executor.executeBash("ls")).output).toBe("ls\n");
    expect(natives.runs).toHaveLength(1);
  });
});

describe("a program on a terminal of an executor", () => {
  /** An executor with terminals; a program ends when its signal is aborted, where `ends` does not say otherwise. */
  function withTerminals(settings: SettingsInput = {}, ports: ExecutorPorts = {}, natives = new FakeNatives()) {
    const started: PtyStart[] = [];
    const made = make({ "secrets.mask": false, ...settings }, { natives, ...ports });
    const ends: { now: PtyEnd | undefined } = { now: { exitCode: 0, cancelled: false, timedOut: false } };
    (natives as NativesPort).PtySession = class implements PtyDevice {
      start(options: PtyStart): Promise<PtyEnd> {
        started.push(options);
        if (ends.now !== undefined) return Promise.resolve(ends.now);
        return new Promise((resolve) => {
          options.signal.addEventListener("abort", () => resolve({ cancelled: true, timedOut: false }));
        });
      }
      write = () => true;
      resize = () => undefined;
      kill = () => undefined;
    };
    const folder = scratchFolder();
    const run = (more: Partial<OpenTerminalOptions> = {}) =>
      made.executor.runOnTerminal("vim", {
        cwd: folder,
        timeoutMs: 60_000,
        signal: new AbortController().signal,
        maxBytes: 1_000,
        onUpdate: () => undefined,
        onOpen: () => undefined,
        ...more,
      });
    return { ...made, run, started, ends, folder };
  }

  it("has the folder and variables that it is given, and none that steer a shell unless they are allowed", async () => {
    const { run, started, folder } = withTerminals();
    expect(await run({ env: { A: "1" } })).toMatchObject({ exitCode: 0, cancelled: false });
    expect(started[0]).toMatchObject({ cwd: folder, baseEnv: { A: "1", PATH: "/usr/bin:/bin" } });
    await expect(run({ env: { BASH_ENV: "/x" } })).rejects.toMatchObject({ code: "PI_INVALID_ENV" });
    await expect(run({ cwd: join(folder, "missing") })).rejects.toMatchObject({ code: "PI_MISSING_CWD" });
    expect(started).toHaveLength(1);
    const allowed = withTerminals({ "bash.environment.allow": ["BASH_ENV"] });
    await allowed.run({ env: { BASH_ENV: "/x" } });
    expect(allowed.started[0]?.baseEnv["BASH_ENV"]).toBe("/x");
  });

  it("is not started for a call that was aborted before", async () => {
    const { run, started } = withTerminals();
    expect(await run({ signal: AbortSignal.abort() })).toMatchObject({
      cancelled: true,
      output: "[Command cancelled]",
    });
    expect(started).toEqual([]);
  });

  it("ends with its call, or with the executor, which waits for it", async () => {
    const { run, started, ends, executor } = withTerminals();
    ends.now = undefined;
    const call = new AbortController();
    const first = run({ signal: call.signal });
    await until(() => started.length === 1, "the first program");
    call.abort();
    expect(await first).toMatchObject({ cancelled: true });
    const second = run();
    await until(() => started.length === 2, "the second program");
    expect(started[1]?.signal.aborted).toBe(false);
    await executor.dispose();
    expect(started[1]?.signal.aborted).toBe(true);
    expect(await second).toMatchObject({ cancelled: true });
    await expect(run()).rejects.toThrow("executor is disposed; create another one");
  });

  it("is where the session is that it is for", async () => {
    const far = new FakeNatives();
    const { run, started } = withTerminals({}, { placement: (key) => (key === "a" ? placeOf(far) : LOCAL) });
    await expect(run({ placeKey: "a" })).rejects.toThrow("far has no pseudoterminals");
    await run({ placeKey: "b" });
    expect(started).toHaveLength(1);
  });
  const LOCAL = { kind: "local", name: "local" } as const;
});

describe("the rule files of an executor", () => {
  const settings = { "secrets.mask": false, "shellMinimizer.settingsPath": "missing-rules.toml" };
  /** What is said of a rule file that is missing. */
  async function problem(natives: FakeNatives, ports: ExecutorPorts): Promise<string | undefined> {
    natives.minimizeOutputAsync = async () => null;
    natives.behaviour = async () => ended({ text: "a line of a build that says little\n".repeat(200) });
    const { executor } = make(settings, { natives, ...ports });
    const { notices = [] } = await executor.executeBash("make");
    return notices.find(({ kind }) => kind === "minimizer")?.text;
  }
  const missing = (folder: string) => expect.stringContaining(`\`${join(folder, "missing-rules.toml")}\` is not used`);

  it("are looked for from its folder on, or from that of the host", async () => {
    const cwd = join(scratchFolder(), "project");
    mkdirSync(cwd);
    expect(await problem(new FakeNatives(), { cwd })).toEqual(missing(cwd));
    expect(await problem(new FakeNatives(), {})).toEqual(missing(process.cwd()));
  });

  it("are those of this machine, where the commands run elsewhere", async () => {
    const natives = new FakeNatives();
    const place = placeOf(natives);
    expect(await problem(natives, { place, cwd: "/far" })).toEqual(missing(process.cwd()));
    expect(await problem(natives, { placement: () => place, cwd: "/far" })).toEqual(missing(process.cwd()));
  });
});

describe("a project's rule file", () => {
  const load = (folder: string) =>
    loadRuleFiles(Settings.parse({ "shellMinimizer.approvedRules": ["0".repeat(64)] }), folder, {});

  it("that is not there is no problem, whatever stands in its way", async () => {
    const folder = scratchFolder();
    expect(await load(folder)).toEqual({ texts: [], problems: [] });
    writeFileSync(join(folder, ".pi-bash"), "a file");
    expect(await load(folder)).toEqual({ texts: [], problems: [] });
  });

  it("that cannot be read is one", async () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, ".pi-bash"));
    const path = join(folder, PROJECT_RULES);
    symlinkSync(path, path);
    expect(await load(folder)).toEqual({
      texts: [],
      problems: [expect.stringMatching(/^The minimizer's rule file `.+` is not used: ELOOP/)],
    });
  });
});

it("a runtime that fails with another code than that of a missing addon is an error", async () => {
  const error = Object.assign(new Error("a defect"), { code: "PI_OTHER" });
  const natives = Object.assign(new FakeNatives(), {
    addonInfo: () => {
      throw error;
    },
  });
  const entries = { loadNatives: async () => natives, loadFallback: async () => natives };
  await expect(findBackend(entries)).rejects.toBe(error);
});

it("an executor names its settings as its host calls them", () => {
  const environment = (ports: ExecutorPorts) => () => make({ shellPath: "/nope" }, ports).executor.environment();
  expect(environment({ configName: "agent.json" })).toThrow("Please update shellPath in agent.json");
  expect(environment({})).toThrow("Please update shellPath in settings");
});
