/** A service on a terminal: it asks, it is answered, it is ready; its keys reach it while it runs. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freePort } from "../../../../test/support/ports.ts";
import { untilGone } from "../../../../test/support/process.ts";
import { service } from "../support/services.ts";
import { textOf, thrown } from "../support/session.ts";
import { ttyScene } from "./support.ts";

/** A server that asks for another port before it listens, and ends when it reads `q`. */
const asking = (port: number): string =>
  `exec ${JSON.stringify(process.execPath)} -e '
const lines = require("node:readline").createInterface({ input: process.stdin, output: process.stdout });
lines.question("Port 1 is in use, use ${port}? (Y/n) ", () => {
  require("node:http").createServer((_, to) => to.end("page")).listen(${port}, "127.0.0.1", () => console.log("listening"));
  lines.on("line", (line) => { if (line === "q") process.exit(0); });
});'`;

describe.skipIf(process.platform !== "linux")("a service on a terminal (who waits is known on Linux)", () => {
  it("that asks while it starts ends the wait with its question, and is ready when it was answered", async () => {
    const scene = await ttyScene();
    const port = await freePort();
    const params = { script: asking(port), tty: true, ready: { port, timeout_secs: 60 } };

    const asked = await service(scene, params);
    expect(textOf(asked)).toMatch(
      /^### Service web \(bash:bg_1\): waiting for input\n`node` asks: "Port 1 is in use, use \d+\? \(Y\/n\)"\nAnswer with task_send/,
    );
    expect(asked.details).toMatchObject({
      status: "running",
      taskId: "bash:bg_1",
      service: "starting",
      waiting: { kind: "prompt" },
    });
    const again = service(scene, params);
    await scene.send("bash:bg_1", { text: "y", wait_secs: 1 });
    // The call that asked at the same time is answered with the question, or with what became of it.
    await again;
    const ready = await service(scene, params);

    expect(textOf(ready)).toMatch(/^### Service web \(bash:bg_1\): (?:ready after|already ready)/);
    expect(textOf(ready)).toContain(`ports: 127.0.0.1:${port} (node, pid `);
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("page");
    const [listed] = await scene.list();
    expect(listed).toMatchObject({ taskId: "bash:bg_1", name: "web", ports: [{ port }] });
    await scene.send("bash:bg_1", { text: "q" });
    await expect.poll(() => scene.manager.runningCount, { timeout: 20_000 }).toBe(0);
  });

  it("is another one than the same command without a terminal, and goes with its workspace", async () => {
    const scene = await ttyScene();
    const script = "echo $$ >pid; echo listening; exec sleep 300";
    await service(scene, { script, tty: true, ready: { log: "^listening$" } });

    const other = await thrown(service(scene, { script, ready: { log: "^listening$" } }));
    expect(other.message).toContain("on a terminal; you asked for");
    const pid = Number(readFileSync(join(scene.folder, "pid"), "utf8"));
    await scene.terminate("bash:bg_1");
    await untilGone(pid);
  });

  it("that fails after its start is started again on a terminal", async () => {
    const scene = await ttyScene();
    const script = "echo listening; test -t 0 && read -rp 'fail? ' x; exit 3";
    const started = await service(scene, {
      script: `echo listening; sleep 1; ${script}`,
      tty: true,
      restart: "on-failure",
      ready: { log: "^listening$" },
    });
    expect(started.details).toMatchObject({ service: "ready" });
    await expect.poll(() => scene.manager.terminal("bg_1")?.waiting?.prompt, { timeout: 20_000 }).toBe("fail?");
    await scene.send("bash:bg_1", { text: "yes" });

    await expect.poll(() => scene.manager.terminal("bg_2")?.waiting?.prompt, { timeout: 20_000 }).toBe("fail?");
    await scene.terminate("bash:bg_2");
  });
});
