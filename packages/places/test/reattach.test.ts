/** When a link tries to come back, and when it stops to. */
import { describe, expect, it } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { reattach } from "../src/reattach.ts";

describe("tries to come back", () => {
  const failing = (times: number, begun: number[]) => () => {
    begun.push(performance.now());
    return begun.length > times ? Promise.resolve("back") : Promise.reject(new Error("not yet"));
  };
  const given = { isFinal: () => false, signal: new AbortController().signal };

  it("wait longer each time", async () => {
    const begun: number[] = [];
    expect(await reattach({ ...given, keepMs: 20_000, attempt: failing(3, begun) })).toEqual({
      kind: "back",
      value: "back",
    });
    const gaps = begun.slice(1).map((at, index) => at - (begun[index] ?? 0));
    // Timers may be a little early; how late they are is the machine's.
    for (const [index, least] of [250, 500, 1_000].entries()) expect(gaps[index]).toBeGreaterThan(least - 5);
  });

  it("begin as late as before where the ones before came to nothing", async () => {
    const begun: number[] = [];
    const from = performance.now();
    await reattach({ ...given, keepMs: 20_000, failures: 2, attempt: failing(0, begun) });
    expect((begun[0] ?? 0) - from).toBeGreaterThan(495);
  });

  it("end when the time is over, with one more then", async () => {
    const begun: number[] = [];
    const from = performance.now();
    const came = await reattach({ ...given, keepMs: 700, attempt: failing(100, begun) });
    expect(came).toMatchObject({ kind: "late", error: new Error("not yet") });
    expect((begun.at(-1) ?? 0) - from).toBeGreaterThan(690);
    expect(begun.length).toBeLessThan(6);
  });

  it("end at once where no later one can work, and where they are given up", async () => {
    const begun: number[] = [];
    const refused = await reattach({ ...given, keepMs: 20_000, isFinal: () => true, attempt: failing(100, begun) });
    expect([refused.kind, begun.length]).toEqual(["refused", 1]);
    const stop = new AbortController();
    const waiting = reattach({ ...given, keepMs: 20_000, signal: stop.signal, attempt: failing(100, begun) });
    await until("a try", () => begun.length > 1);
    stop.abort();
    expect(await waiting).toEqual({ kind: "given up" });
  });
});
