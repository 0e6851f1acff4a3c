/** What is kept of places: how many keys, what a failure leaves alone, and places that answer too late. */
import { Settings } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { Bases } from "../src/places/bases.ts";
import type { OpenedPlace, OwnPlace, Place, PlaceFacts, PlaceFiles, RemotePlace } from "../src/places/place.ts";
import { Secrets } from "../src/secrets.ts";
import { FakeNatives } from "./support/fake-natives.ts";
import { deferred, until } from "./support/waiting.ts";

const FACTS: PlaceFacts = {
  instance: "one",
  env: { PATH: "/bin" },
  cwd: "/work",
  bash: { path: "/far/bash" },
  folder: "/far",
  rttMs: 0,
};
const FILES = { stat: async () => ({ kind: "missing" as const }) } as unknown as PlaceFiles;

function basesOf(ports: { place?: Place; placement?: (key: string | undefined) => Place | Promise<Place> }): Bases {
  const settings = Settings.parse({ "secrets.mask": false });
  const secrets = new Secrets({ settings, hostEnv: {}, natives: undefined });
  const natives = new FakeNatives();
  return new Bases({ settings, ports: { natives, ...ports }, hostEnv: { PATH: "/usr/bin:/bin" }, secrets }, ports);
}

/** A place; what it says of itself may be changed. */
function placeOf(name: string) {
  const natives = new FakeNatives();
  const state: { facts: PlaceFacts; answer: Promise<unknown> } = { facts: FACTS, answer: Promise.resolve() };
  const place: RemotePlace = {
    kind: "remote",
    name,
    open: async (): Promise<OpenedPlace> => {
      await state.answer;
      return { facts: state.facts, natives, files: FILES };
    },
  };
  return { place, natives, state };
}

/** A place that makes one for each session; the keys of those that were closed. */
function sharing() {
  const closed: (string | undefined)[] = [];
  const opened: (string | undefined)[] = [];
  const place: RemotePlace = {
    ...placeOf("shared").place,
    forSession: (key): OwnPlace => {
      const own = placeOf(`own-${String(key)}`).place;
      return {
        ...own,
        open: (options) => {
          opened.push(key);
          return own.open(options);
        },
        close: async () => void closed.push(key),
      };
    },
  };
  return { place, closed, opened };
}

describe("places of keys", () => {
  it("are remembered up to 4,096; the oldest one of its own is closed for the next", async () => {
    const { place, closed } = sharing();
    const bases = basesOf({ place });
    for (let at = 0; at < 4_096; at += 1) await bases.placeOf(`k${at}`);
    await bases.placeOf("k0");
    expect(closed).toEqual([]);
    const [second, third] = [await bases.placeOf("k1"), await bases.placeOf("k2")];
    await bases.placeOf("new");
    await until(() => closed.length > 0, "a place to be closed");

    expect([await bases.placeOf("k1"), await bases.placeOf("k2")]).toEqual([second, third]);
    expect(closed).toEqual(["k0"]);
  });

  it("of its own are closed also where no command ran there, once, and nothing is opened for that", async () => {
    const { place, closed, opened } = sharing();
    const bases = basesOf({ place });
    for (const key of ["a", "b"]) await bases.placeOf(key);
    await bases.forget("unknown")();
    expect(closed).toEqual([]);
    const release = bases.forget("b");
    await release();
    await release();

    expect([closed, opened]).toEqual([["b"], []]);
  });

  it("that sessions share are not closed with one of them", async () => {
    const { place } = placeOf("far");
    const bases = basesOf({ placement: () => place });
    const base = await bases.of("a");
    await bases.forget("a")();

    expect(await bases.of("b")).toBe(base);
  });

  it("whose choice is under way and fails have no base, and a session may be closed meanwhile", async () => {
    const chosen = deferred<Place>();
    const bases = basesOf({ placement: () => chosen.promise });
    const failing = expect(bases.placeOf("a")).rejects.toThrow("undecided");
    const existing = bases.existing("a");
    const release = bases.forget("a");
    chosen.reject(new Error("undecided"));
    await failing;

    expect(await existing).toBeUndefined();
    await expect(release()).resolves.toBeUndefined();
  });
});

