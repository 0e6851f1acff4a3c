/** A person at a task's terminal: what they type unseen is a secret, and who types nothing has gone. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PersonView } from "../src/tty/terminal-port.ts";
import { quietFor, terminalScene, waitsFor } from "./support/terminal.ts";

/** A person at a terminal that does not show what is typed. */
async function unseen(view: PersonView = {}) {
  const made = terminalScene({ now: waitsFor("secret") });
  await made.run.quiet(quietFor(0));
  expect(made.run.isHidden).toBe(true);
  return { ...made, seat: made.run.take(view) };
}
const typed = (calls: unknown[][]) => calls.filter(([name]) => name === "typed").map(([, by]) => by);

describe("what a person types", () => {
  it("while it is shown is recorded as theirs, and is not a secret", () => {
    const { run, calls } = terminalScene();
    run.take({}).write("hunter2\r");

    expect(calls).toEqual([
      ["write", "hunter2\r"],
      ["typed", "person", "hunter2\r"],
    ]);
    expect(run.needles.text("hunter2")).toBe("hunter2");
  });

  it.each([
    ["a line", ["hunter2\r"], "hunter2"],
    ["a line that ends with a newline", ["hunter2\n"], "hunter2"],
    ["keys one by one", [..."hunter2", "\r"], "hunter2"],
    ["a line with a key taken back", ["hunter3\u007f2\r"], "hunter2"],
    ["a line with a backspace", ["hunter3\b2\r"], "hunter2"],
    ["a line after one that was given up by Ctrl-C", ["wrong\u0003hunter2\r"], "hunter2"],
    ["a line after one that was cleared by Ctrl-U", ["wrong\u0015hunter2\r"], "hunter2"],
    ["a character of two units taken back", ["hunter🙂\u007f2\r"], "hunter2"],
  ])("unseen is masked from Enter on: %s", async (_, pieces, secret) => {
    const { run, seat, calls } = await unseen();
    for (const piece of pieces) {
      expect(run.needles.text(`a ${secret} b`)).toBe(`a ${secret} b`);
      await run.quiet(quietFor(0));
      seat.write(piece);
    }

    expect(run.needles.text(`a ${secret} b`)).toBe("a [secret] b");
    expect(run.needles.text("wrong hunter3")).toBe("wrong hunter3");
    expect(new Set(typed(calls))).toEqual(new Set(["unseen"]));
  });

  it("stays unseen to the end of its line, whatever is known meanwhile, and is shown in the next one", async () => {
    const { run, state, seat, calls } = await unseen();
    seat.write("hunt");
    state.now = { state: "running" };
    expect(run.isHidden).toBe(false);
    seat.write("er2\r");
    seat.write("ls\r");

    expect(typed(calls)).toEqual(["unseen", "unseen", "person"]);
    expect(run.needles.text("hunter2 ls")).toBe("[secret] ls");
  });

  it("in several lines at once makes a secret of each", async () => {
    const { run, seat } = await unseen();
    seat.write("first1\rsecond2\r");

    expect(run.needles.text("first1 second2")).toBe("[secret] [secret]");
  });

  it("is followed up to what a line may have", async () => {
    const { run, seat } = await unseen();
    seat.write(`${"x".repeat(6_400)}y\r`);
    // Longer than any needle: not masked, and not held.
    expect(run.needles.text("x".repeat(10))).toBe("x".repeat(10));
  });
});

describe("a seat", () => {
  it("shows the screen as it stands, and nothing once it was handed back", async () => {
    const { run, write } = terminalScene();
    await write("hello");
    const seat = run.take({});
    expect(seat.redraw()).toContain("hello");
    seat.handBack();

    expect(seat.redraw()).toBe("");
    expect(() => seat.write("x")).toThrow("the terminal was handed back");
    expect(() => seat.resize(80, 24)).toThrow("the terminal was handed back");
  });

  it("changes the size within the bounds of a terminal", () => {
    const { run, calls } = terminalScene();
    run.take({}).resize(1, 1_000);

    expect(calls).toEqual([
      ["resize", 20, 200],
      ["resized", 20, 200],
    ]);
  });

  it("is free for another person after it, also where its window throws at the end", () => {
    const { run } = terminalScene();
    const seat = run.take({
      onEnd: () => {
        throw new Error("window");
      },
    });
    expect(() => seat.handBack()).toThrow("window");
    expect(run.holder).toBeUndefined();
    seat.handBack();

    run.take({});
    expect(run.holder).toBe("person");
  });

  it("ends with the program, and half a line that was typed unseen is forgotten", async () => {
    const onEnd = vi.fn();
    const { run, seat } = await unseen({ onEnd });
    seat.write("hunter2");
    run.end();

    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(run.needles.text("hunter2")).toBe("hunter2");
  });

  describe("of a person who types nothing", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
    afterEach(() => void vi.useRealTimers());

    it("is handed back after ten minutes, counted from the last key", () => {
      const { run } = terminalScene();
      const onEnd = vi.fn();
      const seat = run.take({ onEnd });
      vi.advanceTimersByTime(599_999);
      seat.write("x");
      vi.advanceTimersByTime(599_999);
      expect(onEnd).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);

      expect([onEnd.mock.calls.length, run.holder]).toEqual([1, undefined]);
    });

    it("leaves no timer behind when it is handed back", () => {
      const { run } = terminalScene();
      const seat = run.take({});
      seat.handBack();

      expect(vi.getTimerCount()).toBe(0);
    });
  });
});
