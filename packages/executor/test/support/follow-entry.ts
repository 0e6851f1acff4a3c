/**
 * One job with a file, followed without a manager, on timers of the test's own.
 */
import { vi } from "vitest";
import { type FollowOptions, followJob } from "../../src/jobs/follow.ts";
import { writtenJob } from "./log-file.ts";

/** A job and the ways to follow it; `seen` holds what a call has answered so far. */
export function followed() {
  const job = writtenJob();
  const port = { taken: vi.fn(), released: vi.fn() };
  const follow = (more: Partial<FollowOptions> = {}) =>
    followJob(job.entry, { reader: "me", timeoutMs: 60_000, wakesOnOutput: true, maxBytes: 1_000, ...more }, port);
  const seen = (more: Partial<FollowOptions> = {}) => {
    const box: { text?: string; ended?: boolean; waiting: ReturnType<typeof follow> } = { waiting: follow(more) };
    void box.waiting.then(({ output, job: view }) => {
      box.text = output.text;
      box.ended = view.endedAtMs !== undefined;
    });
    return box;
  };
  return { ...job, port, follow, seen };
}

/** Lets files and promises go on for a while, while timers stand still. */
export async function turns(count = 60): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
