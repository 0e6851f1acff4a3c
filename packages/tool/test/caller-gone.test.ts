/**
 * A caller that goes while its command runs: where the session keeps it, the command goes on as a job for whoever comes next.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ToolAbortError } from "../src/tool-error.ts";
import { jobs, scene, thrown, until } from "./support/session.ts";
import { taskScene, waitFor } from "./support/tasks.ts";

const SCRIPT = `echo begun; touch begun; ${waitFor("go")}; echo done; exit 5`;

describe("a call of bash", () => {
  it("goes on as a job when its caller has gone, and the abort of the call does not reach it", async () => {
    const gone = new AbortController();
    const call = new AbortController();
    const manager = await jobs();
    const { bash, folder } = scene({}, { asyncJobManager: manager, callerGone: () => gone.signal });
    const answer = bash({ command: `export X=5; ${SCRIPT}` }, { signal: call.signal });
    await until(() => existsSync(join(folder, "begun")), "the command");

    gone.abort();
    await answer;
    call.abort();
    writeFileSync(join(folder, "go"), "");
    await until(() => manager.runningCount === 0, "its end");

    expect(manager.list("agent-1")).toMatchObject([{ id: "bg_1", state: "failed", exitCode: 5 }]);
    expect(manager.read("bg_1", "agent-1")?.text).toContain("begun\ndone");
  });

  it("is ended as ever by its own abort while the caller is there", async () => {
    const call = new AbortController();
    const manager = await jobs();
    const { bash } = scene({}, { asyncJobManager: manager, callerGone: () => new AbortController().signal });
    const answer = thrown(bash({ command: "sleep 60" }, { signal: call.signal }));
    await until(() => manager.foreground.list().length === 1, "the command");

    call.abort();

    expect(await answer).toBeInstanceOf(ToolAbortError);
    expect(manager.list("agent-1")).toEqual([]);
  });

  it("that is made after the caller has gone and been aborted runs nothing", async () => {
    const gone = AbortSignal.abort();
    const manager = await jobs();
    const { bash } = scene({}, { asyncJobManager: manager, callerGone: () => gone });

    expect(await thrown(bash({ command: "touch ran" }, { signal: AbortSignal.abort() }))).toBeInstanceOf(
      ToolAbortError,
    );
    expect(manager.list("agent-1")).toEqual([]);
  });
});

describe("a task in the foreground", () => {
  it("goes on when its caller has gone, and no output counts as given out", async () => {
    const gone = new AbortController();
    const tasks = await taskScene({}, { callerGone: () => gone.signal });
    const answer = tasks.run(SCRIPT);
    await tasks.made("begun");

    gone.abort();
    expect((await answer).details).toMatchObject({ status: "running", taskId: "bash:bg_1" });
    tasks.touch("go");
    const [end] = await tasks.await({ task_ids: ["bash:bg_1"], min_completed: 1 });

    expect(end).toMatchObject({ exitCode: 5 });
    expect(JSON.stringify(end)).toContain("begun\\ndone");
  });
});
