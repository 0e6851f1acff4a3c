/** Watches without a process: what is said of one that begins or cannot, and what its owner reads of its matches. */
import { MonitorLimitError, type MonitorNews } from "@pi-bash/executor";
import { describe, expect, it, vi } from "vitest";
import { watchTask } from "../../src/tasks/monitor-watch.ts";
import { desk } from "../support/played-desk.ts";

const NEWS: MonitorNews = {
  jobId: "bg_1",
  name: "make\nall",
  artifactId: "abc",
  filter: "ERROR",
  lines: [],
  unshown: undefined,
  isDemoted: false,
};
const line = (number: number) => ({ number, text: `ERROR ${number}` });

/** A task of the session, and its watches as the test plays them. */
async function watched() {
  const scene = await desk();
  const { id } = scene.play();
  const { monitors } = scene.manager;
  const owned = scene.manager.find(id);
  if (owned === undefined) throw new Error("there is no job");
  const task = { kind: "bash", taskId: `bash:${id}`, owned } as const;
  const watch = vi.spyOn(monitors, "watch");
  const begin = (notify: "wake" | "quiet" = "wake") => watchTask(scene.session, task, { notify, filter: "ERROR" });
  return { ...scene, task, watch, begin };
}

/** What the owner reads of these matches. */
async function said(more: Partial<MonitorNews>): Promise<string[]> {
  const { watch, begin } = await watched();
  await begin();
  const text = watch.mock.calls[0]?.[1].describe({ ...NEWS, ...more }) ?? "";
  const [head, ...rest] = text.split("\n");
  expect(head).toMatch(/^### Watch of bash:bg_1 \(make all\) for \/ERROR\/: \d+ lines? match(?:es)?$/);
  return [head?.split(": ").at(-1) ?? "", ...rest];
}

describe("what is read of matches", () => {
  it("is their number and their lines, fenced", async () => {
    expect(await said({ lines: [line(7)] })).toEqual(["1 line matches", "```", "7: ERROR 7", "```"]);
    expect(await said({ lines: [line(7), line(9)] })).toEqual([
      "2 lines match",
      "```",
      "7: ERROR 7",
      "9: ERROR 9",
      "```",
    ]);
  });

  it("says which ones are not shown, and where they are", async () => {
    const where = "artifact://abc?lines=";
    expect(await said({ unshown: { count: 1, first: 3, last: 3 } })).toEqual([
      "1 line matches",
      `1 more match, line 3: ${where}3-3`,
    ]);
    expect(await said({ lines: [line(1)], unshown: { count: 5, first: 3, last: 9 } })).toEqual([
      "6 lines match",
      "```",
      "1: ERROR 1",
      "```",
      `5 more matches, lines 3-9: ${where}3-9`,
    ]);
    expect((await said({ artifactId: undefined, unshown: { count: 5, first: 3, last: 9 } }))[1]).toBe(
      "5 more matches, lines 3-9",
    );
  });

  it("says of a watch with too many that it is quiet now", async () => {
    const [, ...rest] = await said({ lines: [line(1)], isDemoted: true });
    expect(rest.at(-1)).toMatch(/^There are too many matches .* From here on this watch is quiet/);
  });
});

describe("a watch that begins", () => {
  it("is the session's, and says from which line on it looks, where that is known", async () => {
    const { watch, begin, session } = await watched();
    expect(await begin()).toStrictEqual({
      status: "running",
      taskId: "bash:bg_1",
      note: expect.stringMatching(/^Watching bash:bg_1 for \/ERROR\/(?: from line 1)?\.$/),
    });
    expect(watch.mock.calls[0]?.[1]).toMatchObject({ reader: "agent-1", filter: "ERROR", mode: "wake" });
    watch.mockResolvedValueOnce({ fromLine: 9 });
    expect(await begin("quiet")).toMatchObject({ note: "Watching bash:bg_1 for /ERROR/ from line 9, quietly." });
    watch.mockResolvedValueOnce({});
    expect(await begin()).toMatchObject({ note: "Watching bash:bg_1 for /ERROR/." });
    Object.assign(session, { getSessionId: undefined });
    await begin();
    expect(watch.mock.lastCall?.[1]).toMatchObject({ reader: "" });
  });

  it("cannot where the task has ended, or too many are on; another failure is thrown", async () => {
    const { watch, begin } = await watched();
    watch.mockResolvedValueOnce(undefined);
    expect(await begin()).toStrictEqual({
      status: "error",
      taskId: "bash:bg_1",
      error: "it has ended, so nothing was watched; task_await has its output.",
    });
    watch.mockRejectedValueOnce(new MonitorLimitError());
    expect(await begin()).toStrictEqual({
      status: "error",
      taskId: "bash:bg_1",
      error: new MonitorLimitError().message,
    });
    watch.mockRejectedValueOnce(new Error("no disk"));
    await expect(begin()).rejects.toThrow("no disk");
  });

  it("is asked for by an id with blanks around it, once for each task, and has each answer on a line", async () => {
    const { text, play, watch, tools } = await watched();
    play();
    const params = { task_ids: [" bash:bg_1 ", "bash:bg_1", "bash:", "nothing"], filter: "ERROR", notify: "wake" };
    const lines = (await text("task_await", params)).split("\n");
    expect(watch).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([
      expect.stringMatching(/^Watching bash:bg_1/),
      "Task bash:: Invalid bash taskId.",
      expect.stringMatching(/^Task not found: nothing\./),
    ]);
    const { details } = await tools.task_await.execute("call", params);
    expect(details.results.at(-1)).toMatchObject({ activeTaskIds: ["bash:bg_1", "bash:bg_2"] });
  });
});
