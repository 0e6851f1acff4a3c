/** When a service is ready: all that was named holds at once; and what is said where it does not. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { ServiceReady } from "@pi-bash/contract";
import type { JobManager, ListeningPort } from "@pi-bash/executor";
import { describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../../../test/support/ports.ts";
import type { BashToolSession } from "../../src/session.ts";
import { httpTarget, probeHttp } from "../../src/tasks/service-probe.ts";
import { awaitReady, type ReadyEnd, toReadiness } from "../../src/tasks/service-ready.ts";
import { type PlayedJob, playJob } from "../support/played-jobs.ts";
import { PORT } from "../support/played-services.ts";
import { playedTerminal } from "../support/played-terminal.ts";
import { jobs } from "../support/session.ts";

const HERE = { cwd: "/" } as BashToolSession;

/** A service without a process, and what comes of waiting for it. */
async function played(): Promise<{
  manager: JobManager;
  job: PlayedJob;
  wait: (ready?: ServiceReady, stop?: AbortSignal) => Promise<ReadyEnd>;
}> {
  const manager = await jobs();
  const job = playJob(manager);
  return {
    manager,
    job,
    wait: (ready, stop) =>
      awaitReady({ jobId: job.id, manager, session: HERE, cwd: "/" }, toReadiness(ready), {
        startedAtMs: Date.now(),
        ...(stop === undefined ? {} : { stop }),
      }),
  };
}

/** What was not met when the time was over. */
async function unmet(end: Promise<ReadyEnd>): Promise<string[]> {
  const found = await end;
  if (found.kind !== "not_ready") throw new Error(`it is ${found.kind}`);
  return found.unmet;
}

