/** What a call for a service answers, whole, and what keeps it from starting one. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Executor, TaskTerminal } from "@pi-bash/executor";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { servicesOf } from "../../src/tasks/service-registry.ts";
import { ToolAbortError } from "../../src/tool-error.ts";
import { desk, PORT } from "../support/played-services.ts";
import { playedTerminal } from "../support/played-terminal.ts";
import { farPlace } from "../support/preparing.ts";
import { textOf, thrown, until } from "../support/session.ts";

const READY = { ready: { port: 80 } };
const SOON = { timeout_secs: 0.05 };
const PORTS = [{ port: 80, address: "127.0.0.1", pid: 7, program: "node" }];
const FACTS = { taskId: "bash:bg_1", name: "web" };

/** Moves the clock of the day forward by so many milliseconds, until the test is over. */
function later(byMs: number): void {
  const now = Date.now.bind(Date);
  const spy = vi.spyOn(Date, "now").mockImplementation(() => now() + byMs);
  onTestFinished(() => spy.mockRestore());
}

describe("the answer of a call for a service", () => {
  it("that was ready already has its facts", async () => {
    const { call } = await desk();
    await call(READY);
    later(7_000);
    for (const params of [{}, READY]) {
      const { content, details, isError } = await call(params);
      expect(details).toStrictEqual({ status: "running", ...FACTS, service: "ready", ports: PORTS });
      expect(textOf({ content })).toBe(
        "### Service web (bash:bg_1): already ready, for 7 s; not started again. `replace: true` ends it and starts it again.\nports: 127.0.0.1:80 (node, pid 7)",
      );
      expect(isError).toBeUndefined();
    }
  });

  it("that was not ready before counts the time from its own call", async () => {
    const ports: (typeof PORT)[] = [];
    const { call } = await desk({ ports });
    await call({ ready: { port: 80, ...SOON } });
    ports.push(PORT);
    later(3_600_000);
    const { content, details } = await call(READY);
    expect(details).toStrictEqual({ status: "running", ...FACTS, service: "ready", ports: PORTS });
    expect(textOf({ content })).toMatch(
      /^### Service web \(bash:bg_1\): ready after 0\.\d s\nports: 127\.0\.0\.1:80 \(node, pid 7\)$/,
    );
  });

  it("that was taken for ready says so, of the same service again as well", async () => {
    const { call } = await desk();
    const facts = { status: "running", ...FACTS, service: "ready", assumed: true, ports: PORTS };
    expect((await call()).details).toStrictEqual(facts);
    expect((await call()).details).toStrictEqual(facts);
  });

  it("that was started again has the number of its restarts", async () => {
    const { call, end, news } = await desk();
    await call({ ...READY, restart: "on-failure" });
    await end(0, { exitCode: 1 });
    await until(() => news().some((line) => line.includes("is ready again")), "its second start");
    expect((await call()).details).toStrictEqual({
      status: "running",
      taskId: "bash:bg_2",
      name: "web",
      service: "ready",
      restarts: 1,
      ports: PORTS,
    });
  });

  it("that was interrupted, that is not ready, and that has ended are whole as well", async () => {
    const stop = new AbortController();
    const { call, end, session } = await desk({ ports: [] });
    Object.assign(session, { queuedMessage: () => stop.signal });
    stop.abort();
    const note = "Waiting was interrupted: a new message was queued. The service goes on.";
    expect((await call(READY)).details).toStrictEqual({ status: "running", ...FACTS, service: "starting", note });
    Object.assign(session, { queuedMessage: undefined });
    const calling = call(READY);
    await end(0, { exitCode: undefined, signal: "SIGKILL", output: "bye\n" });
    const ended = await calling;
    expect(ended.isError).toBe(true);
    expect(ended.details).toMatchObject({ status: "completed", ...FACTS, service: "exited", title: "web" });
    expect(ended.details).not.toHaveProperty("ports");
    expect(textOf(ended)).toMatch(
      /^### Service web \(bash:bg_1\): was ended by SIGKILL before it was ready, after \d\.\d s\n\n```\n/,
    );
  });

  it("that waits for input says how it is answered", async () => {
    const { terminal } = playedTerminal({
      waiting: { kind: "line", program: "npm", since_ms: 1_500, certain: true, prompt: "Install?" },
      newLines: () => ({ lines: [], unfinished: "", isIncomplete: false }),
      placeNow: () => ({}) as ReturnType<TaskTerminal["placeNow"]>,
    });
    const runOnTerminal: Executor["runOnTerminal"] = async (_, { signal, onOpen, onStart }) => {
      onOpen?.(terminal);
      onStart?.();
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("ended"))));
    };
    const { call } = await desk({ executor: { runOnTerminal } });
    const { content, details, isError } = await call({ tty: true, ready: { log: "never" } });
    expect(textOf({ content })).toBe(
      '### Service web (bash:bg_1): waiting for input\n`npm` asks: "Install?"\nAnswer with task_send({"task_id":"bash:bg_1","text":"…"}), or end it with task_terminate.',
    );
    expect(details).toStrictEqual({
      status: "running",
      ...FACTS,
      service: "starting",
      waiting: { kind: "line", program: "npm", since_ms: 1_500, certain: true, prompt: "Install?" },
    });
    expect(isError).toBeUndefined();
  });
});

