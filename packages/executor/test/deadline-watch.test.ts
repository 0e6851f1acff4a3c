/** Watching a deadline without a command: who is asked, once, and what the core is given. */
import { getEventListeners } from "node:events";
import { MAX_TIMER_MS } from "@pi-bash/contract/internal/abort";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type TimeoutDecision, watchDeadline } from "../src/deadline.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a deadline", () => {
  it("without one who is asked is the core's alone", () => {
    const { signal } = new AbortController();
    const deadline = watchDeadline({ timeoutMs: 100, signal, lifetimeMs: 900 });
    expect([deadline.timeoutMs, deadline.signal, deadline.hasKilled, vi.getTimerCount()]).toEqual([
      100,
      signal,
      false,
      0,
    ]);
    deadline.end();
    expect(watchDeadline({ timeoutMs: 100 }).signal).toBeUndefined();
  });

  it.each([
    [undefined, MAX_TIMER_MS],
    [900, 900],
    [50, 100],
    [1e12, MAX_TIMER_MS],
  ])("with a lifetime of %s ms gives the core %d", (lifetimeMs, expected) => {
    const deadline = watchDeadline({ timeoutMs: 100, onTimeout: () => "kill", lifetimeMs });
    expect(deadline.timeoutMs).toBe(expected);
    deadline.end();
  });

  it.each<[string, () => TimeoutDecision, boolean]>([
    ["ends the command where that is the answer", () => "kill", true],
    ["lets it go on where that is the answer", () => "background", false],
    ["ends it where the answer is none", () => undefined as unknown as TimeoutDecision, true],
  ])("%s", async (_, answer, isKilled) => {
    const onTimeout = vi.fn(answer);
    const deadline = watchDeadline({ timeoutMs: 100, onTimeout });
    await vi.advanceTimersByTimeAsync(99);
    expect([onTimeout.mock.calls.length, deadline.signal?.aborted]).toEqual([0, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([onTimeout.mock.calls.length, deadline.hasKilled, deadline.signal?.aborted]).toEqual([
      1,
      isKilled,
      isKilled,
    ]);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(onTimeout).toHaveBeenCalledTimes(1);
    deadline.end();
  });

  it.each([
    ["an error", new Error("oops"), "oops"],
    ["something else", "odd", "odd"],
  ])("whose answer throws %s ends the command, with a warning", async (_, thrown, reason) => {
    const warning = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const deadline = watchDeadline({
      timeoutMs: 100,
      onTimeout: () => {
        throw thrown;
      },
    });
    await vi.advanceTimersByTimeAsync(100);

    expect(deadline.hasKilled).toBe(true);
    expect(warning.mock.calls).toEqual([
      [`a timeout callback failed, so its command was ended: ${reason}`, { code: "PI_LISTENER_FAILED" }],
    ]);
  });

  it("asks no one of a command that was aborted, before or meanwhile, which is not ended by it", async () => {
    const controller = new AbortController();
    const onTimeout = vi.fn(() => "kill" as const);
    const deadline = watchDeadline({ timeoutMs: 100, onTimeout, signal: controller.signal });
    controller.abort("why");
    expect([deadline.signal?.aborted, deadline.signal?.reason]).toEqual([true, "why"]);
    const before = watchDeadline({ timeoutMs: 100, onTimeout, signal: AbortSignal.abort("then") });
    expect(before.signal?.reason).toBe("then");
    await vi.advanceTimersByTimeAsync(200);

    expect([onTimeout.mock.calls.length, deadline.hasKilled, before.hasKilled]).toEqual([0, false, false]);
  });

  it("leaves no timer and no listener behind when the command has ended", () => {
    const { signal } = new AbortController();
    const deadline = watchDeadline({ timeoutMs: 100, onTimeout: () => "kill", signal });
    expect([vi.getTimerCount(), getEventListeners(signal, "abort").length]).toEqual([1, 1]);
    deadline.end();

    expect([vi.getTimerCount(), getEventListeners(signal, "abort").length]).toEqual([0, 0]);
  });
});