/** A web server of the test; its port. */
async function server(listener: RequestListener): Promise<number> {
  const made = createServer(listener);
  onTestFinished(() => {
    made.closeAllConnections();
    made.close();
  });
  made.listen(0, "127.0.0.1");
  await once(made, "listening");
  const address = made.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("a readiness", () => {
  it("has a time of its own, or a minute", () => {
    expect(toReadiness()).toEqual({ log: undefined, port: undefined, http: undefined, timeoutMs: 60_000 });
    expect(toReadiness({ port: 80, timeout_secs: 1.5 })).toMatchObject({ port: 80, timeoutMs: 1_500 });
  });

  it("is refused where its expression is none", () => {
    expect(() => toReadiness({ log: "(" })).toThrow(/^Invalid ready\.log: /);
    expect(toReadiness({ log: "up$" }).log).toMatchObject({ pattern: "up$" });
  });
});

describe("waiting for a service", () => {
  it("is over when it listens on its port, and not for another one", async () => {
    const { job, wait } = await played();
    let ports: ListeningPort[] = [];
    job.context.setPorts?.(async () => ports);
    expect(await unmet(wait({ port: 80, timeout_secs: 0.05 }))).toEqual(["port 80 (nothing listens)"]);
    ports = [
      { ...PORT, port: 81 },
      { ...PORT, port: 81, address: "::" },
      { port: 82, address: "::", startedAtMs: 0, isInside: false },
    ];
    expect(await unmet(wait({ port: 80, timeout_secs: 0.05 }))).toEqual([
      "port 80 (node listens on 81, a program listens on 82)",
    ]);
    ports = [{ ...PORT, port: 81 }, PORT];
    expect(await wait({ port: 80, timeout_secs: 20 })).toMatchObject({ kind: "ready", isAssumed: false });
  });

  it("names eight ports at most that it listens on instead", async () => {
    const { job, wait } = await played();
    job.context.setPorts?.(async () => Array.from({ length: 10 }, (_, at) => ({ ...PORT, port: at + 1 })));
    const [line = ""] = await unmet(wait({ port: 80, timeout_secs: 0.05 }));
    expect(line).toContain("node listens on 8");
    expect(line).not.toContain("node listens on 9");
  });

  it("assumes that it is ready once it listens anywhere, where nothing was named", async () => {
    const { job, wait } = await played();
    job.context.setPorts?.(async () => [PORT]);
    expect(await wait({ timeout_secs: 20 })).toMatchObject({ kind: "ready", isAssumed: true });
  });

  it("assumes it of one that has lived for two seconds, and not before", async () => {
    const young = await played();
    expect(await unmet(young.wait({ timeout_secs: 0.05 }))).toEqual(["it has just been started"]);
    let now = 1_000_000;
    const manager = await jobs({ now: () => now });
    now = Date.now() - 60_000;
    const { id } = playJob(manager);
    const end = await awaitReady({ jobId: id, manager, session: HERE, cwd: "/" }, toReadiness({ timeout_secs: 20 }), {
      startedAtMs: Date.now() - 5_000,
    });
    expect(end).toMatchObject({ kind: "ready", isAssumed: true });
    expect(end.kind === "ready" && end.afterMs).toBeGreaterThanOrEqual(5_000);
  });

  it("ends with a line that matches, with or without its end", async () => {
    const { job, wait } = await played();
    job.context.update("going up");
    expect(await wait({ log: "up$", timeout_secs: 20 })).toMatchObject({ kind: "ready" });
    expect(await unmet(wait({ log: "down", timeout_secs: 0.05 }))).toEqual(["log /down/ (no line matches)"]);
  });

  it("names all that does not hold, in their order", async () => {
    const { job, wait } = await played();
    job.context.update("x\nlast");
    const port = await freePort();
    const http = { url: `http://127.0.0.1:${port}/` };
    const end = await wait({ log: "never", port: 80, http, timeout_secs: 0.05 });
    expect(end).toEqual({
      kind: "not_ready",
      unmet: ["log /never/ (no line matches)", "port 80 (nothing listens)", `http ${http.url} (refused)`],
      output: "x\nlast",
    });
  });

  it("shows the end of what it wrote, and a line of what it named", async () => {
    const { job, wait } = await played();
    job.context.update(`${"x".repeat(3_000)}end`);
    const end = await wait({ log: "y".repeat(500), timeout_secs: 0.05 });
    expect(end.kind === "not_ready" && end.output).toBe(`${"x".repeat(2_045)}end`);
    expect(end.kind === "not_ready" && end.unmet).toEqual([`log /${"y".repeat(119)}…/ (no line matches)`]);
  });

  it("ends with the service, whose output is the answer, and is not delivered", async () => {
    const { manager, job, wait } = await played();
    const delivered: unknown[] = [];
    manager.subscribe("agent-1", (batch) => void delivered.push(...batch));
    const waiting = wait({ port: 80, timeout_secs: 60 });
    await job.end({ text: "it failed\n", exitCode: 3 });
    expect(await waiting).toMatchObject({ kind: "ended", job: { exitCode: 3 }, output: "it failed\n" });
    expect(delivered).toEqual([]);
    expect(await wait({ port: 80, timeout_secs: 60 })).toMatchObject({ kind: "ended" });
  });

  it("ends when it is stopped, and the service goes on", async () => {
    const { manager, job, wait } = await played();
    expect(await wait({ port: 80 }, AbortSignal.abort())).toEqual({ kind: "interrupted" });
    const stop = new AbortController();
    const waiting = wait({ port: 80, timeout_secs: 60 }, stop.signal);
    stop.abort();
    expect(await waiting).toEqual({ kind: "interrupted" });
    expect(manager.find(job.id)?.job.endedAtMs).toBeUndefined();
  });

  it("ends where a program of it asks for input, unless it is ready", async () => {
    const { job, wait } = await played();
    const { terminal, set } = playedTerminal({
      waiting: undefined,
      newLines: () => ({ lines: [], unfinished: "", isIncomplete: false }),
    });
    job.context.setTerminal(terminal);
    const waiting = wait({ port: 80, timeout_secs: 60 });
    set({ waiting: { kind: "line", program: "npm", since_ms: 1, certain: true }, prompt: 2 });
    expect(await waiting).toEqual({ kind: "waiting", terminal });
    set({ waiting: { kind: "line", program: "npm", since_ms: 1, certain: false } });
    expect(await unmet(wait({ port: 80, timeout_secs: 0.05 }))).toHaveLength(1);
    set({ waiting: { kind: "line", program: "npm", since_ms: 1, certain: true } });
    job.context.setPorts?.(async () => [PORT]);
    expect(await wait({ port: 80 })).toMatchObject({ kind: "ready" });
  });

  it("is refused where its job is not there", async () => {
    const manager = await jobs();
    const waiting = awaitReady({ jobId: "bg_9", manager, session: HERE, cwd: "/" }, toReadiness({ port: 80 }), {
      startedAtMs: 0,
    });
    await expect(waiting).rejects.toThrow("The service's job bg_9 is not there any more.");
  });
});

describe("a question over HTTP", () => {
  it.each(["http://localhost/", "https://127.0.0.1:1/x?y", "http://127.9.9.9/", "http://[::1]:5173/"])(
    "may go to %s",
    (url) => {
      expect(httpTarget({ url }).url.href).toBe(url);
    },
  );

  it.each([
    ["x", "it is not a URL"],
    ["ftp://localhost/", "only http and https of localhost"],
    ["http://localhost.example/", "only http and https of localhost"],
    ["http://x127.0.0.1.example/", "only http and https of localhost"],
    ["http://128.0.0.1/", "only http and https of localhost"],
    ["http://[::2]/", "only http and https of localhost"],
    ["http://localhost:0/", "nothing can listen on port 0"],
    ["http://u@localhost/", "a URL with a user name or a password is not asked"],
    ["http://:p@localhost/", "a URL with a user name or a password is not asked"],
  ])("never goes to %s", (url, why) => {
    expect(() => httpTarget({ url })).toThrow(`Invalid ready.http.url: ${why}`);
  });

  it.each([
    [200, undefined, true],
    [302, undefined, true],
    [399, undefined, true],
    [400, undefined, false],
    [503, undefined, false],
    [503, 503, true],
    [200, 204, false],
    [204, 204, true],
  ])("answered with %d where %s is wanted is met: %s", async (status, wanted, isMet) => {
    const port = await server((_, answer) => answer.writeHead(status).end());
    const target = httpTarget({
      url: `http://127.0.0.1:${port}/`,
      ...(wanted === undefined ? {} : { status: wanted }),
    });
    expect(await probeHttp(target, HERE)).toEqual({ isMet, why: `status ${status}` });
  });

  it("that is refused, or has no answer, is not met and says which", async () => {
    const refused = httpTarget({ url: `http://127.0.0.1:${await freePort()}/` });
    expect(await probeHttp(refused, HERE)).toEqual({ isMet: false, why: "refused" });
    const port = await server((request) => request.socket.destroy());
    const silent = httpTarget({ url: `http://127.0.0.1:${port}/` });
    expect(await probeHttp(silent, HERE)).toEqual({ isMet: false, why: "no answer" });
    const hangs = await server(() => undefined);
    expect(await probeHttp(httpTarget({ url: `http://127.0.0.1:${hangs}/` }), HERE)).toEqual({
      isMet: false,
      why: "no answer",
    });
  });
});
