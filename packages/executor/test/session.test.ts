/** One shell and the calls that want it: turns, copies, calls that go to the background, and its end. */
import { describe, expect, it, vi } from "vitest";
import type { ShellPort } from "../src/natives-port.ts";
import { Session, type Turn } from "../src/sessions/session.ts";
import { deferred } from "./support/waiting.ts";

function sessionOf(handOver?: () => Promise<boolean>) {
  const shell = { close: vi.fn(async () => undefined), ...(handOver === undefined ? {} : { handOver }) };
  return { session: new Session("key", shell as unknown as ShellPort, false), shell };
}

/** A turn that is given; fails where there is none. */
async function turn(session: Session, mayClone = false): Promise<Turn> {
  const taken = await session.take(mayClone, undefined);
  if (typeof taken === "string") throw new Error(taken);
  return taken;
}

/** What a call in line has been given so far. */
function inLine(session: Session, signal?: AbortSignal) {
  const box: { taken: Turn | "retry" | "aborted" | undefined } = { taken: undefined };
  void session.take(false, signal).then((taken) => {
    box.taken = taken;
  });
  return box;
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("a session", () => {
  it("is one call's at a time, and idle when no one has it or waits for it", async () => {
    const { session } = sessionOf();
    expect(session.isIdle).toBe(true);
    const first = await turn(session);
    expect([first.kind, session.isIdle, session.isHeldBy(first)]).toEqual(["own", false, true]);
    const second = inLine(session);
    await soon();
    expect(second.taken).toBeUndefined();
    session.release(first);
    expect([session.isIdle, session.isHeldBy(first)]).toEqual([false, false]);
    await soon();
    expect(second.taken).toMatchObject({ kind: "own" });
    session.release(second.taken as Turn);

    expect(session.isIdle).toBe(true);
  });

  it("is copied for calls that may have a copy while another call has it", async () => {
    const { session } = sessionOf();
    const own = await turn(session, true);
    const copy = await turn(session, true);
    expect([own.kind, copy.kind, session.isHeldBy(copy)]).toEqual(["own", "clone", false]);
    session.release(own);
    expect(session.isIdle).toBe(false);
    expect((await turn(session, true)).kind).toBe("own");
    session.release(copy);
    expect(session.isIdle).toBe(false);
  });

  it("is left by a call whose signal is aborted in the line, and the others keep their places", async () => {
    const { session } = sessionOf();
    const first = await turn(session);
    const leave = new AbortController();
    const [second, third] = [inLine(session, leave.signal), inLine(session)];
    leave.abort();
    await soon();
    expect([second.taken, third.taken]).toEqual(["aborted", undefined]);
    session.release(first);
    await soon();

    expect(third.taken).toMatchObject({ kind: "own" });
  });

  it("that is dropped sends those in line to another one, and gives itself to none of them", async () => {
    const { session } = sessionOf();
    const first = await turn(session);
    const [second, third] = [inLine(session), inLine(session)];
    session.drop();
    await soon();
    expect([second.taken, third.taken, session.isDropped]).toEqual(["retry", "retry", true]);
    const late = inLine(session);
    session.release(first);
    await soon();

    expect(late.taken).toBeUndefined();
  });

  it("does what is due after its close once, when its shell has closed", async () => {
    const { session, shell } = sessionOf();
    const order: string[] = [];
    shell.close.mockImplementation(async () => void order.push("closed"));
    session.onClosed(async () => void order.push("one"));
    session.onClosed(async () => void order.push("two"));
    await session.close();
    await session.close();

    expect(order).toEqual(["closed", "one", "two", "closed"]);
  });
});

describe("a call that goes to the background", () => {
  it("keeps its shell where it was handed over, and the next in line has the session", async () => {
    const { session } = sessionOf(async () => true);
    const first = await turn(session);
    const second = inLine(session);
    await session.promote(first);
    await soon();
    expect(second.taken).toMatchObject({ kind: "own" });
    expect(session.isHeldBy(first)).toBe(false);
    session.release(second.taken as Turn);
    expect(session.isIdle).toBe(false);
    session.release(first);

    expect(session.isIdle).toBe(true);
  });

  it.each([
    ["cannot be handed over", async () => false],
    ["fails to be handed over", async () => Promise.reject(new Error("no"))],
    ["knows no handing over", undefined],
  ])("has copies beside it where its shell %s, until it has ended", async (_, handOver) => {
    const { session } = sessionOf(handOver);
    const first = await turn(session);
    const waiting = [inLine(session), inLine(session)];
    await session.promote(first);
    await soon();
    expect(waiting.map(({ taken }) => (taken as Turn).kind)).toEqual(["clone", "clone"]);
    const late = await turn(session);
    expect(late.kind).toBe("clone");
    session.release(first);
    expect((await turn(session)).kind).toBe("own");
    const next = inLine(session);
    await soon();
    expect(next.taken).toBeUndefined();
  });

  it("is asked about once, only for the call that has the session, and not in a session of one call", async () => {
    const handOver = vi.fn(async () => false);
    const { session } = sessionOf(handOver);
    const first = await turn(session);
    const copy = await turn(session, true);
    await session.promote(copy);
    expect(handOver).not.toHaveBeenCalled();
    await session.promote(first);
    await session.promote(first);
    expect(handOver).toHaveBeenCalledTimes(1);
    session.release(first);
    await session.promote(first);
    expect(handOver).toHaveBeenCalledTimes(1);

    const other = sessionOf(handOver).session;
    other.isEphemeral = true;
    await other.promote(await turn(other));
    expect(handOver).toHaveBeenCalledTimes(1);
  });

  it("changes nothing where it has ended before its shell was handed over", async () => {
    const answer = deferred<boolean>();
    const { session } = sessionOf(() => answer.promise);
    const first = await turn(session);
    const promoting = session.promote(first);
    session.release(first);
    const second = await turn(session);
    const third = inLine(session);
    answer.resolve(false);
    await promoting;
    await soon();

    expect([third.taken, session.isHeldBy(second)]).toEqual([undefined, true]);
    session.release(second);
    await soon();
    session.release(third.taken as Turn);
    expect(session.isIdle).toBe(true);
  });
});
