/** Which place each session has, on places of the test's own: asked once, begun again, closed with their sessions. */
import { describe, expect, it, vi } from "vitest";
import type { ExecutorPorts } from "../src/executor.ts";
import type { OwnPlace, PlaceFacts, PlaceFiles, RemotePlace } from "../src/places/place.ts";
import { make } from "./support/executor.ts";
import { ended, FakeNatives } from "./support/fake-natives.ts";
import { deferred, until } from "./support/waiting.ts";

/** A place whose commands print its name and the folder that they begin in. */
function placeOf(name: string) {
  const natives = new FakeNatives();
  natives.behaviour = async () => ended({ text: `${name}\n` });
  const stat = vi.fn(
    async (path: string): ReturnType<PlaceFiles["stat"]> => ({
      kind: path.startsWith("/missing") ? "missing" : path === "/usr/bin/false" ? "file" : "directory",
    }),
  );
  const files = { stat, read: () => Promise.reject(new Error("none")), put: () => Promise.reject(new Error("none")) };
  const state: { facts: PlaceFacts; failure: Error | undefined; opened: number; awayMs: number | undefined } = {
    facts: {
      instance: "one",
      env: { PATH: "/far/bin", HOME: "/home/far" },
      home: "/home/far",
      cwd: "/work",
      bash: { path: "/far/bash" },
      folder: "/far",
      rttMs: 0,
    },
    failure: undefined,
    opened: 0,
    awayMs: undefined,
  };
  const place: RemotePlace = {
    kind: "remote",
    name,
    open: async () => {
      state.opened += 1;
      if (state.failure !== undefined) throw state.failure;
      const { facts, awayMs } = state;
      return { facts, natives, files: files as unknown as PlaceFiles, ...(awayMs === undefined ? {} : { awayMs }) };
    },
  };
  return { place, natives, state, stat };
}
const open = (ports: ExecutorPorts) => make({ "secrets.mask": false }, ports).executor;

describe("the place of a session", () => {
  it("begins in its folder, with its shell and its environment, and says so once a session", async () => {
    const { place, natives, state } = placeOf("far");
    const executor = open({ place });
    const results = [
      await executor.executeBash("ls"),
      await executor.executeBash("ls"),
      await executor.executeBash("ls", { sessionKey: "b" }),
    ];

    expect(
      results.map(({ output, place: where, notices }) => [output, where, notices?.map(({ text }) => text)]),
    ).toEqual([
      ["far\n", "far", ["Commands of this session run on far; paths are of that machine."]],
      ["far\n", "far", undefined],
      ["far\n", "far", ["Commands of this session run on far; paths are of that machine."]],
    ]);
    expect(natives.shells[0]?.options).toMatchObject({ shell: "/far/bash", cwd: "/work" });
    expect(natives.shells[0]?.options.baseEnv).toMatchObject({
      PATH: "/far/bin",
      SHELL: "/far/bash",
      GIT_ASKPASS: "/usr/bin/false",
    });
    expect([state.opened, executor.stats()]).toEqual([3, { sessions: 2, idle: 2, quarantined: 0 }]);
  });

  it("has the executor's folder where one is given, and what stands at a path is asked there", async () => {
    const { place, natives, stat } = placeOf("far");
    const executor = open({ place, cwd: "/other" });
    const found = await executor.placeOf();
    expect(found).toMatchObject({ name: "far", cwd: "/other", home: "/home/far" });
    expect(found?.terminal).toBeUndefined();
    expect(await found?.stat("/missing/x")).toEqual({ kind: "missing" });
    await executor.executeBash("ls", { cwd: "sub" });
    expect(stat).toHaveBeenCalledWith("/other/sub");
    expect(natives.shells[0]?.options.cwd).toBe("/other");
    await expect(executor.executeBash("ls", { cwd: "/missing", sessionKey: "b" })).rejects.toThrow(
      "Working directory does not exist on far: /missing",
    );
    expect(natives.shells).toHaveLength(1);
  });

  it.each([
    [undefined, "far has no bash"],
    ["it is too old", "far has no bash: it is too old"],
  ])("without a bash is none: %s", async (bashError, message) => {
    const { place, state } = placeOf("far");
    const { bash: _, ...facts } = state.facts;
    state.facts = { ...facts, ...(bashError === undefined ? {} : { bashError }) };
    await expect(open({ place }).executeBash("ls")).rejects.toMatchObject({ code: "PI_SHELL_NOT_FOUND", message });
  });

  it("that cannot be reached is tried again by the next command", async () => {
    const { place, state } = placeOf("far");
    const executor = open({ place });
    state.failure = new Error("no route");
    await expect(executor.executeBash("ls")).rejects.toThrow("no route");
    expect(await executor.confinement()).toEqual({ available: false, reason: "no route" });
    state.failure = undefined;

    expect((await executor.executeBash("ls")).output).toBe("far\n");
  });

  it("that answers as another instance begins again, and each session's next result says once what it lost", async () => {
    const { place, state, natives } = placeOf("far");
    const executor = open({ place });
    for (const sessionKey of ["a", "b"]) await executor.executeBash("ls", { sessionKey });
    state.facts = { ...state.facts, instance: "two" };
    const resets: (boolean | undefined)[] = [];
    for (const sessionKey of ["a", "a", "c", "b", "b"]) {
      resets.push((await executor.executeBash("ls", { sessionKey })).sessionReset);
    }

    expect(resets).toEqual([true, undefined, undefined, true, undefined]);
    await until(() => natives.shells.filter(({ isClosed }) => isClosed).length === 2, "the old shells to be closed");
    expect(executor.stats().sessions).toBe(3);
  });

  it("that was lost twice says so once, and of a session that was closed nothing", async () => {
    const { place, state } = placeOf("far");
    const executor = open({ place });
    for (const sessionKey of ["a", "b", "c"]) await executor.executeBash("ls", { sessionKey });
    state.facts = { ...state.facts, instance: "two" };
    await executor.executeBash("ls", { sessionKey: "c" });
    await executor.closeSession("b");
    state.facts = { ...state.facts, instance: "three" };
    const resets: (boolean | undefined)[] = [];
    for (const sessionKey of ["a", "a", "b", "c"]) {
      resets.push((await executor.executeBash("ls", { sessionKey })).sessionReset);
    }

    expect(resets).toEqual([true, undefined, undefined, true]);
  });
});

