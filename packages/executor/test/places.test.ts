/** Sessions on places, with places of this machine's own engine: what the executor does with them, and with their failures. */
import * as natives from "@pi-bash/natives";
import { ssh } from "@pi-bash/places";
import { describe, expect, it, onTestFinished } from "vitest";
import { createExecutor, type ExecutorPorts, type Place, type PlaceFiles, type RemotePlace } from "../src/index.ts";

const FILES: PlaceFiles = {
  read: () => Promise.reject(new Error("there is no file")),
  remove: () => Promise.resolve(),
  stat: (path) => Promise.resolve({ kind: path.startsWith("/nowhere") ? "missing" : "directory" }),
  put: () => Promise.reject(new Error("it takes no file")),
};

interface Fake extends RemotePlace {
  /** What it says it is; another one: it was restarted. */
  instance: string;
  /** What a connection ends with. */
  failure?: Error;
}

/** A place that runs commands on this machine. */
function fakePlace(name: string, engine: Partial<typeof natives> = {}): Fake {
  const place: Fake = {
    kind: "remote",
    name,
    instance: "one",
    open: async () => {
      if (place.failure !== undefined) throw place.failure;
      const facts = {
        instance: place.instance,
        env: { PATH: process.env["PATH"] ?? "", WHERE: name },
        cwd: "/",
        bash: { path: "/bin/bash" },
        folder: "/nowhere",
        rttMs: 0,
      };
      return { facts, natives: { ...natives, ...engine }, files: FILES };
    },
  };
  return place;
}

function open(ports: ExecutorPorts) {
  const executor = createExecutor({}, { usesSnapshot: false, ...ports });
  onTestFinished(() => executor.dispose());
  return executor;
}

