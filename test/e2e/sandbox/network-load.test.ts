/**
 * Much at once through the proxy of a sandbox, and sudden ends: what is downloaded is whole, what is cancelled ends, and
 * nothing is left. What is allowed at all: `network.test.ts`.
 */
import { createHash } from "node:crypto";
import { readdirSync, readlinkSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { openNetworkSandbox } from "../../support/network-sandbox.ts";
import { until } from "../../support/patience.ts";
import { listenOnLoopback } from "../../support/registry.ts";

/** Time for a proof of a sandbox, some commands and 64 MiB. */
const SLOW_MS = 60_000;

/** Sockets of this process, by their descriptors. */
function sockets(): string[] {
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`);
      return path.startsWith("socket:") ? [path] : [];
    } catch {
      return []; // The descriptor of the folder that was read.
    }
  });
}

describe.each(["bubblewrap", "landlock"] as const)("in %s", (backend) => {
  // A kernel or a machine without it.
  const when = { skip: !capabilities().sandbox.includes(backend), timeout: SLOW_MS };

  const open = (test: TestContext, port: number) => openNetworkSandbox(test, backend, { allow: [`127.0.0.1:${port}`] });

  it("a large file comes whole, as an answer and through a tunnel, and goes whole", when, async (test) => {
    const file = Buffer.alloc(64 * 1024 * 1024);
    for (let at = 0; at < file.length; at += 4_093) file[at] = at % 251;
    const digest = createHash("sha256").update(file).digest("hex");
    const server = createServer((request, answer) => {
      if (request.method === "GET") return void answer.end(file);
      const hash = createHash("sha256");
      request.on("data", (bytes) => hash.update(bytes)).on("end", () => answer.end(hash.digest("hex")));
    });
    const port = await listenOnLoopback(server);
    const executor = await open(test, port);
    const address = `http://127.0.0.1:${port}/`;

    const plain = await executor.executeBash(`curl -sS ${address} -o file && sha256sum < file`);
    const tunnelled = await executor.executeBash(`curl -sS --proxytunnel ${address} | sha256sum`);
    const sent = await executor.executeBash(`curl -sS -T file ${address}`);

    expect([plain.output, tunnelled.output, sent.output]).toEqual([`${digest}  -\n`, `${digest}  -\n`, digest]);
  });

  it("many connections at once are all served", when, async (test) => {
    const port = await listenOnLoopback(createServer((request, answer) => answer.end(`${request.url}\n`)));
    const executor = await open(test, port);

    const { output } = await executor.executeBash(
      `for i in {1..200}; do printf 'url = "http://127.0.0.1:${port}/%s"\\n' $i; done | curl -sS --parallel --parallel-immediate --parallel-max 200 -K - 2> /dev/null`,
    );

    const paths = Array.from({ length: 200 }, (_, at) => `/${at + 1}`);
    expect(output.trim().split("\n").toSorted()).toEqual(paths.toSorted());
  });

  it("a program that ends its half hears the server to its end", when, async (test) => {
    const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
      let heard = 0;
      socket.on("data", (bytes) => {
        heard += bytes.length;
      });
      socket.on("error", () => undefined).on("end", () => socket.end(`heard ${heard}`));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const executor = await open(test, port);
    const program = `
      const net = require("net").connect(3128, "127.0.0.1", () => net.write("CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n"));
      net.once("data", () => { net.on("data", (bytes) => process.stdout.write(bytes)); net.end(Buffer.alloc(1e6)); });`;

    const { output } = await executor.executeBash(`${process.execPath} -e '${program}'`);

    expect(output).toBe("heard 1000000");
  });

  it("a download that is cancelled ends at the server, and the session goes on", when, async (test) => {
    let isOpen = false;
    const server = createServer((request, answer) => {
      if (request.url === "/short") return void answer.end("short");
      isOpen = true;
      const timer = setInterval(() => answer.write("x"), 20);
      answer.on("close", () => {
        isOpen = false;
        clearInterval(timer);
      });
    });
    const port = await listenOnLoopback(server);
    const executor = await open(test, port);
    const abort = new AbortController();

    const running = executor.executeBash(`curl -sSN http://127.0.0.1:${port}/endless`, { signal: abort.signal });
    await until("the download runs", () => isOpen);
    abort.abort();

    expect(await running).toMatchObject({ cancelled: true });
    await until("the server's connection ends", () => !isOpen);
    const next = await executor.executeBash(`curl -sS http://127.0.0.1:${port}/short`);
    expect(next.output).toBe("short");
  });

  it("nothing of a session is left: no descriptor, no listener, no connection", when, async (test) => {
    let held = 0;
    const server = createServer((_, answer) => {
      held += 1;
      answer.on("close", () => {
        held -= 1;
      });
      answer.write("x");
    });
    const port = await listenOnLoopback(server);
    // What a process has from its first session on.
    await (await open(test, port)).dispose();
    const before = sockets();
    const executor = await open(test, port);
    const background = `for i in {1..20}; do curl -sN http://127.0.0.1:${port}/ > /dev/null & done`;
    await executor.executeBash(background);
    await until("all are connected", () => held === 20);
    expect(sockets().length).toBeGreaterThan(before.length + 20);

    await executor.dispose();

    await until("the server's connections end", () => held === 0);
    await until("descriptors are closed", () => sockets().filter((one) => !before.includes(one)).length === 0);
  });
});
