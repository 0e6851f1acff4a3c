/** Following one job: what ends the wait, what counts as given out, and who is informed when it is over. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PATIENCE_MS } from "../../../test/support/patience.ts";
import { followed, turns } from "./support/follow-entry.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

describe("a wait for output", () => {
  it("ends with new whole lines, and not with half of one", async () => {
    const { write, seen } = followed();
    const found = seen();
    write("hal");
    await turns();
    expect(found.text).toBeUndefined();
    write("f\n");

    expect((await found.waiting).output.text).toBe("half\n");
  });

  it("ends at its time with what there is, at its stop, and at once without time", async () => {
    const { seen, follow } = followed();
    const found = seen();
    await turns();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(found.text).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    (await found.waiting).release();
    expect([found.text, found.ended]).toEqual(["", false]);

    const stop = new AbortController();
    const stopped = seen({ stop: stop.signal });
    await turns();
    stop.abort();
    (await stopped.waiting).release();
    expect(stopped.text).toBe("");
    for (const more of [{ timeoutMs: 0 }, { timeoutMs: -1 }, { stop: AbortSignal.abort() }]) {
      (await follow(more)).release();
    }
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends with the job, and gives its result as often as is wanted", async () => {
    const { write, seen, follow, end, port } = followed();
    const found = seen();
    write("la");
    end({ text: "the result" });
    const report = await found.waiting;

    expect(report).toMatchObject({ output: { text: "la" }, text: "the result", job: { endedAtMs: 9_000 } });
    expect(port.taken).not.toHaveBeenCalled();
    report.commit();
    expect(port.taken).toHaveBeenCalledTimes(1);
    const again = await follow();
    again.release();
    expect(again).toMatchObject({ output: { text: "" }, text: "the result" });
    expect(port.taken).toHaveBeenCalledTimes(1);
  });

  it("without a text of the job while it runs, and without a problem where there is none", async () => {
    const { write, follow, port } = followed();
    write("one\n");
    const report = await follow();
    report.commit();

    expect(Object.keys(report).sort()).toEqual(["commit", "job", "output", "release"]);
    expect(port.taken).not.toHaveBeenCalled();
  });

  it("that output does not end goes on to the end of the job or of its time", async () => {
    const { write, seen, end } = followed();
    const found = seen({ wakesOnOutput: false });
    write("one\n");
    await turns();
    expect(found.text).toBeUndefined();
    write("two\n");
    end();
    (await found.waiting).commit();
    expect([found.text, found.ended]).toEqual(["one\ntwo\n", true]);

    const other = followed();
    const timed = other.seen({ wakesOnOutput: false });
    other.write("one\n");
    await turns();
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await timed.waiting).output.text).toBe("one\n");
  });

  it("with a filter goes on over lines that do not match, which are not looked at again", async () => {
    const { write, seen, log } = followed();
    const found = seen({ filter: "^a" });
    const cursor = log.cursor(JSON.stringify(["me", "^a", false]));
    write("b1\n");
    const end = performance.now() + PATIENCE_MS;
    while (cursor.offset < 3 && performance.now() < end) await turns(1);
    expect([cursor.offset, found.text]).toEqual([3, undefined]);
    write("a2\n");

    expect((await found.waiting).output).toMatchObject({ text: "a2\n", matches: 1 });
    expect(log.cursor(JSON.stringify(["me", null, false])).offset).toBe(0);
  });

  it("refuses an invalid filter before it waits", async () => {
    const { entry, follow, port } = followed();
    await expect(follow({ filter: "(" })).rejects.toMatchObject({ code: "PI_ARTIFACT_PATTERN" });

    expect([entry.isWatched, port.released.mock.calls.length]).toEqual([false, 0]);
  });
});

describe("what was read", () => {
  it("counts as given out once it is committed, and is given again where it is released", async () => {
    const { write, follow, log } = followed();
    const cursor = log.cursor(JSON.stringify(["me", null, false]));
    write("one\n");
    const lost = await follow();
    expect(cursor.isHeld).toBe(true);
    lost.release();
    lost.commit();
    expect([cursor.isHeld, cursor.offset, cursor.line]).toEqual([false, 0, 0]);
    const got = await follow();
    got.commit();
    got.release();

    expect([got.output.text, cursor.isHeld, cursor.offset, cursor.line]).toEqual(["one\n", false, 4, 1]);
  });

  it("is one caller's at a time: another one of the same reader waits, within its time", async () => {
    const { write, follow, seen, end } = followed();
    write("one\n");
    const first = await follow();
    const second = seen({ timeoutMs: 1_000 });
    await turns();
    await vi.advanceTimersByTimeAsync(1_000);
    const empty = await second.waiting;
    expect(second.text).toBe("");
    empty.commit();
    const third = seen();
    await turns();
    expect(third.text).toBeUndefined();
    first.commit();
    write("two\n");
    (await third.waiting).commit();

    expect(third.text).toBe("two\n");
    end();
  });

  it("of another reader, or with another filter, stands at another place", async () => {
    const { write, follow } = followed();
    write("a1\nb2\n");
    (await follow()).commit();
    const readings = [{ reader: "you" }, { filter: "^a" }, { filter: "^a", filterExclude: true }];
    const texts: string[] = [];
    for (const more of readings) {
      const report = await follow(more);
      report.commit();
      texts.push(report.output.text);
    }

    expect(texts).toEqual(["a1\nb2\n", "a1\n", "b2\n"]);
  });

  it("holds the job's result back until the caller has left, whichever way", async () => {
    const { entry, write, follow, port } = followed();
    write("one\n");
    for (const leave of ["commit", "release"] as const) {
      const report = await follow({ timeoutMs: 0 });
      expect([entry.isWatched, port.released.mock.calls.length]).toEqual([true, 0]);
      report[leave]();
      report[leave]();
      expect([entry.isWatched, port.released.mock.calls]).toEqual([false, [[entry]]]);
      port.released.mockClear();
    }
  });

  it("is the newest tail, with the reason, where the file cannot be read", async () => {
    const { entry, log, follow } = followed();
    log.open = () => Promise.reject(new Error("the place is gone"));
    entry.tail = "one\ntwo\n";
    log.grow({ bytes: 8, lines: 2 });

    const report = await follow();
    report.commit();
    expect(report).toMatchObject({ output: { text: "one\ntwo\n" }, problem: "the place is gone" });
  });

  it("is cut where only a part of the new bytes is in the tail", async () => {
    const { entry, log, follow } = followed();
    log.path = undefined;
    entry.tail = "two\nthr";
    log.grow({ bytes: 20, lines: 5 });
    const report = await follow();
    report.commit();
    expect(report.output).toEqual({ text: "two\n", isIncomplete: true });
    log.end({ bytes: 20, lines: 5 });
    const rest = await follow({ timeoutMs: 0 });
    rest.commit();

    expect(rest.output).toEqual({ text: "thr", isIncomplete: false });
  });
});
