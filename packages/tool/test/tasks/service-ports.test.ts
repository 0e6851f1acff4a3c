/** Services without a process: whose port it is, and which readiness cannot be asked. */
import { describe, expect, it } from "vitest";
import { servicesOf } from "../../src/tasks/service-registry.ts";
import { desk, PORT } from "../support/played-services.ts";
import { thrown } from "../support/session.ts";

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

describe("a service that is replaced", () => {
  it("is waited for until its port is free", async () => {
    let looks = 0;
    // The first look is before the first start; then its tree has the port for two more.
    const portHolder = async () => {
      looks += 1;
      return looks === 2 || looks === 3 ? PORT : undefined;
    };
    const { call } = await desk({ executor: { portHolder } });
    await call({ ready: { port: 80 } });
    const { details } = await call({ replace: true, ready: { port: 80 } });
    expect(details).toMatchObject({ taskId: "bash:bg_2", service: "ready" });
    expect(looks).toBe(5);
  });

  it("is not the one that has the port where another program has it", async () => {
    let looks = 0;
    const portHolder = async () => {
      looks += 1;
      return looks === 1 ? undefined : { ...PORT, pid: 8 };
    };
    const { call } = await desk({ executor: { portHolder } });
    await call({ ready: { port: 80 } });
    const { message } = await thrown(call({ replace: true, ready: { port: 80 } }));
    expect(message).toContain("port 80 is taken by pid 8 (node)");
    expect(looks).toBe(3);
  });
});

it("a service that could not be started is forgotten", async () => {
  const { call, manager } = await desk();
  const work = ({ signal }: { signal: AbortSignal }) =>
    new Promise<{ text: string }>((resolve) => signal.addEventListener("abort", () => resolve({ text: "" })));
  for (let at = 0; at < manager.maxJobs; at += 1) manager.start({ command: "x", work });
  expect((await thrown(call())).message).toMatch(/^Background job limit reached/);
  expect(servicesOf(manager).ofJob("")).toBeUndefined();
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