describe("a placement", () => {
  it("is asked once for a key, again when its session was closed, and again where it failed", async () => {
    const { place } = placeOf("far");
    let isFailing = true;
    const placement = vi.fn(async () => {
      if (isFailing) throw new Error("undecided");
      return place;
    });
    const executor = open({ placement });
    await expect(executor.executeBash("ls", { sessionKey: "a" })).rejects.toThrow("undecided");
    isFailing = false;
    for (let turn = 0; turn < 3; turn += 1) await executor.executeBash("ls", { sessionKey: "a" });
    expect(placement.mock.calls).toEqual([["a"], ["a"]]);
    await executor.closeSession("a");
    await executor.executeBash("ls", { sessionKey: "a" });

    expect(placement).toHaveBeenCalledTimes(3);
  });

  it("leads to this machine or to places beside each other, and a job is where its agent is", async () => {
    const places = { a: placeOf("one").place, b: placeOf("two").place } as Record<string, RemotePlace>;
    const { executor, natives } = make(
      {},
      { placement: (key) => places[key ?? ""] ?? { kind: "local", name: "local" } },
    );
    natives.behaviour = async () => ended({ text: "here\n" });
    const outputs: string[] = [];
    for (const sessionKey of ["a", "b", "c"]) outputs.push((await executor.executeBash("ls", { sessionKey })).output);
    expect(outputs).toEqual(["one\n", "two\n", "here\n"]);
    expect(await executor.placeOf("c")).toBeUndefined();

    expect((await executor.executeBash("ls", { sessionKey: "job", placeKey: "b" })).output).toBe("two\n");
    expect(executor.stats().sessions).toBe(4);
    await executor.closeSession("job");
    expect(executor.stats().sessions).toBe(3);
  });
});

describe("places that sessions have for themselves", () => {
  function own() {
    const closed: string[] = [];
    const made: OwnPlace[] = [];
    const shared: RemotePlace = {
      ...placeOf("shared").place,
      forSession: (key) => {
        const name = `own-${String(key)}`;
        const one = { ...placeOf(name).place, close: async () => void closed.push(name) };
        made.push(one);
        return one;
      },
    };
    return { shared, closed, made };
  }

  it("are made once for each, closed with it, and all when the executor is", async () => {
    const { shared, closed, made } = own();
    const executor = open({ place: shared });
    for (const sessionKey of ["a", "b", "a"]) await executor.executeBash("ls", { sessionKey });
    await executor.closeSession("a");
    expect([made.length, closed, executor.stats().sessions]).toEqual([2, ["own-a"], 1]);
    await executor.closeSession("a");
    expect(closed).toEqual(["own-a"]);
    await executor.dispose();
    expect(closed).toEqual(["own-a", "own-b"]);
  });

  it("are not made for an executor that was disposed of meanwhile", async () => {
    const { shared, closed, made } = own();
    const chosen = deferred<RemotePlace>();
    const executor = open({ placement: () => chosen.promise });
    const running = executor.executeBash("ls", { sessionKey: "a" });
    const refused = expect(running).rejects.toThrow("executor is disposed; create another one");
    await executor.dispose();
    chosen.resolve(shared);
    await refused;

    expect([made.length, closed.length]).toEqual([0, 0]);
  });
});