describe("a base", () => {
  it("is there for a key that had one, or is where another one is, and for no other key", async () => {
    const places = { a: placeOf("one").place, b: placeOf("two").place } as Record<string, RemotePlace>;
    const bases = basesOf({ placement: (key) => places[key ?? ""] ?? { kind: "local", name: "local" } });
    const [one, two, job] = [await bases.of("a"), await bases.of("b"), await bases.of("job", { like: "b" })];

    expect([one.place?.name, two.place?.name, job === two]).toEqual(["one", "two", true]);
    expect(await Promise.all(["a", "b", "job", "c"].map((key) => bases.existing(key)))).toEqual([
      one,
      two,
      two,
      undefined,
    ]);
    await bases.forget("job")();
    expect(await bases.existing("job")).toBeUndefined();
  });

  it("that could not be made is made again, and costs no other place its own", async () => {
    const [good, bad] = [placeOf("good"), placeOf("bad")];
    const bases = basesOf({ placement: (key) => (key === "a" ? good : bad).place });
    const base = await bases.of("a");
    const { bash: _, ...without } = FACTS;
    bad.state.facts = without;
    await expect(bases.of("b")).rejects.toThrow("bad has no bash");
    expect(await bases.existing("b")).toBeUndefined();
    bad.state.facts = FACTS;

    expect((await bases.of("b")).place?.name).toBe("bad");
    expect(await bases.of("a")).toBe(base);
  });

  it("is not made at a place that answers after the executor has ended", async () => {
    const { place, state, natives } = placeOf("far");
    const answer = deferred<void>();
    state.answer = answer.promise;
    const bases = basesOf({ place });
    const opening = expect(bases.of("a")).rejects.toThrow("executor is disposed; create another one");
    expect(await bases.close()).toEqual([]);
    answer.resolve();
    await opening;

    expect(natives.shells).toEqual([]);
  });

  it("of each place is among those to be ended, and one that could not be made is not", async () => {
    const [good, bad] = [placeOf("good"), placeOf("bad")];
    const bases = basesOf({
      placement: (key) => (key === "here" ? { kind: "local", name: "local" } : (key === "a" ? good : bad).place),
    });
    const [near, far] = [await bases.of("here"), await bases.of("a")];
    bad.state.facts = { ...FACTS, bash: undefined } as unknown as PlaceFacts;
    await bases.of("b").catch(() => undefined);

    expect(await bases.close()).toEqual([near, far]);
  });

  it("counts with the others' shells, until another instance answers for its place", async () => {
    const { place, state, natives } = placeOf("far");
    const bases = basesOf({ placement: (key) => (key === "here" ? { kind: "local", name: "local" } : place) });
    const take = async (key: string) => (await bases.of(key)).pool.acquire(key, {}, { mayClone: false });
    (await take("here"))?.release();
    (await take("a"))?.release();
    await take("b");
    expect(bases.stats()).toEqual({ sessions: 3, idle: 2, quarantined: 0 });
    const hanging = deferred<void>();
    (await take("c"))?.quarantine(hanging.promise);
    expect(bases.stats()).toEqual({ sessions: 3, idle: 2, quarantined: 1 });
    state.facts = { ...FACTS, instance: "two" };
    await bases.of("a");
    await until(() => bases.stats().quarantined === 0, "the old base to be ended");
    expect(bases.stats()).toEqual({ sessions: 1, idle: 1, quarantined: 0 });
    hanging.resolve();

    expect(natives.shells.map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
    expect([await bases.takeLoss("a"), await bases.takeLoss("a"), await bases.takeLoss("x")]).toEqual([
      true,
      false,
      false,
    ]);
    await bases.forget("b")();
    expect(await bases.takeLoss("b")).toBe(false);
  });
});
