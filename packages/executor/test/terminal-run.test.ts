/** A task's terminal without a program: what its screen says of itself, and what is typed, recorded and waited for. */
import { describe, expect, it, vi } from "vitest";
import { terminalScene } from "./support/terminal.ts";

describe("a terminal", () => {
  it.each([
    ["arrow keys in their application form", "\u001b[?1h", "\u001b[?1l", "isApplicationCursor"],
    ["the screen drawn on", "\u001b[?1049h", "\u001b[?1049l", "isDrawn"],
  ] as const)("has %s from when the program says so until it takes it back or ends", async (_, on, off, name) => {
    const { run, write } = terminalScene();
    expect(run[name]).toBe(false);
    await write(on);
    expect(run[name]).toBe(true);
    await write(off);
    expect(run[name]).toBe(false);
    await write(on);
    run.end();
    expect(run[name]).toBe(false);
  });

  it("pastes as the program asked for it, and plainly when it has ended", async () => {
    const { run, write } = terminalScene();
    await write("\u001b[?2004h");
    expect(run.encodePaste("a")).toBe("\u001b[200~a\u001b[201~");
    run.end();
    expect(run.encodePaste("a")).toBe("a");
  });

  it("types, signals and resizes by its device, within the bounds of a terminal, and records who typed", () => {
    const { run, calls } = terminalScene();
    run.write("ls\r");
    run.write("x", "person");
    run.signal("INT");

    expect(run.resize(10_000, Number.NaN)).toEqual({ cols: 400, rows: 5 });
    expect(calls).toEqual([
      ["write", "ls\r"],
      ["typed", "model", "ls\r"],
      ["write", "x"],
      ["typed", "person", "x"],
      ["kill", "SIGINT"],
      ["resize", 400, 5],
      ["resized", 400, 5],
    ]);
  });

  it("shows, keeps and records no secret, and takes nothing after its end", async () => {
    const { run, calls, kept, write } = terminalScene();
    run.needles.add("hunter2");
    await write("a hunter2 b token\r\n");
    expect(run.newLines(undefined).lines).toEqual(["a [secret] b [masked]"]);
    expect(run.screen().text).toContain("a [secret] b [masked]");
    run.end();
    await write("late\r\n");

    expect(kept).toEqual(["a [secret] b token\r\n"]);
    expect(calls).toEqual([["output", "a [secret] b token\r\n"]]);
    expect(run.screen().text).toContain("a [secret] b [masked]");
    expect(run.isOver).toBe(true);
  });

  it("belongs to one person at a time, who gives it back once, and whose view ends with it", async () => {
    const { run, write } = terminalScene();
    const view = { onData: vi.fn(), onEnd: vi.fn() };
    const seat = run.take(view);
    expect(run.holder).toBe("person");
    expect(await run.until({ timeoutMs: 10_000 })).toBe("held");
    expect(() => run.take({})).toThrow("another person has the terminal");
    await write("hello");
    seat.handBack();
    seat.handBack();

    expect(view.onData.mock.calls).toEqual([["hello"]]);
    expect(view.onEnd).toHaveBeenCalledTimes(1);
    expect(run.holder).toBeUndefined();
    expect(() => seat.write("x")).toThrow("the terminal was handed back");
    run.end();
    expect(() => run.take({})).toThrow("the program has ended");
  });

  it("frees itself of a window that throws", async () => {
    const { run, write } = terminalScene();
    run.take({
      onData: () => {
        throw new Error("window");
      },
    });
    await write("hello");
    expect(run.holder).toBeUndefined();
  });

  it("is attended until the last of its callers has left", () => {
    const { run } = terminalScene();
    const [first, second] = [run.attend(), run.attend()];
    first();
    first();
    expect(run.isAttended).toBe(true);
    second();
    expect(run.isAttended).toBe(false);
  });

  it("is waited for until its end, a stop or the deadline", async () => {
    const { run } = terminalScene();
    expect(await run.until({ timeoutMs: 0 })).toBe("deadline");
    expect(await run.until({ timeoutMs: 10_000, stop: AbortSignal.abort() })).toBe("stopped");
    const waiting = run.until({ timeoutMs: 10_000 });
    run.end();
    expect(await waiting).toBe("ended");
    expect(await run.until({ timeoutMs: 0 })).toBe("ended");
  });

  it.each(["a\nb", "a\rb", "a\0b"])("takes a secret of one line only, and not %j", async (secret) => {
    const { run, calls } = terminalScene();
    await expect(run.sendSecret(secret)).rejects.toThrow("a secret is one line of text");
    expect(calls).toEqual([]);
  });

  it("types no secret into a program that has ended", async () => {
    const { run, calls } = terminalScene();
    const sending = run.sendSecret("hunter2");
    run.end();
    expect(await sending).toBe(false);
    expect(calls).toEqual([]);
  });

  it("gives a reader its lines from its place on, before and after the end", async () => {
    const { run, write } = terminalScene();
    expect(run.newLines(undefined).lines).toEqual([]);
    await write("one\r\ntwo\r\n");
    expect(run.newLines(undefined).lines).toEqual(["one", "two"]);
    const place = run.placeNow(undefined);
    expect(run.newLines(place).lines).toEqual([]);
    await write("three\r\nfo");
    expect(run.newLines(place)).toMatchObject({ lines: ["three"], unfinished: "fo" });
    run.end();
    run.end();
    expect(run.newLines(place)).toMatchObject({ lines: ["three"], unfinished: "fo" });
    expect(run.newLines(run.placeNow(place)).lines).toEqual([]);
  });

  it("works without a record and without a window", async () => {
    const { run, write, calls } = terminalScene(undefined, false);
    run.take({});
    await write("one\r\n");
    run.write("x");
    run.resize(90, 30);
    run.end();
    run.resize(90, 30);

    expect([run.isOver, run.isAttended]).toEqual([true, false]);
    expect(calls.map(([name]) => name)).toEqual(["write", "resize", "resize"]);
  });

  it("tells whoever waits that a person has given it back", async () => {
    const { run } = terminalScene();
    const seat = run.take({});
    const listener = vi.fn();
    run.onChange(listener);
    seat.handBack();

    expect(listener).toHaveBeenCalledTimes(1);
    expect(await run.until({ timeoutMs: 0 })).toBe("deadline");
  });
});
