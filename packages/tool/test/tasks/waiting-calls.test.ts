/** Calls that wait for tasks: how many may listen to their end, and what sends a command to the background early. */
import { getMaxListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { createTaskTools } from "../../src/tasks/task-tools.ts";
import { desk } from "../support/played-desk.ts";
import { playedScene } from "../support/played-executor.ts";
import { jobs, textOf } from "../support/session.ts";

describe("a wait for many tasks", () => {
  it("ends them all by one signal, which may have two listeners of each", async () => {
    const { await: wait, play, manager } = await desk();
    for (let at = 0; at < 20; at += 1) play();
    const follow = vi.spyOn(manager, "follow");
    expect(await wait({ timeout_secs: 0 })).toHaveLength(20);
    const stops = new Set(follow.mock.calls.map(([, { stop }]) => stop));
    expect(stops.size).toBe(1);
    for (const stop of stops) expect(getMaxListeners(stop as AbortSignal)).toBeGreaterThanOrEqual(40);
  });
});

describe("a command that is waited for", () => {
  /** A task that would run for long, in a session with these ports. */
  async function ran(ports: object) {
    const { session } = playedScene(
      {
        answer: ({ options }) =>
          new Promise((resolve) => options.signal?.addEventListener("abort", () => resolve({ cancelled: true }))),
      },
      { asyncJobManager: await jobs(), ...ports },
    );
    const params = { kind: "bash", script: "touch x", timeout_secs: 60, display_name: "a command" };
    return createTaskTools(session).task.execute("call", params);
  }

  it("goes on in the background when a message is queued, and says why", async () => {
    const { content, details } = await ran({ queuedMessage: () => AbortSignal.abort() });
    const note = "Task sent to background because a new message was queued. Use task_await to monitor progress.";
    expect(textOf({ content })).toBe(note);
    expect(details).toStrictEqual({ status: "running", taskId: "bash:bg_1", output: "", note });
  });

  it("goes on when its caller has gone, and its output stays for the next one", async () => {
    const { content, details } = await ran({ callerGone: () => AbortSignal.abort(), queuedMessage: () => undefined });
    expect(textOf({ content })).toBe("Task bash:bg_1 runs in the background. `task_await` has its output.");
    expect(details).toStrictEqual({ status: "running", taskId: "bash:bg_1" });
  });
});