describe("a service that is asked for again", () => {
  it("on a terminal is another one than without, which the refusal names", async () => {
    const { call, folder } = await desk();
    await call(READY);
    expect((await thrown(call({ tty: true }))).message).toBe(
      `Service web (bash:bg_1) runs "serve" in ${folder}; you asked for "serve" in ${folder} on a terminal. Pass replace: true to end it first, or use another name.`,
    );
  });

  it("counts the time from its start, and not from the call before that", async () => {
    const portHolder = async () => {
      later(3_600_000);
      return undefined;
    };
    const { call } = await desk({ executor: { portHolder } });
    expect(textOf(await call(READY))).toMatch(/^### Service web \(bash:bg_1\): ready after \d\.\d s\n/);
  });

  it("is the same by the same name of its folder, from the home of a place as from this one's", async () => {
    for (const session of [{ cwd: "/far", place: farPlace() }, {}]) {
      const { call, starts } = await desk({ session });
      for (let time = 0; time < 2; time += 1) await call({ ...READY, cwd: "~" });
      expect(textOf(await call({ ...READY, cwd: "~" }))).toContain("already ready");
      expect(starts()).toBe(1);
    }
  });

  it("is ready by its answer over HTTP, and is not by one that does not count", async () => {
    const server = createServer((_, answer) => answer.writeHead(204).end());
    onTestFinished(() => void server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const { call } = await desk({ ports: [] });
    expect((await call({ ready: { http: { url } } })).details).toStrictEqual({
      status: "running",
      ...FACTS,
      service: "ready",
    });
    expect(textOf(await call({ ready: { http: { url, status: 200 }, ...SOON } }))).toContain(
      `Not met: http ${url} (status 204).`,
    );
  });
});

describe("a service is not started", () => {
  it("where the settings ask for a sandbox that the executor does not have", async () => {
    const { call, starts } = await desk({ session: { settings: { sandboxMode: "workspace-write" } } });
    expect((await thrown(call(READY))).message).toMatch(/^`sandboxMode` is `workspace-write`, and the executor runs/);
    expect(starts()).toBe(0);
  });

  it("where its call was given up while it was prepared", async () => {
    const controller = new AbortController();
    let looks = 0;
    const resolve = async () => {
      looks += 1;
      // The second look is the last thing before the start.
      if (looks === 2) controller.abort();
      return { sourcePath: "/" };
    };
    const { call, starts, manager } = await desk({
      session: { internalUrls: { router: { canHandle: () => true, resolve } } },
    });
    const error = await thrown(call({ ...READY, cwd: "memory://x" }, controller.signal));
    expect(error).toBeInstanceOf(ToolAbortError);
    expect(error.message).toBe("Command aborted");
    expect([looks, starts(), manager.list("agent-1")]).toEqual([2, 0, []]);
  });

  it("where the one of its name cannot be ended, which is said", async () => {
    const { call, starts, manager } = await desk();
    await call(READY);
    const terminate = vi.spyOn(manager, "terminate").mockResolvedValue(false);
    expect((await thrown(call({ ...READY, replace: true }))).message).toBe(
      "Service web (bash:bg_1) could not be ended in time: something of it still runs or holds its port. Nothing was started; try again.",
    );
    expect(terminate).toHaveBeenCalledExactlyOnceWith("bg_1", expect.any(Number));
    expect(starts()).toBe(1);
    terminate.mockRestore();
    expect((await call({ ...READY, replace: true })).details).toMatchObject({ taskId: "bash:bg_2" });
  });

  it("where the port of the one of its name stays taken by what is left of that", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    let looks = 0;
    const portHolder = async () => {
      looks += 1;
      if (looks === 1) return undefined;
      vi.advanceTimersByTime(2_500);
      return PORT;
    };
    const { call, starts } = await desk({ executor: { portHolder } });
    await call(READY);
    expect((await thrown(call({ ...READY, replace: true }))).message).toMatch(
      /^Service web \(bash:bg_1\) could not be/,
    );
    // At 2.5 s, at 5 s, which is the bound, and past it.
    expect([looks, starts()]).toEqual([4, 1]);
  });

  it("where a command is blocked, and its name is free", async () => {
    const { call, manager } = await desk();
    expect((await thrown(call({ script: "rm -rf /" }))).message).toMatch(/^Command blocked by policy/);
    expect(servicesOf(manager).live("web", () => true)).toBeUndefined();
    expect((await call(READY)).details).toMatchObject({ taskId: "bash:bg_1" });
  });
});
