/** Services without a process: which call starts one, what it answers, and what becomes of one that fails. */
import { describe, expect, it } from "vitest";
import { servicesOf } from "../../src/tasks/service-registry.ts";
import { ToolAbortError } from "../../src/tool-error.ts";
import { desk } from "../support/played-services.ts";
import { textOf, thrown, until } from "../support/session.ts";

describe("a call for a service", () => {
  it("starts it, and answers when it listens", async () => {
    const { call, runs, folder } = await desk();
    const { content, details } = await call({ ready: { port: 80 } });
    expect(textOf({ content })).toMatch(
      /^### Service web \(bash:bg_1\): ready after \d\.\d s\nports: 127\.0\.0\.1:80 \(node, pid 7\)$/,
    );
    expect(details).toStrictEqual({
      status: "running",
      taskId: "bash:bg_1",
      name: "web",
      service: "ready",
      ports: [{ port: 80, address: "127.0.0.1", pid: 7, program: "node" }],
    });
    expect(runs[0]).toMatchObject({ command: "serve", options: { cwd: folder, timeoutMs: 604_800_000 } });
  });

  it("says that nothing was named to tell when it is ready", async () => {
    const { call } = await desk();
    const { content, details } = await call();
    expect(textOf({ content })).toMatch(/ready after \d\.\d s \(assumed: no readiness was named\)\n/);
    expect(details).toMatchObject({ service: "ready", assumed: true });
  });

  it("answers with the one that runs, where it is the same", async () => {
    const { call, starts } = await desk();
    await call({ ready: { port: 80 } });
    const again = await call();
    expect(textOf(again)).toMatch(
      /^### Service web \(bash:bg_1\): already ready, for 0 s; not started again\. `replace: true` ends it and starts it again\.\nports: /,
    );
    expect(textOf(await call({ ready: { port: 80 } }))).toContain("already ready");
    expect(textOf(await call({ cwd: "." }))).toContain("already ready");
    expect(starts()).toBe(1);
  });

  it.each([{ script: "other" }, { cwd: "/" }, { tty: true }])("is refused where %j is another one", async (params) => {
    const { call, starts } = await desk();
    await call({ ready: { port: 80 } });
    expect((await thrown(call(params))).message).toMatch(
      /^Service web \(bash:bg_1\) runs "serve" in .*; you asked for "/,
    );
    expect(starts()).toBe(1);
  });

  it("replaces it where that is asked for", async () => {
    const { call, manager, starts } = await desk();
    await call({ ready: { port: 80 } });
    const { details } = await call({ script: "other", replace: true, ready: { port: 80 } });
    expect(details).toMatchObject({ taskId: "bash:bg_2", service: "ready" });
    expect(manager.find("bg_1")?.job.endedAtMs).toBeDefined();
    expect(starts()).toBe(2);
  });

  it("says what it is not ready by, and the service goes on", async () => {
    const { call, manager } = await desk({ ports: [] });
    const { content, details, isError } = await call({ ready: { port: 80, timeout_secs: 0.05 } });
    const note = "not ready after 0.1 s; it still runs. Not met: port 80 (nothing listens).";
    expect(textOf({ content })).toBe(`### Service web (bash:bg_1): ${note}\n\n\`\`\`\n(no output)\n\`\`\``);
    expect(isError).toBe(true);
    expect(details).toStrictEqual({
      status: "running",
      taskId: "bash:bg_1",
      name: "web",
      service: "not_ready",
      output: "",
      note,
    });
    expect(manager.find("bg_1")?.job.endedAtMs).toBeUndefined();
  });

  it("looks again at one that was not ready", async () => {
    const { call } = await desk({ ports: [] });
    await call({ ready: { port: 80, timeout_secs: 0.05 } });
    const again = await call();
    expect(again.details).toMatchObject({ taskId: "bash:bg_1" });
    expect(textOf(again)).not.toContain("already ready");
  });

  it("that ends before it is ready is answered with its output, and its name is free", async () => {
    const { call, end, news, starts } = await desk({ ports: [] });
    const calling = call({ ready: { port: 80 }, restart: "on-failure" });
    await end(0, { exitCode: 3 });
    const { content, details, isError } = await calling;
    expect(textOf({ content })).toMatch(
      /^### Service web \(bash:bg_1\): exited with code 3 before it was ready, after \d\.\d s\n\n```\nout\n/,
    );
    expect(isError).toBe(true);
    expect(details).toMatchObject({
      status: "completed",
      title: "web",
      exitCode: 3,
      service: "exited",
      reportMarkdown: expect.stringMatching(/^### Bash task: bash:bg_1 \(web\)\nstatus: exited\nexitCode: 3\n/),
    });
    expect(news()).toEqual([]);
    const again = call({ script: "other", ready: { port: 80, timeout_secs: 0.05 } });
    expect((await again).details).toMatchObject({ taskId: "bash:bg_2" });
    expect(starts()).toBe(2);
  });

  it("says that a message interrupted it", async () => {
    const message = AbortSignal.abort();
    const { call } = await desk({ ports: [], session: { queuedMessage: () => message } });
    const { content, details } = await call({ ready: { port: 80 } });
    const note = "Waiting was interrupted: a new message was queued. The service goes on.";
    expect(textOf({ content })).toBe(`### Service web (bash:bg_1): starting\n${note}`);
    expect(details).toMatchObject({ status: "running", service: "starting", note });
  });

  it("that is aborted says so, and the service goes on under its name", async () => {
    const { call, starts } = await desk({ ports: [] });
    const controller = new AbortController();
    const aborted = thrown(call({ ready: { port: 80 } }, controller.signal));
    await until(() => starts() === 1, "it to run");
    controller.abort();
    const error = await aborted;
    expect(error).toBeInstanceOf(ToolAbortError);
    expect(error.message).toBe("Waiting was aborted; service web goes on as bash:bg_1.");
    const found = await call({ ready: { port: 80, timeout_secs: 0.05 } });
    expect(found.details).toMatchObject({ taskId: "bash:bg_1", service: "not_ready" });
  });
});

describe("a service that fails", () => {
  const READY = { ready: { port: 80 }, restart: "on-failure" };

  it("is started again, as is said, until it has failed too often", async () => {
    const { call, end, news, texts, listed, manager, starts } = await desk();
    await call(READY);
    const service = servicesOf(manager).live("web", () => true);
    const readyAtMs = service?.readyAtMs ?? 0;
    await until(() => Date.now() > readyAtMs, "the clock to go on");
    await end(0, { exitCode: 1 });
    await until(() => news().some((line) => line.includes("(bash:bg_2) is ready again")), "the second start");
    expect(service?.readyAtMs).toBeGreaterThan(readyAtMs);
    expect(news()[0]).toMatch(
      /^Service web exited with code 1 after \d\.\d s \(bash:bg_1 has its output\) and was started again as bash:bg_2, restart 1\.$/,
    );
    expect((await call()).details).toMatchObject({ taskId: "bash:bg_2", restarts: 1 });
    await end(1, { exitCode: 137, signal: "SIGKILL" });
    await until(() => starts() === 3, "the third start");
    await end(2, { exitCode: 1 });
    await until(() => texts().some((text) => text.includes("is not started again")), "its end");
    expect(texts().at(-1)).toContain("Service web failed: it was started again 2 times within 10 minutes");
    expect(starts()).toBe(3);
    expect((await listed("reported")).at(-1)).toMatchObject({ name: "web", service: "failed", restarts: 2 });
    expect((await call({ ...READY, script: "other" })).details).toMatchObject({
      taskId: "bash:bg_4",
      service: "ready",
    });
  });

  it("is reported to its owner where its new start ends well before it is ready", async () => {
    const { call, end, texts } = await desk({ laterPorts: [] });
    await call(READY);
    await end(0, { exitCode: 1 });
    await end(1, { exitCode: 0, output: "bye\n" });
    await until(() => texts().some((text) => text.startsWith("Background job bg_2 (web) completed")), "its delivery");
  });

  it.each([
    ["ended well", READY, { exitCode: 0 }],
    ["has no restarts", { ready: { port: 80 } }, { exitCode: 1 }],
    ["is not to be started again", { ...READY, restart: "no" }, { exitCode: 1 }],
  ])("stays ended where it %s", async (_, params, result) => {
    const { call, end, news, starts } = await desk();
    await call(params);
    await end(0, result);
    await until(() => news().length > 0, "its delivery");
    expect(news()[0]).toMatch(/^Background job bg_1 \(web\) (completed|failed)/);
    expect(starts()).toBe(1);
    expect((await call({ script: "other", ready: { port: 80 } })).details).toMatchObject({ taskId: "bash:bg_2" });
  });

  it("stays ended once it was ended as a task", async () => {
    const { call, terminate, starts, manager } = await desk();
    await call(READY);
    await terminate("bash:bg_1");
    expect(manager.find("bg_1")?.job.state).toBe("cancelled");
    expect((await call({ ...READY, script: "other" })).details).toMatchObject({ taskId: "bash:bg_2" });
    expect(starts()).toBe(2);
  });
});
