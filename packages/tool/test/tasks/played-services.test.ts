/** Services without a process: which call starts one, what it answers, and what becomes of one that fails. */
import type { CommandResult, Executor, JobDelivery, ListeningPort } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import { servicesOf } from "../../src/tasks/service-registry.ts";
import { RESTART_LIMITS } from "../../src/tasks/service-restarts.ts";
import type { TaskSession } from "../../src/tasks/task-session.ts";
import { createTaskTools } from "../../src/tasks/task-tools.ts";
import { ToolAbortError } from "../../src/tool-error.ts";
import { type PlayedRun, playedScene } from "../support/played-executor.ts";
import { jobs, textOf, thrown, until } from "../support/session.ts";

const PORT: ListeningPort = {
  port: 80,
  address: "127.0.0.1",
  program: "node",
  pid: 7,
  startedAtMs: 0,
  isInside: false,
};
const LIMITS = { ...RESTART_LIMITS, firstPauseMs: 1, longestPauseMs: 1, mostRestarts: 2 };

interface Played {
  /** What each start listens on from the beginning. */
  ports?: readonly ListeningPort[];
  /** The same of a start that is not the first. Default: as the first. */
  laterPorts?: readonly ListeningPort[];
  executor?: Partial<Executor>;
  session?: Partial<TaskSession>;
}

/** A session whose services the test plays. */
async function desk({ ports = [PORT], laterPorts = ports, executor = {}, session = {} }: Played = {}) {
  const manager = await jobs();
  servicesOf(manager, LIMITS);
  const delivered: JobDelivery[] = [];
  manager.subscribe("agent-1", (batch) => void delivered.push(...batch));
  const ends: ((result: Partial<CommandResult>) => void)[] = [];
  const answer = ({ options }: PlayedRun): Promise<Partial<CommandResult>> => {
    const listens = ends.length === 0 ? ports : laterPorts;
    options.onPorts?.(async () => listens);
    return new Promise((resolve) => {
      ends.push(resolve);
      options.signal?.addEventListener("abort", () => resolve({ cancelled: true }));
    });
  };
  const made = playedScene({ answer, executor: { portHolder: async () => undefined, ...executor } }, {
    asyncJobManager: manager,
    ...session,
  } as object);
  const tools = createTaskTools(made.session);
  return {
    ...made,
    manager,
    /** What reached the owner. */
    texts: () => delivered.map(({ text }) => text),
    /** The lines of it. */
    news: () => delivered.flatMap(({ text }) => text.split("\n")),
    call: (params: object = {}, signal?: AbortSignal) =>
      tools.task.execute("call", { kind: "service", name: "web", script: "serve", ...params }, signal),
    listed: async (status: string) => (await tools.task_list.execute("call", { statuses: [status] })).details.tasks,
    terminate: (id: string) => tools.task_terminate.execute("call", { task_ids: [id] }),
    /** Ends the start of that number. */
    end: async (number: number, result: Partial<CommandResult>) => {
      await until(() => ends.length > number, "it to run");
      ends[number]?.(result);
    },
    starts: () => ends.length,
  };
}

describe("a call for a service", () => {
  it("starts it, and answers when it listens", async () => {
    const { call, runs, folder } = await desk();
    const { content, details } = await call({ ready: { port: 80 } });
    expect(textOf({ content })).toMatch(
      /^### Service web \(bash:bg_1\): ready after \d\.\d s\nports: 127\.0\.0\.1:80 \(node, pid 7\)$/,
    );
    expect(details).toEqual({
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
    expect(details).toEqual({
      status: "running",
      taskId: "bash:bg_1",
      name: "web",
      service: "not_ready",
      output: "",
      note,
    });
    expect(manager.find("bg_1")?.job.endedAtMs).toBeUndefined();
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

describe("a port that is taken", () => {
  it.each([
    [{ pid: 9, program: "no\nde" }, "pid 9 (no de)"],
    [{ pid: 9 }, "pid 9 (?)"],
    [{}, "another user's program"],
  ])("by %j keeps a service from being started", async (holder, who) => {
    const { call, starts } = await desk({
      executor: { portHolder: async () => ({ ...PORT, program: undefined, pid: undefined, ...holder }) as never },
    });
    expect((await thrown(call({ ready: { port: 80 } }))).message).toBe(
      `Service web failed: port 80 is taken by ${who}, which is not this service. Nothing was started. End that program, or use another port.`,
    );
    expect(starts()).toBe(0);
  });

  it("is not looked for in a sandbox with a network of its own, nor where none was named", async () => {
    const portHolder = () => Promise.reject(new Error("it was looked for"));
    const named = await desk({ executor: { portHolder } });
    expect((await named.call()).details).toMatchObject({ service: "ready" });
    await expect(named.call({ name: "db", ready: { port: 80 } })).rejects.toThrow("it was looked for");
  });
});

describe("what cannot be asked", () => {
  const place = {
    name: "ssh:build7",
    cwd: "/far",
    home: "/home/far",
    stat: async (path: string) => ({ kind: "directory", realPath: path }) as const,
  };
  const http = (url: string) => ({ ready: { http: { url } } });

  it("is https on a place, and the port of a terminal there", async () => {
    const far = await desk({ session: { place, cwd: "/far" } });
    expect((await thrown(far.call(http("https://localhost/")))).message).toBe(
      "ready.http cannot be asked: on ssh:build7 only http is asked, not https. Use ready.port or ready.log.",
    );
    expect((await thrown(far.call({ ready: { port: 80 }, tty: true }))).message).toMatch(
      /^ready\.port cannot be asked: the ports of a terminal on ssh:build7 are not known\./,
    );
    expect((await far.call({ ready: { port: 80 } })).details).toMatchObject({ service: "ready" });
    expect(far.runs[0]?.options.cwd).toBe("/far");
    const again = await far.call({ cwd: "~", name: "home", ready: { port: 80 } });
    expect(again.details).toMatchObject({ service: "ready" });
    expect(far.runs[1]?.options.cwd).toBe("/home/far");
  });
});

describe("a service that fails", () => {
  const READY = { ready: { port: 80 }, restart: "on-failure" };

  it("is started again, as is said, until it has failed too often", async () => {
    const { call, end, news, texts, listed, starts } = await desk();
    await call(READY);
    await end(0, { exitCode: 1 });
    await until(() => news().some((line) => line.includes("(bash:bg_2) is ready again")), "the second start");
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
