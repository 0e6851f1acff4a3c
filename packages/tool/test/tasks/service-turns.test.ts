/** What a call for a service is refused for, when one that runs is the same, and what stops one that pauses. */
import { mkdirSync, rmdirSync } from "node:fs";
import { join } from "node:path";
import type { Executor, SessionPlace } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import { servicesOf } from "../../src/tasks/service-registry.ts";
import { resultOf } from "../support/facts.ts";
import { desk, PORT } from "../support/played-services.ts";
import { playedTerminal } from "../support/played-terminal.ts";
import { textOf, thrown, until } from "../support/session.ts";

const READY = { ready: { port: 80 } };
const SOON = { timeout_secs: 0.05 };
const PLACE: SessionPlace = {
  name: "ssh:build7",
  cwd: "/far",
  home: "/home/far",
  stat: async (path) => ({ kind: "directory", realPath: path }),
};
const far = (more: Partial<SessionPlace> = {}) => ({ session: { cwd: "/far", place: { ...PLACE, ...more } } });
const HOLDER = { ...PORT, pid: 9, program: "other" };

/** An executor in a sandbox whose commands have that network. */
const sandboxed = (network: boolean, more: Partial<Executor> = {}) => ({
  executor: { sandbox: { network } as Executor["sandbox"], ...more } as Partial<Executor>,
});

describe("a readiness", () => {
  it("by http is not asked of a network that the host is not in", async () => {
    const http = { ready: { http: { url: "http://127.0.0.1:9/" }, ...SOON } };
    expect((await thrown((await desk(sandboxed(false))).call(http))).message).toMatch(
      /^ready\.http cannot be asked: commands run in a sandbox with a network of its own/,
    );
    expect((await (await desk(sandboxed(true))).call(http)).details).toMatchObject({ service: "not_ready" });
    const ports = { ready: { port: 81, ...SOON } };
    expect((await (await desk(sandboxed(false))).call(ports)).details).toMatchObject({ service: "not_ready" });
  });

  it("by https is not asked on a place, and http is", async () => {
    const http = (scheme: string) => ({ ready: { http: { url: `${scheme}://127.0.0.1:9/` }, ...SOON } });
    expect((await thrown((await desk(far())).call(http("https")))).message).toMatch(
      /^ready\.http cannot be asked: on ssh:build7 only http is asked, not https/,
    );
    // It ends at once, so that nothing is asked; the call is not refused.
    const ends = { executeBash: async () => resultOf("bye\n") };
    const { details } = await (await desk({ ...far(), executor: ends })).call(http("http"));
    expect(details).toMatchObject({ status: "completed" });
    expect((await (await desk()).call(http("https"))).details).toMatchObject({ service: "not_ready" });
  });

  it("by a port is not asked of a terminal on a place", async () => {
    const refused = /^ready\.port cannot be asked: the ports of a terminal on ssh:build7 are not known/;
    expect((await thrown((await desk(far())).call({ tty: true, ...READY }))).message).toMatch(refused);
    expect((await (await desk(far())).call(READY)).details).toMatchObject({ service: "ready" });
    const runOnTerminal = () => Promise.reject(new Error("no terminal"));
    const there = await desk({ ...far(), executor: { runOnTerminal } });
    await expect(there.call({ tty: true, ready: { log: "up" } })).rejects.toThrow("no terminal");
    const here = await desk({ executor: { runOnTerminal } });
    await expect(here.call({ tty: true, ...READY })).rejects.toThrow("no terminal");
  });

  it("by a port that another program has is refused, unless the sandbox has ports of its own", async () => {
    const taken = { portHolder: async () => HOLDER };
    for (const played of [{ executor: taken }, sandboxed(true, taken)] as Parameters<typeof desk>[0][]) {
      const { call, starts } = await desk(played);
      expect((await thrown(call(READY))).message).toMatch(
        /^Service web failed: port 80 is taken by pid 9 \(other\), which is not this service\. Nothing was started\./,
      );
      expect(starts()).toBe(0);
    }
    const own = await desk(sandboxed(false, taken as Partial<Executor>));
    expect((await own.call(READY)).details).toMatchObject({ service: "ready" });
  });

  it("that does not hold is said of one that was ready by another one", async () => {
    const { call } = await desk();
    await call(READY);
    const other = await call({ ready: { port: 81, ...SOON } });
    expect(other.isError).toBe(true);
    expect(textOf(other)).toContain("Not met: port 81 (node listens on 80).");
    expect(textOf(await call({ ready: { port: 80, ...SOON } }))).toMatch(/: (?:already ready|ready after)/);
  });
});

