/** Waiting for a task's terminal: a prompt, a drawn screen that rests, a person, the end; and who is woken by what. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { quietFor, terminalScene, waitsFor } from "./support/terminal.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** What a promise resolved to so far. */
function seen<T>(promise: Promise<T>) {
  const box: { value: T | undefined } = { value: undefined };
  void promise.then((value) => {
    box.value = value;
  });
  return box;
}

/** Takes what the program writes, though the screen's own timers stand still. */
async function drawn(writing: Promise<void>): Promise<void> {
  let isDone = false;
  void writing.then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 200 && !isDone; turn += 1) await vi.advanceTimersByTimeAsync(0);
  expect(isDone).toBe(true);
}

describe("a wait for a terminal", () => {
  it("ends when a program certainly waits for input, and not where it only may", async () => {
    const { run, state, write } = terminalScene();
    await drawn(write("Name: "));
    const found = seen(run.until({ timeoutMs: 60_000 }));
    state.now = waitsFor("line", false);
    await vi.advanceTimersByTimeAsync(300);
    await run.quiet(quietFor(300));
    await vi.advanceTimersByTimeAsync(0);
    expect(found.value).toBeUndefined();
    expect(run.waiting).toMatchObject({ certain: false, prompt: "Name:" });

    state.now = waitsFor("line");
    await run.quiet(quietFor(300));
    await vi.advanceTimersByTimeAsync(0);
    expect(found.value).toBe("waiting");
    expect(run.prompt).toBe(1);
  });

  it("is not woken by a report that is of before something was typed", async () => {
    const { run, state, write } = terminalScene({ now: waitsFor("line") });
    await drawn(write("Name: "));
    await vi.advanceTimersByTimeAsync(1_000);
    run.write("x");
    const listener = vi.fn();
    const off = run.onChange(listener);
    await run.quiet(quietFor(900));
    expect([listener.mock.calls.length, run.waiting]).toEqual([0, undefined]);
    await vi.advanceTimersByTimeAsync(1_000);
    await run.quiet(quietFor(1_000));
    expect(listener).toHaveBeenCalledTimes(1);
    off();
    state.now = waitsFor("secret");
    await run.quiet(quietFor(1_000));
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it("ends 400 ms after the last change of a drawn screen", async () => {
    const { run, write } = terminalScene();
    await drawn(write("\u001b[?1049hmenu"));
    const found = seen(run.until({ timeoutMs: 60_000 }));
    await vi.advanceTimersByTimeAsync(300);
    await drawn(write("more"));
    await vi.advanceTimersByTimeAsync(399);
    expect(found.value).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(found.value).toBe("screen");
    expect(await run.until({ timeoutMs: 0 })).toBe("screen");
  });

  it("gives a drawn screen a second where nothing was drawn since something was typed", async () => {
    const { run, write } = terminalScene();
    await drawn(write("\u001b[?1049hmenu"));
    run.write("j");
    const found = seen(run.until({ timeoutMs: 60_000 }));
    await vi.advanceTimersByTimeAsync(999);
    expect(found.value).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(found.value).toBe("screen");

    run.write("j");
    await drawn(write("drawn"));
    const next = seen(run.until({ timeoutMs: 60_000 }));
    await vi.advanceTimersByTimeAsync(400);
    expect(next.value).toBe("screen");
  });

  it.each([
    ["a signal", (run: ReturnType<typeof terminalScene>["run"]) => run.signal("WINCH")],
    ["another size", (run: ReturnType<typeof terminalScene>["run"]) => void run.resize(90, 30)],
  ])("takes %s for a change of the screen", async (_, change) => {
    const { run, write } = terminalScene();
    await drawn(write("\u001b[?1049hmenu"));
    await vi.advanceTimersByTimeAsync(390);
    change(run);
    const found = seen(run.until({ timeoutMs: 60_000 }));
    await vi.advanceTimersByTimeAsync(399);
    expect(found.value).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(found.value).toBe("screen");
  });

  it("that has rows below its cursor is a drawn one, and one without is not", async () => {
    const { run, write } = terminalScene();
    await drawn(write("one\r\ntwo"));
    expect(run.isDrawn).toBe(false);
    const plain = seen(run.until({ timeoutMs: 5_000 }));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(plain.value).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(plain.value).toBe("deadline");
    await drawn(write("\u001b[1;1H"));

    expect(run.isDrawn).toBe(true);
  });

  it("ends at its stop, but with the news where there is some at that moment", async () => {
    const { run } = terminalScene();
    const stop = new AbortController();
    const found = seen(run.until({ timeoutMs: 60_000, stop: stop.signal }));
    stop.abort();
    await vi.advanceTimersByTimeAsync(0);
    expect(found.value).toBe("stopped");

    const again = new AbortController();
    const held = seen(run.until({ timeoutMs: 60_000, stop: again.signal }));
    again.abort();
    run.take({});
    await vi.advanceTimersByTimeAsync(0);
    expect(held.value).toBe("held");
  });

  it("goes on when a caller stops attending, and its owner is notified", () => {
    const { run } = terminalScene();
    const listener = vi.fn();
    run.onChange(listener);
    const leave = run.attend();
    expect(listener).not.toHaveBeenCalled();
    leave();
    leave();
    expect(listener).toHaveBeenCalledTimes(1);
  });

  it.each([
    ["typing", ({ run }: ReturnType<typeof terminalScene>) => run.write("x")],
    ["a person who comes", ({ run }: ReturnType<typeof terminalScene>) => void run.take({})],
    ["the end", ({ run }: ReturnType<typeof terminalScene>) => run.end()],
  ])("wakes whoever listens by %s, once", (_, act) => {
    const made = terminalScene();
    const listener = vi.fn();
    made.run.onChange(listener);
    act(made);

    expect(listener).toHaveBeenCalledTimes(1);
  });

  it("has no more to say of readers and prompts when the program has ended", async () => {
    const { run, write } = terminalScene({ now: waitsFor("line") });
    await drawn(write("Name: "));
    await vi.advanceTimersByTimeAsync(300);
    await run.quiet(quietFor(300));
    expect(run.reader).toEqual({ pid: 7, name: "bash", isDenied: false });
    const listener = vi.fn();
    run.end();
    run.onChange(listener);
    run.end();
    await run.quiet(quietFor(300));

    expect([run.reader, run.waiting, run.prompt]).toEqual([undefined, undefined, 1]);
    expect(listener).not.toHaveBeenCalled();
  });
});

describe("a secret line", () => {
  it("is typed once the program does not show what is typed, and masked from then on", async () => {
    const { run, calls, write, state } = terminalScene();
    await drawn(write("Password: "));
    const sent = seen(run.sendSecret("hunter2"));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls.filter(([name]) => name === "write")).toEqual([]);
    state.now = waitsFor("secret");
    await run.quiet(quietFor(1_000, { modes: { echo: false, canonical: true } }));
    await vi.advanceTimersByTimeAsync(0);

    expect(sent.value).toBe(true);
    expect(calls.slice(1)).toEqual([
      ["write", "hunter2\r"],
      ["typed", "unseen", "hunter2\r"],
    ]);
    await drawn(write("hunter2"));
    expect(run.screen().text).toBe("Password: [secret]");
  });

  it("is not typed where the program shows what is typed for two seconds", async () => {
    const { run, calls } = terminalScene();
    const sent = seen(run.sendSecret("hunter2"));
    await vi.advanceTimersByTimeAsync(1_999);
    expect(sent.value).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);

    expect([sent.value, calls]).toEqual([false, []]);
  });

  it("is not typed where the program has ended a moment before, and another failure is the caller's", async () => {
    const { run, device, write } = terminalScene({ now: waitsFor("secret") });
    await drawn(write("Password: "));
    await vi.advanceTimersByTimeAsync(300);
    await run.quiet(quietFor(300));
    const failing = vi.spyOn(device, "write");
    failing.mockImplementation(() => {
      throw Object.assign(new Error("it does not run"), { code: "PI_PTY_NOT_RUNNING" });
    });
    expect(await run.sendSecret("hunter2")).toBe(false);
    failing.mockImplementation(() => {
      throw Object.assign(new Error("broken"), { code: "EIO" });
    });

    await expect(run.sendSecret("hunter2")).rejects.toThrow("broken");
  });
});
