/**
 * Tasks of an agent that leave something running: servers, long builds, several jobs at once.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../support/patience.ts";
import { isAlive, untilGone } from "../support/process.ts";
import { bash, createAgent, job, type Reading } from "./support/agent.ts";
import { place } from "./support/place.ts";
import { ASK, PATH, SERVER } from "./support/server.ts";

const ASYNC = { "async.enabled": true };

describe("an agent and a server", () => {
  it("starts it as a job, asks it, reads its log and ends it", async () => {
    const cwd = place({ "server.mjs": SERVER });
    const agent = await createAgent({ cwd, settings: ASYNC, hostEnv: { PATH } });

    const { readings } = await agent.run(function* () {
      const [started] = yield bash("node server.mjs", { async: true });
      expect(started?.text).toMatch(/^Background job bg_1 started: node server\.mjs/);
      yield bash(ASK, { timeout: 60 });
      yield job({ list: true });
      yield job({ cancel: ["bg_1"] });
      yield bash(ASK, { timeout: 60 });
      return "asked";
    });

    expect(readings[0]?.details.async).toEqual({ state: "running", jobId: "bg_1", type: "bash" });
    expect(readings[1]?.text).toMatch(/^answer 1\n/);
    expect(readings[2]?.text).toMatch(/^bg_1 .*running.*node server\.mjs/m);
    expect(readings[3]?.text).toBe("Cancelled background job bg_1.");
    await until("the server is gone", async () => {
      const after = await agent.run(function* () {
        yield bash(ASK, { timeout: 60 });
        return "";
      });
      return after.readings[0]?.text.startsWith("refused") === true;
    });
    // Its owner ended it and knows.
    expect(agent.deliveries).toEqual([]);
  });

  it("starts it with `&`, hears that it runs, reads its log by the artifact and ends it by its pid", async () => {
    const cwd = place({ "server.mjs": SERVER });
    const agent = await createAgent({ cwd, hostEnv: { PATH } });

    const { readings } = await agent.run(function* () {
      const [started] = yield bash("node server.mjs & echo started");
      const pid = /Still running: (\d+) `node server\.mjs`/.exec(started?.text ?? "")?.[1];
      const [, address] = /What they write goes to (artifact:\/\/\w+)/.exec(started?.text ?? "") ?? [];
      yield bash(ASK, { timeout: 60 });
      yield bash(`until grep 'request 1' ${address}; do sleep 0.05; done; cat ${address}`, { timeout: 60 });
      yield bash(`kill ${pid}; while kill -0 ${pid} 2>/dev/null; do sleep 0.05; done; ${ASK}`, { timeout: 60 });
      return "ended";
    });

    expect(readings[0]?.details.survivors).toHaveLength(1);
    expect(readings[1]?.text).toMatch(/^answer 1\n/);
    expect(readings[2]?.text).toMatch(/started\n(.|\n)*listening\nrequest 1 for \/x\n/);
    expect(readings[3]).toMatchObject({ isError: true, details: { exitCode: 7 } });
  });

  it("leaves nothing running when its session ends", async () => {
    const cwd = place({ "server.mjs": SERVER });
    const agent = await createAgent({ cwd, hostEnv: { PATH } });
    const { readings } = await agent.run(function* () {
      yield bash("node server.mjs & until [ -e port ]; do sleep 0.05; done", { timeout: 60 });
      return "left";
    });
    const pid = readings[0]?.details.survivors?.[0]?.pid ?? 0;
    expect(isAlive(pid)).toBe(true);

    await agent.executor.dispose();

    await untilGone(pid);
  });
});

describe("an agent and jobs", () => {
  it("works on while a build runs, and is given its result once", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd, settings: ASYNC, takesDeliveries: false });

    const { readings } = await agent.run(function* () {
      yield bash("until [ -e go ]; do sleep 0.02; done; echo built; exit 3", { async: true });
      yield bash("echo meanwhile; touch go");
      const [polled] = yield job({ poll: ["bg_1"] });
      yield job({ poll: ["bg_1"] });
      return polled?.text ?? "";
    });

    expect(readings[1]?.text).toMatch(/^meanwhile\n/);
    expect(readings[2]?.text).toMatch(/bg_1.*failed/);
    expect(readings[2]?.text).toMatch(/built\n(.|\n)*Command exited with code 3/);
    expect(readings[3]?.text).toContain("Its result was taken before.");
    expect(agent.deliveries).toEqual([]);
  });

  it("is brought the result of a job that no one asks for", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd, settings: ASYNC });
    await agent.run(function* () {
      yield bash("until [ -e go ]; do sleep 0.02; done; echo fetched", { async: true });
      return "started";
    });

    writeFileSync(join(cwd, "go"), "");

    await until("the result", () => agent.deliveries.length > 0);
    expect(agent.deliveries).toHaveLength(1);
    expect(agent.deliveries[0]).toMatch(/bg_1(.|\n)*fetched/);
  });

  it("runs three jobs beside each other", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd, settings: ASYNC, takesDeliveries: false });
    // Each waits for the other two: run one after the other, none would end.
    const meet = (own: number) =>
      `touch here${own}; until [ -e here1 ] && [ -e here2 ] && [ -e here3 ]; do sleep 0.02; done; echo met ${own}`;

    const { readings } = await agent.run(function* () {
      yield [1, 2, 3].map((own) => bash(meet(own), { async: true, timeout: 60 }));
      const taken: Reading[] = [];
      for (const id of ["bg_1", "bg_2", "bg_3"]) taken.push(...(yield job({ poll: [id] })));
      return "met";
    });

    // Calls of one step are prepared beside each other: which is numbered first is no one's promise.
    const ids = readings.slice(0, 3).map(({ details }) => details.async?.jobId);
    expect(ids.sort()).toEqual(["bg_1", "bg_2", "bg_3"]);
    const news = readings.slice(3).map(({ text }) => text);
    expect(news).toHaveLength(3);
    for (const own of [1, 2, 3]) expect(news.filter((text) => text.includes(`met ${own}`))).toHaveLength(1);
  });

  it("has a long command go to the background by itself, and gets its result", async () => {
    const cwd = place();
    const settings = { "bash.autoBackground.enabled": true, "bash.autoBackground.thresholdMs": 300 };
    const agent = await createAgent({ cwd, settings, takesDeliveries: false });

    const { readings } = await agent.run(function* () {
      yield bash("echo working; until [ -e go ]; do sleep 0.02; done; echo finished");
      yield bash("touch go; echo other");
      yield job({ poll: ["bg_1"] });
      return "done";
    });

    expect(readings[0]?.text).toMatch(/^working\n\nBackground job bg_1 started: echo working;/);
    expect(readings[1]?.text).toMatch(/^other\n/);
    expect(readings[2]?.text).toMatch(/working\nfinished\n/);
  });

  it("hears that jobs are off, and works without", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      const [refused] = yield bash("touch ran", { async: true });
      expect(refused?.isError).toBe(true);
      yield bash("ls");
      return "without";
    });

    // The schema of this session has no `async`, so the loop refuses it before the tool is asked.
    expect(readings[0]?.text).toMatch(/async/);
    expect(existsSync(join(cwd, "ran"))).toBe(false);
    expect(readings[1]?.text).toMatch(/^\(no output\)\n/);
  });
});
