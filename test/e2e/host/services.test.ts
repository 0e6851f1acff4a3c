/**
 * Services that a host keeps: an agent's `pi-bash mcp --host` ends and comes back, and its service is the same one.
 */
import { describe, expect, it } from "vitest";
import { type Agent, ended, keeping, LIMIT_MS } from "../../support/kept.ts";
import { until } from "../../support/patience.ts";
import { freePort } from "../../support/ports.ts";
import { isAlive, untilGone } from "../../support/process.ts";

/** The call for a web server on a port. */
function web(port: number, more: object = {}) {
  const server = `require("node:http").createServer((_, to) => to.end("page")).listen(${port}, "127.0.0.1")`;
  const script = `exec ${JSON.stringify(process.execPath)} -e '${server}'`;
  return { kind: "service", name: "web", script, ready: { port }, ...more };
}

/** Asks for the service. */
async function ask(agent: Agent, params: Record<string, unknown>): Promise<{ text: string; pid: number }> {
  const text = await agent.call("task", params);
  const pid = Number(/ports: 127\.0\.0\.1:\d+ \(.+, pid (\d+)\)/.exec(text)?.[1]);
  if (Number.isNaN(pid)) throw new Error(`no port in: ${text}`);
  return { text, pid };
}

describe("a service that a host keeps", { timeout: 3 * LIMIT_MS }, () => {
  it("is the same one for the next client of its session, whether the one before ended or was killed", async () => {
    const kept = keeping();
    const host = await kept.host();
    const port = await freePort();
    const first = await kept.agent(["--session", "web"]);
    const begun = await ask(first, web(port));
    expect(begun.text).toContain("(bash:bg_1): ready after ");

    await first.client.close();
    await untilGone(first.pid);
    const second = await kept.agent(["--session", "web"]);
    const again = await ask(second, web(port));
    await second.die();
    const third = await kept.agent(["--session", "web"]);
    const once = await ask(third, web(port));

    for (const { text, pid } of [again, once]) {
      expect(text).toContain("(bash:bg_1): already ready");
      expect(pid).toBe(begun.pid);
    }
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("page");
    expect((await third.call("task_list", {})).match(/service ready/g)).toHaveLength(1);

    host.kill("SIGTERM");
    await ended(host);
    await untilGone(begun.pid);
  });

  it("is started again after a failure while no client is there", async () => {
    const kept = keeping();
    await kept.host();
    const port = await freePort();
    const call = web(port, { restart: "on-failure" });
    const first = await kept.agent(["--session", "web"]);
    const begun = await ask(first, call);
    await first.client.close();
    await until("the host to know", async () => (await kept.pi(["sessions"])).stdout.includes("no client"), LIMIT_MS);

    process.kill(begun.pid, "SIGKILL");

    await untilGone(begun.pid);
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        ({ ok }) => ok,
        () => false,
      );
    await until("the service to be started again", answers, LIMIT_MS);
    const next = await ask(await kept.agent(["--session", "web"]), call);
    expect(next.text).toMatch(/^### Service web \(bash:bg_2\): (already )?ready/m);
    expect(isAlive(next.pid)).toBe(true);
    expect(next.pid).not.toBe(begun.pid);
  });
});
