/** The ends of a command that its runtime does not report as it should, and where relative paths of refusals begin. */
import { writeFileSync } from "node:fs";
import type { SettingsInput } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import type { ExecuteBashOptions } from "../src/command-run.ts";
import type { RunResult } from "../src/natives-port.ts";
import type { PlaceFiles, RemotePlace } from "../src/places/place.ts";
import { make } from "./support/executor.ts";
import { ended, FakeNatives, never } from "./support/fake-natives.ts";
import { deferred, until } from "./support/waiting.ts";

const REPORT = { mode: "workspace-write", backend: "bubblewrap", network: false, degraded: [] } as const;
const REFUSED = ended({ text: "a: 'x/y': Read-only file system\n" }, { exitCode: 1, sandbox: REPORT as never });

/** A place whose commands end so. */
function placeOf(behaviour: FakeNatives["behaviour"]): RemotePlace {
  const natives = new FakeNatives();
  natives.behaviour = behaviour;
  const files = { stat: async () => ({ kind: "directory" as const }) } as unknown as PlaceFiles;
  const facts = {
    instance: "1",
    env: { PATH: "/bin" },
    cwd: "/w",
    bash: { path: "/bin/bash" },
    folder: "/f",
    rttMs: 0,
  };
  return { kind: "remote", name: "far", open: async () => ({ facts, natives, files }) };
}

describe("a command that does not settle", () => {
  const hanging = () => {
    const made = make({}, { graceMs: 20 });
    made.natives.behaviour = ({ options }) => {
      options.sink?.onUpdate?.("seen\n", { bytes: 9, lines: 3 });
      return never();
    };
    return made;
  };
  const counts = { truncated: true, totalBytes: 9, totalLines: 3, outputBytes: 5, outputLines: 1 };

  const seen = (how: string) => new RegExp(`^\\[Command ${how}; the shell backend did not respond, .+\\]\\nseen\\n$`);

  it.each<[string, ExecuteBashOptions, string]>([
    ["at its deadline", { timeoutMs: 20 }, "0.02"],
    ["at its caller's own deadline", { timeoutMs: 30, onTimeout: () => "kill" }, "0.03"],
    [
      "at the end of the life that its caller gave it",
      { timeoutMs: 20, onTimeout: () => "background", lifetimeMs: 40 },
      "0.04",
    ],
  ])("is given up %s, with what was seen last", async (_, options, seconds) => {
    const { executor } = hanging();
    const result = await executor.executeBash("x", options);

    expect(result).toMatchObject({ ...counts, cancelled: true, timedOut: true, sessionReset: true });
    expect(result.output).toMatch(seen(`timed out after ${seconds} seconds`));
    expect(result.wallTimeMs).toBeGreaterThanOrEqual(20);
    // Of this call, not of the process.
    expect(result.wallTimeMs).toBeLessThan(performance.now());
    expect(executor.stats()).toEqual({ sessions: 0, idle: 0, quarantined: 1 });
  });

  it("is given up after an abort, with what was seen last", async () => {
    const { natives, executor } = hanging();
    const call = new AbortController();
    const running = executor.executeBash("x", { signal: call.signal });
    await until(() => natives.runs.length === 1, "the command");
    call.abort();
    const result = await running;

    expect(result).toMatchObject({ ...counts, cancelled: true, sessionReset: true });
    expect(result.output).toMatch(seen("cancelled"));
    expect(result).not.toHaveProperty("timedOut");
  });

  it("names in its result the file of what it wrote, as far as there is something in it", async () => {
    const { executor, natives } = hanging();
    natives.behaviour = ({ options }) => {
      writeFileSync(options.sink?.spillPath ?? "", "begun");
      return never();
    };
    const result = await executor.executeBash("x", { timeoutMs: 20 });
    expect(result.artifactError).toMatch(/^the run did not report what it saved; the beginning is in artifact:/);
  });
});

it.each([
  ["that is followed", { isFollowed: true }, true],
  ["that is not followed", { isFollowed: false }, undefined],
  ["of which nothing is said", {}, undefined],
])("a command %s has its file from the first byte on, or only where it needs one", async (_, options, expected) => {
  const { natives, executor } = make();
  await executor.executeBash("x", options);
  expect(natives.runs[0]?.options.sink?.spillFromStart).toBe(expected);
});