describe("a service that runs", () => {
  it("says for how long it has been ready", async () => {
    const { call, manager } = await desk();
    await call(READY);
    const service = servicesOf(manager).live("web", () => true);
    if (service === undefined) throw new Error("there is none");
    service.readyAtMs = Date.now() - 5_000;
    expect(textOf(await call())).toContain("already ready, for 5 s;");
    service.readyAtMs = undefined;
    expect(textOf(await call())).toContain("already ready, for 0 s;");
  });

  it("is the same where its folder is, from a home as from a workspace", async () => {
    for (const [played, folder] of [
      [far(), "/home/far"],
      [far({ home: undefined }), "/"],
      [{}, undefined],
    ] as const) {
      const { call, folder: workspace } = await desk(played);
      await call({ cwd: "~", ...READY });
      expect(textOf(await call({ cwd: folder ?? join(workspace, "home") }))).toContain("already ready");
    }
  });

  it("on a terminal is the same only on a terminal", async () => {
    const { terminal } = playedTerminal({
      waiting: undefined,
      newLines: () => ({ lines: [], unfinished: "", isIncomplete: false }),
      placeNow: () => ({}) as ReturnType<typeof terminal.placeNow>,
    });
    const runOnTerminal: Executor["runOnTerminal"] = async (_, { signal, onOpen, onStart, onPorts }) => {
      onOpen?.(terminal);
      onPorts?.(async () => [PORT]);
      onStart?.();
      return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(new Error("ended"))));
    };
    const { call, starts } = await desk({ executor: { runOnTerminal } });
    await call({ tty: true, ready: { ...SOON, log: "never" } });
    expect((await call({ tty: true, ready: { ...SOON, log: "never" } })).details).toMatchObject({
      taskId: "bash:bg_1",
    });
    const { message } = await thrown(call());
    expect(message).toMatch(/ on a terminal; you asked for "serve" in [^;]*\. Pass replace/);
    expect(message).not.toContain(" on a terminal. Pass replace");
    expect(starts()).toBe(0);
  });

  it("belongs to no one in a session without an id", async () => {
    const { call, manager, session } = await desk();
    Object.assign(session, { getSessionId: undefined });
    await call(READY);
    expect(servicesOf(manager).live("web", (owner) => owner === undefined)?.taskId).toBe("bash:bg_1");
  });

  it("is not live once it was ended, and its port is waited for where it had one", async () => {
    const asked: number[] = [];
    const answers = [undefined, PORT, PORT, HOLDER];
    const portHolder = async (port: number) => {
      asked.push(port);
      return answers.shift();
    };
    const { call, manager } = await desk({ executor: { portHolder } });
    await call(READY);
    const service = servicesOf(manager).live("web", () => true);
    expect(await service?.end()).toBe(true);
    expect(service?.isLive).toBe(false);
    expect([service?.state, asked]).toEqual(["exited", [80, 80, 80, 80]]);
    asked.splice(0);
    await call();
    await servicesOf(manager)
      .live("web", () => true)
      ?.end();
    expect(asked).toEqual([]);
  });

  it("is asked for no port where it listened on none", async () => {
    const asked: number[] = [];
    const portHolder = async (port: number) => void asked.push(port);
    const { call, manager } = await desk({ ports: [], executor: { portHolder } });
    await call({ ready: { port: 80, ...SOON } });
    await servicesOf(manager)
      .live("web", () => true)
      ?.end();
    expect(asked).toEqual([80]);
  });
});

describe("a service that is to be started again", () => {
  const RESTARTS = { ...READY, restart: "on-failure" };
  const LATER = { limits: { firstPauseMs: 3_600_000, longestPauseMs: 3_600_000 } };

  it("still has its name while it pauses, and no longer once it was ended", async () => {
    const { call, end, manager, terminate, starts } = await desk(LATER);
    await call(RESTARTS);
    const service = servicesOf(manager).live("web", () => true);
    await end(0, { exitCode: 1 });
    await until(() => service?.state === "starting", "its pause");
    expect(service?.isLive).toBe(true);
    expect((await thrown(call({ script: "other" }))).message).toMatch(/^Service web \(bash:bg_1\) runs "serve"/);
    await terminate("bash:bg_1");
    expect([service?.state, service?.isLive]).toEqual(["exited", false]);
    expect((await call({ ...READY, script: "other" })).details).toMatchObject({ taskId: "bash:bg_2" });
    expect(starts()).toBe(2);
  });

  it("has failed for good where its folder is gone, and stays so when it is ended", async () => {
    const { call, end, manager, folder, listed, terminate } = await desk();
    mkdirSync(join(folder, "sub"));
    await call({ ...RESTARTS, cwd: "sub" });
    const service = servicesOf(manager).live("web", () => true);
    rmdirSync(join(folder, "sub"));
    await end(0, { exitCode: 1 });
    await until(() => service?.state === "failed", "its last failure");
    expect(service?.isLive).toBe(false);
    await terminate("bash:bg_1");
    expect(await listed("reported")).toMatchObject([{ name: "web", service: "failed", restarts: 0 }]);
  });

  it("is not said to be ready again where its new start is not", async () => {
    const { call, end, news, texts, starts } = await desk({ laterPorts: [] });
    await call(RESTARTS);
    await end(0, { exitCode: 1 });
    await until(() => news().some((line) => line.includes("was started again as bash:bg_2")), "the news");
    await end(1, { exitCode: 0 });
    await until(() => texts().some((text) => text.startsWith("Background job bg_2")), "its delivery");
    expect(texts().join("\n")).not.toContain("ready again");
    expect(starts()).toBe(2);
  });
});
