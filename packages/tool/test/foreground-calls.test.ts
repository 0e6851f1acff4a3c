/** Calls in the foreground that hold others up: who waits says for what, and what is listed can be ended. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BashToolUpdate, SettingsInput } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { createBashTool } from "../src/bash-tool.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { textOf, thrown, until } from "./support/session.ts";
import { taskScene, waitFor } from "./support/tasks.ts";

/** A session whose calls are made by hand; `holds` is the text of a command that has the shell until `go` is there. */
async function held(settings: SettingsInput = {}) {
  const scene = await taskScene(settings);
  const tool = createBashTool(scene.session);
  const call = (command: string, updates: BashToolUpdate[] = [], signal?: AbortSignal) =>
    tool.execute("call", { command }, signal, (update) => updates.push(update));
  const begun = join(scene.folder, "begun");
  const holds = `echo first; : >${begun}; ${waitFor("go")}; echo last`;
  const holder = call(holds);
  await until(() => existsSync(begun), "the command has the shell");
  return { scene, call, holder, holds, release: () => writeFileSync(join(scene.folder, "go"), "") };
}

describe.each([{}, { "bash.directoryPersists": true }])("a call that has the shell, with %o", (settings) => {
  it("is listed with those that wait for it, and not when it is over", async () => {
    const { scene, call, holder, holds, release } = await held(settings);
    const waiting = call("export A=1");
    await until(async () => (await scene.list()).length === 2, "both are listed");

    const listed = await scene.list();

    expect(listed).toMatchObject([
      { taskId: "call_1", status: "running", kind: "bash", script: holds, depth: 1 },
      { taskId: "call_2", status: "queued", kind: "bash", script: "export A=1" },
    ]);
    release();
    expect(textOf(await holder)).toMatch(/^first\nlast\n/);
    await waiting;
    expect(await scene.list()).toEqual([]);
  });

  it("can be ended, which its caller reads, and the next one has the shell and its state", async () => {
    const { scene, call, holder } = await held(settings);
    const failed = thrown(holder);
    const waiting = call("echo next");

    const ended = await scene.terminate("call_1");

    expect(ended).toEqual([{ status: "terminated", taskId: "call_1", terminatedTaskIds: ["call_1"] }]);
    const error = await failed;
    expect(error).toBeInstanceOf(ToolError);
    expect(error).not.toBeInstanceOf(ToolAbortError);
    expect(error.message).toMatch(/^\[Command cancelled\]\nfirst\n/);
    expect(textOf(await waiting)).toMatch(/^next\n/);
    expect((await scene.terminate("call_1"))[0]?.status).toBe("not_found");
  });

  it("is named by who waits long: while it waits, and in its answer", async () => {
    const { call, release, holder } = await held(settings);
    const updates: BashToolUpdate[] = [];
    const waiting = call("export B=1; echo now", updates);
    const waitShown = () => updates.map(textOf).find((text) => text.startsWith("Waiting for the shell"));
    await until(() => waitShown() !== undefined, "the wait to be shown");

    release();

    expect(waitShown()).toMatch(
      /^Waiting for the shell: `echo first; : >.*…` has had it for \d+ seconds?\. `task_terminate` with `call_1` ends it\.$/,
    );
    await holder;
    expect(textOf(await waiting)).toMatch(/\nWaited \d+\.\d seconds for the shell, which `echo first; .*…` had\.\n/);
  });

  it("does not keep the caller of one that waits from giving it up, nor another from ending it", async () => {
    const { scene, call, release, holder } = await held(settings);
    const controller = new AbortController();
    const givenUp = thrown(call("export C=1", [], controller.signal));
    const ended = thrown(call("export D=1"));
    await until(async () => (await scene.list()).length === 3, "all are listed");

    controller.abort();
    const results = await scene.terminate("call_3");

    expect(results[0]?.status).toBe("terminated");
    expect(await givenUp).toBeInstanceOf(ToolAbortError);
    expect(await ended).toBeInstanceOf(ToolError);
    release();
    expect(textOf(await holder)).toMatch(/^first\nlast\n/);
    expect(textOf(await call("echo ${C-unset} ${D-unset}"))).toMatch(/^unset unset\n/);
  });
});

describe("a call that only reads", () => {
  it("waits for no one, and no one hears that it has the shell", async () => {
    const { scene, call, release, holder } = await held();

    expect(textOf(await call("pwd"))).toMatch(new RegExp(`^${scene.folder}\n`));

    release();
    await holder;
  });
});