describe("an executor with places", () => {
  it("takes the ones of `@pi-bash/places`", () => {
    const place: Place = ssh("build7");
    expect(place).toMatchObject({ kind: "remote", name: "ssh:build7" });
  });

  it("asks for the place of a session key once, and again when the session was closed", async () => {
    const asked: (string | undefined)[] = [];
    const [near, far]: Place[] = [{ kind: "local", name: "local" }, fakePlace("far")];
    const executor = open({
      placement: (key) => {
        asked.push(key);
        return (key === "a" ? far : near) as Place;
      },
    });

    const results = [];
    for (const sessionKey of ["a", "b", "a", "b"])
      results.push(await executor.executeBash("echo [$WHERE]", { sessionKey }));
    await executor.closeSession("a");
    await executor.executeBash("true", { sessionKey: "a" });

    expect(results.map(({ output, place }) => [output, place])).toEqual([
      ["[far]\n", "far"],
      ["[]\n", undefined],
      ["[far]\n", "far"],
      ["[]\n", undefined],
    ]);
    expect(asked).toEqual(["a", "b", "a"]);
    expect(await executor.placeOf("b")).toBeUndefined();
    expect(await executor.placeOf("a")).toMatchObject({ name: "far", cwd: "/" });
  });

  it("runs nothing where the connection stands only after it was disposed", async () => {
    const place = fakePlace("far");
    let connect: () => void = () => undefined;
    const connected = new Promise<void>((resolve) => {
      connect = resolve;
    });
    let runs = 0;
    class Shell extends natives.Shell {
      override run(...args: Parameters<natives.Shell["run"]>) {
        runs += 1;
        return super.run(...args);
      }
    }
    const { open: openPlace } = fakePlace("far", { Shell });
    place.open = () => connected.then(() => openPlace());
    const executor = open({ place });
    const call = executor.executeBash("true").catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    await executor.dispose();
    connect();
    expect(await call).toMatchObject({ message: "executor is disposed; create another one" });
    expect({ runs, ...executor.stats() }).toMatchObject({ runs: 0, sessions: 0 });
  });

  it("gives each session a place of its own where sessions do not share one, and ends it with the session", async () => {
    const closed: string[] = [];
    let made = 0;
    const shared: Place = {
      ...fakePlace("far"),
      forSession: (key) => {
        made += 1;
        const place = fakePlace(`far-${String(key)}-${made}`);
        return { ...place, close: async () => void closed.push(place.name) };
      },
    };
    const executor = open({ place: shared });
    const where = async (sessionKey: string, placeKey?: string) =>
      (await executor.executeBash("echo $WHERE", { sessionKey, ...(placeKey === undefined ? {} : { placeKey }) }))
        .output;

    expect([await where("a"), await where("b"), await where("a")]).toEqual(["far-a-1\n", "far-b-2\n", "far-a-1\n"]);
    expect(await where("job-of-a", "a")).toBe("far-a-1\n");
    await executor.closeSession("job-of-a");
    expect(closed).toEqual([]);
    await executor.closeSession("a");
    expect(closed).toEqual(["far-a-1"]);
    expect(await where("a")).toBe("far-a-3\n");
    await executor.dispose();
    expect(closed.toSorted()).toEqual(["far-a-1", "far-a-3", "far-b-2"]);
  });

  it("ends the place of a session that is closed while it is being connected", async () => {
    let isClosed = false;
    const place = fakePlace("far");
    const executor = open({
      placement: () => ({
        ...place,
        forSession: () => ({
          ...place,
          open: ({ signal } = {}) =>
            new Promise((_, reject) => signal?.addEventListener("abort", () => reject(new Error("given up")))),
          close: async () => {
            isClosed = true;
          },
        }),
      }),
    });
    const abort = new AbortController();
    const call = executor.executeBash("true", { sessionKey: "a", signal: abort.signal });
    await executor.closeSession("a");
    expect(isClosed).toBe(true);
    abort.abort();
    expect(await call).toMatchObject({ cancelled: true });
  });

  it("masks this host's value of a name that the place has, too", async () => {
    const place = fakePlace("far");
    const { open: openPlace } = place;
    const [near, far] = ["near-zz9-Plural-Z-Alpha", "far-zz9-Plural-Z-Alpha"];
    place.open = async () => {
      const opened = await openPlace();
      return { ...opened, facts: { ...opened.facts, env: { ...opened.facts.env, OPENAI_API_KEY: far } } };
    };
    const executor = open({ place, hostEnv: { ...process.env, OPENAI_API_KEY: near } });
    const { output } = await executor.executeBash(`echo ${near} ${far}`);
    expect(output).toBe("[masked: OPENAI_API_KEY] [masked: OPENAI_API_KEY]\n");
  });

  it("says once a session where its commands run", async () => {
    const executor = open({ place: fakePlace("far") });
    const notices = async (sessionKey: string) =>
      (await executor.executeBash("true", { sessionKey })).notices?.length ?? 0;
    expect([await notices("a"), await notices("a"), await notices("b")]).toEqual([1, 0, 1]);
  });

  it("looks for a folder over there before it starts anything", async () => {
    const executor = open({ place: fakePlace("far") });
    await expect(executor.executeBash("true", { cwd: "/nowhere" })).rejects.toMatchObject({
      code: "PI_MISSING_CWD",
      message: "Working directory does not exist on far: /nowhere",
    });
    expect(executor.stats().sessions).toBe(0);
  });

  it("tells each session once that its state went with the place", async () => {
    const place = fakePlace("far");
    const executor = open({ place });
    await executor.executeBash("A=1", { sessionKey: "a" });
    await executor.executeBash("A=1", { sessionKey: "b" });
    place.instance = "two";

    const after = [];
    for (const sessionKey of ["a", "a", "b", "c"]) after.push(await executor.executeBash("echo [$A]", { sessionKey }));

    expect(after.map(({ output, sessionReset }) => [output, sessionReset])).toEqual([
      ["[]\n", true],
      ["[]\n", undefined],
      ["[]\n", true],
      ["[]\n", undefined],
    ]);
    expect(executor.stats().sessions).toBe(3);
  });

  it("makes a result of a command whose end is not known, and begins again after it", async () => {
    let isCut = true;
    class Cut extends natives.Shell {
      override run(...args: Parameters<natives.Shell["run"]>): Promise<natives.ShellRunResult> {
        if (!isCut) return super.run(...args);
        isCut = false;
        return Promise.reject(Object.assign(new Error("The connection to far was cut."), { code: "PI_PLACE_LOST" }));
      }
    }
    const executor = open({ place: fakePlace("far", { Shell: Cut }) });

    expect(await executor.executeBash("echo x")).toMatchObject({
      output: "[The connection to far was cut.]",
      lost: true,
      cancelled: true,
      sessionReset: true,
      place: "far",
    });
    expect(await executor.executeBash("echo x")).toMatchObject({ output: "x\n", sessionReset: true });
  });

  it("says beside the result that the connection was away, with what else is said of the session", async () => {
    const placeNotice = "The connection to far was away for 41 s; the command went on.";
    class Away extends natives.Shell {
      override async run(...args: Parameters<natives.Shell["run"]>) {
        return { ...(await super.run(...args)), placeNotice };
      }
    }
    const executor = open({ place: fakePlace("far", { Shell: Away }) });
    const texts = async () => (await executor.executeBash("echo x")).notices?.map(({ kind, text }) => [kind, text]);
    expect(await texts()).toEqual([
      ["place", placeNotice],
      ["place", "Commands of this session run on far; paths are of that machine."],
    ]);
    expect(await texts()).toEqual([["place", placeNotice]]);
  });

  it("waits past a deadline for a place that may be away, and not past a cancel", async () => {
    class Mute extends natives.Shell {
      override run(): Promise<natives.ShellRunResult> {
        return new Promise(() => undefined);
      }
    }
    const place = fakePlace("far", { Shell: Mute });
    const { open: before } = place;
    const executor = open({
      // The place itself is given 4 s more.
      graceMs: -4_000,
      place: Object.assign(place, { open: async () => ({ ...(await before()), awayMs: 1_000 }) }),
    });
    const from = performance.now();
    const late = await executor.executeBash("x", { timeoutMs: 50 });
    expect(late).toMatchObject({ timedOut: true, output: expect.stringContaining("did not respond") });
    expect(performance.now() - from).toBeGreaterThan(1_000);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const cancelled = await executor.executeBash("x", { timeoutMs: 60_000, signal: stop.signal });
    expect(cancelled).toMatchObject({ cancelled: true, output: expect.stringContaining("did not respond") });
    expect(performance.now() - from).toBeLessThan(10_000);
  });

  it("rejects with the reason where a place cannot be reached, and tries again with the next command", async () => {
    const place = fakePlace("far");
    const executor = open({ place });
    place.failure = Object.assign(new Error("far cannot be reached"), { code: "PI_PLACE_UNREACHABLE" });
    await expect(executor.executeBash("true")).rejects.toMatchObject({ code: "PI_PLACE_UNREACHABLE" });
    expect(await executor.confinement()).toEqual({ available: false, reason: "far cannot be reached" });
    delete place.failure;
    expect(await executor.executeBash("true")).toMatchObject({ exitCode: 0 });
  });

  it("names a place that has no bash", async () => {
    const place = fakePlace("far");
    const { open: before } = place;
    const bare: RemotePlace = {
      ...place,
      open: async () => {
        const opened = await before();
        const { bash: _, ...facts } = opened.facts;
        return { ...opened, facts: { ...facts, bashError: "no bash in /bin or /usr/bin" } };
      },
    };
    await expect(open({ place: bare }).executeBash("true")).rejects.toThrow("far has no bash: no bash in /bin");
  });
});
