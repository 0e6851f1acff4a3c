/** What a command used, in results that are asked to say so (`bash.usage`). */
import { describe, expect, it } from "vitest";
import { usageText } from "../src/notices.ts";
import { scene, textOf } from "./support/session.ts";
import { taskScene } from "./support/tasks.ts";

/** `tail` keeps 48 MiB of its input. */
const NEEDS_MEMORY = "head -c 60000000 /dev/zero | tail -c 50331648 | wc -c";
const NEEDED_BYTES = 48 * 1024 * 1024;
const ASKED = { "bash.usage": true } as const;

describe("a result that says what its command used", () => {
  it("is not the default", async () => {
    const { bash } = scene();
    const result = await bash({ command: "true" });
    expect(result.details).not.toHaveProperty("usage");
    expect(textOf(result)).not.toContain("Used:");
  });

  it("has its processor time and its peak memory, as data and in a line", async () => {
    const { bash } = scene(ASKED);
    const result = await bash({ command: NEEDS_MEMORY });
    const usage = result.details?.usage;
    expect(usage?.peakMemoryBytes).toBeGreaterThanOrEqual(NEEDED_BYTES);
    expect((usage?.userMs ?? 0) + (usage?.systemMs ?? 0)).toBeGreaterThan(0);
    expect(textOf(result)).toMatch(
      /\nUsed: \d+\.\d\d s of processor time, at most \d+\.\d MiB of memory in one process$/m,
    );
  });

  it("is also that of a command that was ended at its deadline", async () => {
    const { bash } = scene(ASKED);
    await expect(bash({ command: "while :; do :; done", timeout: 1 })).rejects.toMatchObject({
      details: { stopped: "deadline", usage: { userMs: expect.any(Number) } },
    });
  });
});

describe("a task's result", () => {
  it.each([
    ["in the foreground", {}],
    ["on a terminal", { tty: true }],
  ])("%s has what its command used", async (_, more) => {
    const { run } = await taskScene(ASKED);
    const { details } = await run(NEEDS_MEMORY, more);
    expect(details.status === "completed" && details.usage?.peakMemoryBytes).toBeGreaterThanOrEqual(NEEDED_BYTES);
    const report = details.status === "completed" ? details.reportMarkdown : "";
    expect(report).toMatch(/used: \d+\.\d\d s of processor time, at most \d+\.\d MiB/i);
  });

  it("in the background has its own, whatever ran in the session before", async () => {
    const scene = await taskScene(ASKED);
    await scene.run(NEEDS_MEMORY);
    const little = await scene.start("ls / >/dev/null");
    const [ended] = await scene.await({ task_ids: [little], min_completed: 1 });
    const bytes = ended?.status === "completed" ? ended.usage?.peakMemoryBytes : undefined;
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(NEEDED_BYTES);
    const much = await scene.start(`exec sh -c '${NEEDS_MEMORY}'`);
    const [larger] = await scene.await({ task_ids: [much], min_completed: 1 });
    expect(larger?.status === "completed" && larger.usage?.peakMemoryBytes).toBeGreaterThanOrEqual(NEEDED_BYTES);
    expect(larger?.status === "completed" && larger.reportMarkdown).toMatch(/^used: /m);
  });
});

it("a peak that is not known is left out of the line", () => {
  expect(usageText({ userMs: 1_200, systemMs: 34 })).toBe("1.23 s of processor time");
});
