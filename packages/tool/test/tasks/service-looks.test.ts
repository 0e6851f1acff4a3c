/** The looks at a service that the test plays: its lines, its unfinished line, and a place that is asked. */
import type { FollowReport, SessionPlace } from "@pi-bash/executor";
import { describe, expect, it, vi } from "vitest";
import { httpTarget, probeHttp } from "../../src/tasks/service-probe.ts";
import { awaitReady, toReadiness } from "../../src/tasks/service-ready.ts";
import { desk } from "../support/played-desk.ts";
import { type PlayedAnswer, playedScene } from "../support/played-executor.ts";
import { thrown } from "../support/session.ts";

/** What a wait for `up` comes to. `found`: what the filter gives; `newest`: the end of the output at each look. */
async function waited(found: Partial<FollowReport["output"]> | undefined, newest: (look: number) => string = () => "") {
  const { manager, session, play } = await desk();
  const { id } = play();
  const follow = manager.follow.bind(manager);
  const readers = new Set<string>();
  vi.spyOn(manager, "follow").mockImplementation(async (jobId, options) => {
    const report = await follow(jobId, options);
    if (options.filter === undefined || report === undefined) return report;
    readers.add(options.reader);
    expect(options).toMatchObject({ filter: "up", timeoutMs: 0, wakesOnOutput: true });
    return found === undefined ? undefined : { ...report, output: { text: "", isIncomplete: false, ...found } };
  });
  const read = manager.read.bind(manager);
  let looks = 0;
  vi.spyOn(manager, "read").mockImplementation((...asked) => {
    const entry = read(...asked);
    looks += 1;
    return entry === undefined ? undefined : { ...entry, text: newest(looks) };
  });
  const end = await awaitReady({ jobId: id, manager, session, cwd: "/" }, toReadiness({ log: "up", timeout_secs: 1 }), {
    startedAtMs: Date.now(),
  });
  expect(readers.size).toBe(1);
  return end;
}

describe("a line that is waited for", () => {
  it.each([{ matches: 1 }, { text: "up\n" }, { matches: 2, text: "up\nup\n" }])(
    "is there where the filter found it: %j",
    async (found) => {
      expect(await waited(found)).toMatchObject({ kind: "ready", isAssumed: false });
    },
  );

  it("is not there where the filter found nothing, and nothing stands in the last line", async () => {
    for (const newest of ["", "up\n", "down"])
      expect(await waited({}, () => newest)).toMatchObject({
        kind: "not_ready",
        unmet: ["log /up/ (no line matches)"],
        output: newest,
      });
    expect(await waited(undefined)).toMatchObject({ kind: "not_ready" });
  });

  it("may be the last one without an end, once that stands still", async () => {
    expect(await waited({}, () => "before\nup> ")).toMatchObject({ kind: "ready" });
    expect(await waited({}, (look) => `before\nup ${look}`)).toMatchObject({ kind: "not_ready" });
  });
});

it("an invalid expression is refused with the reason", async () => {
  const refused = await thrown(Promise.resolve().then(() => toReadiness({ log: "(" })));
  expect(refused.message).toMatch(/^Invalid ready\.log: /);
  expect(refused.cause).toBeInstanceOf(Error);
});

describe("a question over HTTP on a place", () => {
  const PLACE = { name: "ssh:build7" } as SessionPlace;

  async function probed(answer: PlayedAnswer, target: Parameters<typeof httpTarget>[0], ports = {}) {
    const made = playedScene({ answer }, { place: PLACE, ...ports });
    const found = await probeHttp(httpTarget(target), made.session);
    return { found, run: made.runs[0] };
  }

  it.each<[string, number | undefined, boolean, string]>([
    ["200\n", undefined, true, "status 200"],
    [" 399 \n", undefined, true, "status 399"],
    ["199", undefined, false, "status 199"],
    ["400", undefined, false, "status 400"],
    ["404", 404, true, "status 404"],
    ["200", 404, false, "status 200"],
    ["", undefined, false, "no answer"],
    ["600", 600, false, "no answer"],
    ["20", undefined, false, "no answer"],
  ])("is answered by a bash over there: %j", async (output, status, isMet, why) => {
    const { found } = await probed(async () => ({ output }), {
      url: "http://127.0.0.1:80/",
      ...(status === undefined ? {} : { status }),
    });
    expect(found).toEqual({ isMet, why });
  });

  it("has a shell of its own beside the session's, a bound, and no file", async () => {
    const { run } = await probed(async () => ({ output: "200" }), { url: "http://[::1]:8080/a?b=%20'" });
    expect(run?.options).toStrictEqual({
      sessionKey: "agent-1:probe",
      placeKey: "agent-1",
      isEphemeral: true,
      timeoutMs: 4_000,
      artifact: false,
    });
    expect(run?.command).toContain("'/dev/tcp/::1/8080'");
    const nameless = await probed(
      async () => ({ output: "200" }),
      { url: "http://localhost/" },
      {
        getSessionId: undefined,
      },
    );
    expect(nameless.run?.options).toMatchObject({ sessionKey: ":probe" });
    expect(nameless.run?.options).not.toHaveProperty("placeKey");
    expect(nameless.run?.command).toContain("'/dev/tcp/localhost/80'");
  });

  it("that cannot be asked has no answer", async () => {
    const { found } = await probed(() => Promise.reject(new Error("the place is gone")), { url: "http://localhost/" });
    expect(found).toEqual({ isMet: false, why: "no answer" });
  });
});