describe("a command whose end is not known", () => {
  it("is lost, with what was seen last, and its session with it", async () => {
    const lost = Object.assign(new Error("the place was cut off"), { code: "PI_PLACE_LOST" });
    const place = placeOf(({ options }) => {
      options.sink?.onUpdate?.("seen\n", { bytes: 5, lines: 1 });
      return Promise.reject(lost);
    });
    const { executor } = make({ "secrets.mask": false }, { place });
    const result = await executor.executeBash("x");

    expect(result).toMatchObject({
      output: "[the place was cut off]\nseen\n",
      lost: true,
      cancelled: true,
      place: "far",
    });
    expect(result.wallTimeMs).toBeGreaterThanOrEqual(0);
    expect(result.wallTimeMs).toBeLessThan(performance.now());
    expect(executor.stats()).toEqual({ sessions: 0, idle: 0, quarantined: 0 });
  });
});

it.each<[string, unknown]>([
  ["without a code", new Error("broken")],
  ["with another code", Object.assign(new Error("broken"), { code: "PI_PLACE_GONE" })],
  ["that is not an error", { code: "PI_PLACE_LOST", message: "broken" }],
])("a command that is rejected %s is not lost", async (_, error) => {
  const { executor } = make({ "secrets.mask": false }, { place: placeOf(() => Promise.reject(error)) });
  await expect(executor.executeBash("x")).rejects.toBe(error);
  expect(await executor.artifacts.list()).toEqual([]);
});

describe("a path that a refusal names", () => {
  type Where = "inside" | "outside" | undefined;
  it.each<[string, Where, Where, Where, string]>([
    ["where its command ended", "inside", "outside", "outside", "protected-path"],
    ["where its command ended, outside", "outside", "inside", "inside", "read-only-path"],
    ["where its command was to run", undefined, "inside", "outside", "protected-path"],
    ["where its command was to run, outside", undefined, "outside", "inside", "read-only-path"],
    ["where its session began", undefined, undefined, "inside", "protected-path"],
  ])("begins %s", async (_, workingDir, cwd, first, kind) => {
    const [inside, outside] = [scratchFolder(), scratchFolder()];
    const of = (where: Where) => (where === undefined ? undefined : { inside, outside }[where]);
    const settings: SettingsInput = { sandboxMode: "workspace-write", "sandbox.writablePaths": [inside] };
    const { natives, executor } = make(settings, { cwd: of(first) ?? "/" });
    // A session may write to its first folder; here only what is inside counts.
    natives.behaviour = async ({ shell }) => {
      const { sandbox } = shell?.options ?? {};
      if (sandbox !== undefined) Object.assign(sandbox, { writablePaths: [inside] });
      const ends = of(workingDir);
      return ends === undefined ? REFUSED : { ...REFUSED, workingDir: ends };
    };
    const folder = of(cwd);
    const { sandbox } = await executor.executeBash("x", folder === undefined ? {} : { cwd: folder });
    expect(sandbox?.refusals?.map((refusal) => refusal.kind)).toEqual([kind]);
  });

  it("of a read-only run begins at the same folder", async () => {
    const { natives, executor } = make();
    const inside = scratchFolder();
    natives.readOnly = { available: true, degraded: [] };
    const text = "touch: cannot touch 'new': Permission denied\n";
    const run = { exitCode: 1, readOnly: { degraded: [], stateDropped: false } };
    natives.behaviour = async () => ended({ text }, { ...run, workingDir: inside });
    const kinds = async (options: ExecuteBashOptions) => {
      const { readOnly } = await executor.executeBash("x", { readOnly: true, ...options });
      return readOnly?.enforced === true ? readOnly.refusals.map(({ kind }) => kind) : undefined;
    };
    expect(await kinds({ cwd: "/" })).toEqual(["read-only-path"]);
    natives.behaviour = async () => ended({ text }, { ...run, workingDir: `${inside}/not/there` });
    expect(await kinds({ cwd: inside })).toEqual([]);
  });

  it("is not looked up for a command on a place", async () => {
    const { executor } = make({ "secrets.mask": false }, { place: placeOf(async () => REFUSED) });
    expect((await executor.executeBash("x")).sandbox).toStrictEqual(REPORT);
  });
});

describe("a command in a copy", () => {
  it("does not run read-only where its runtime makes none any more", async () => {
    const { natives, executor } = make();
    natives.readOnly = { available: true, degraded: [] };
    const end = deferred<RunResult>();
    natives.behaviour = () => end.promise;
    const first = executor.executeBash("sleep");
    await until(() => natives.runs.length === 1, "the first command");
    const onTurn = (): void => {
      natives.canClone = false;
    };
    const refused = executor.executeBash("ls", { readOnly: true, overlap: "clone", onTurn });
    await expect(refused).rejects.toMatchObject({
      code: "PI_READ_ONLY_UNAVAILABLE",
      reason: "this backend makes no copies of a session",
    });

    expect(natives.runs).toHaveLength(1);
    end.resolve(ended());
    await first;
  });
});
