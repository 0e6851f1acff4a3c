/**
 * `task_await` with a filter: what matches is shown, and nothing is lost of the rest (seed 004, 1.3).
 */
import { describe, expect, it } from "vitest";
import { thrown } from "../support/session.ts";
import { taskScene, waitFor } from "../support/tasks.ts";

describe("a filter", () => {
  it("shows what matches, waits for it, and loses nothing of the rest", async () => {
    const { start, await: awaitTasks, touch } = await taskScene();
    const id = await start(`seq 1 100; ${waitFor("a")}; echo 'error: no'; ${waitFor("b")}; echo quiet`);
    const waiting = awaitTasks({ task_ids: [id], filter: "^error" });
    touch("a");

    expect(await waiting).toMatchObject([{ status: "running", output: "error: no\n" }]);
    touch("b");
    const [rest] = await awaitTasks({ task_ids: [id], min_completed: 1 });
    expect("output" in (rest ?? {}) && rest?.status === "completed" && rest.output).toBe(
      `${Array.from({ length: 100 }, (_, at) => `${at + 1}\n`).join("")}error: no\nquiet\n`,
    );
  });

  it("with `filter_exclude` shows the others", async () => {
    const { start, await: awaitTasks } = await taskScene();
    const id = await start("echo noise; echo news; echo noise");

    const [entry] = await awaitTasks({ task_ids: [id], filter: "noise", filter_exclude: true, min_completed: 1 });

    expect(entry).toMatchObject({ status: "completed", output: "news\n" });
  });

  it("that never matches waits until the end", async () => {
    const { start, await: awaitTasks, touch } = await taskScene();
    const id = await start(`seq 1 50000; ${waitFor("go")}`);
    const waiting = awaitTasks({ task_ids: [id], filter: "never" });

    touch("go");

    const [entry] = await waiting;
    expect(entry).toMatchObject({ status: "completed", output: "" });
  });

  it("is refused where it is none, or stands alone", async () => {
    const { await: awaitTasks } = await taskScene();

    expect((await thrown(awaitTasks({ filter: "(" }))).message).toMatch(/^Invalid filter regex: /);
    expect((await thrown(awaitTasks({ filter: "(?<=x)y" }))).message).toMatch(/^Invalid filter regex: /);
    expect((await thrown(awaitTasks({ filter_exclude: true }))).message).toBe(
      "filter_exclude requires filter to be set",
    );
  });
});
