/** The MCP server, joined to the official client in this process: what a client cannot see go wrong over stdio. */
import { PassThrough } from "node:stream";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import type { AnyTool } from "@pi-bash/tool";
import { describe, expect, it, onTestFinished } from "vitest";
import { until, within } from "../../../test/support/patience.ts";
import { MAX_RESOURCE_BYTES } from "../src/mcp/artifact-resources.ts";
import { createMcpServer, type McpServerPorts, serveMcpOnStdio } from "../src/mcp/index.ts";
import { agentSession } from "./support/agent-session.ts";

const timeout = 40_000;

/** A tool whose calls do what `execute` does. */
async function toolOf(execute: () => Promise<never>): Promise<AnyTool> {
  return { ...(await agentSession()).bash, execute };
}

async function connect(ports: McpServerPorts): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(ports);
  const client = new Client({ name: "test", version: "1.0.0" });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  return client;
}

it("tells a client that waits for a quiet command that it still runs", async () => {
  const client = await connect({ tools: [(await agentSession()).bash], keepAliveMs: 50 });
  const stop = new AbortController();
  let signs = 0;

  const call = client.callTool(
    { name: "bash", arguments: { command: "sleep 300" } },
    {
      timeout,
      signal: stop.signal,
      onprogress: ({ message }) => {
        expect(message).toBeUndefined();
        signs += 1;
        if (signs === 3) stop.abort();
      },
    },
  );

  await expect(call).rejects.toThrow();
  expect(signs).toBe(3);
});

it("shows the end of a long output as progress, never from the middle of a character", async () => {
  const client = await connect({ tools: [(await agentSession()).bash] });
  const messages: string[] = [];

  await client.callTool(
    { name: "bash", arguments: { command: "printf '🙂🙂🙂🙂🙂\\n%.0s' {1..600}; printf x; sleep 0.5" } },
    { timeout, onprogress: ({ message = "" }) => void messages.push(message) },
  );

  expect(messages.length).toBeGreaterThan(0);
  expect(messages.at(-1)).toMatch(/^(🙂|\n)+x$/u);
  expect(Math.max(...messages.map(({ length }) => length))).toBeLessThanOrEqual(2_000);
});

it("answers a wrong call with an error that the model reads, and runs nothing", async () => {
  const client = await connect({ tools: [(await agentSession()).bash] });

  const wrong = await client.callTool({ name: "bash", arguments: { command: "echo ran", more: 1 } });
  const unset = await client.callTool({ name: "bash", arguments: { command: "echo ran", env: { "A-B": "x" } } });

  expect(wrong).toMatchObject({
    isError: true,
    content: [
      { text: expect.stringMatching(/^Invalid bash parameters: there is no field `more`; there are `command`,/) },
    ],
  });
  expect(unset).toMatchObject({ isError: true, content: [{ type: "text", text: "Invalid bash env name: A-B" }] });
});

it("answers the call of a tool that is broken, and serves on", async () => {
  const broken = await toolOf(() => Promise.reject(new TypeError("a defect")));
  const client = await connect({ tools: [broken] });

  const answer = await client.callTool({ name: "bash", arguments: { command: "x" } });

  expect(answer).toMatchObject({ isError: true, content: [{ type: "text", text: "a defect" }] });
  expect((await client.listTools()).tools).toHaveLength(1);
});

it("reads a part of what is too large for a message, and says that it is cut", async () => {
  const { session, bash } = await agentSession();
  const { executor } = session;
  const client = await connect({ tools: [bash], artifacts: executor.artifacts });
  const lines = 30_000;
  // Control characters: JSON writes each in six.
  const { id } = await executor.artifacts.save("bash", `${"\u0001".repeat(99)}\n`.repeat(lines));
  const read = async (address: string) =>
    (await client.readResource({ uri: `artifact://${id}${address}` })).contents[0];

  await expect(read("")).rejects.toThrow("Read a part of it");
  const part = await read(`:1-${lines}`);
  const end = await read("?tail=2");

  expect(part).toMatchObject({ _meta: { "pi-bash/cut": { totalBytes: 100 * lines } } });
  const text = part !== undefined && "text" in part ? part.text : "";
  expect(text.length).toBeGreaterThan(MAX_RESOURCE_BYTES / 2);
  expect(text.length).toBeLessThanOrEqual(MAX_RESOURCE_BYTES);
  expect(end).not.toHaveProperty("_meta");
});

it("says what is wrong with an address", async () => {
  const { session, bash } = await agentSession();
  const { executor } = session;
  const client = await connect({ tools: [bash], artifacts: executor.artifacts });
  const { id } = await executor.artifacts.save("bash", "text\n");
  const read = (uri: string) => client.readResource({ uri });

  await expect(read("artifact://none")).rejects.toThrow(/none/);
  await expect(read(`artifact://${id}:5-1`)).rejects.toThrow("ends before it begins");
  await expect(read("artifact://../../etc/passwd")).rejects.toThrow("no valid id");
});

it("stops serving when its input ends, and when its signal aborts", async () => {
  const serve = () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const stop = new AbortController();
    const errors: Error[] = [];
    const served = serveMcpOnStdio(() => createMcpServer({ tools: [] }), {
      input,
      output,
      signal: stop.signal,
      onError: (error) => void errors.push(error),
    });
    return { input, stop, errors, served };
  };

  const left = serve();
  left.input.end();
  await within("the end of the input", left.served);

  const flood = serve();
  flood.input.end(Buffer.alloc(11 * 1024 ** 2, "x"));
  await within("a message without an end", flood.served);
  expect(flood.errors).not.toEqual([]);

  const stopped = serve();
  stopped.stop.abort();
  await within("the signal", stopped.served);
});

/** A server over a pair of streams, and the lines that it writes, parsed. */
function serveLines() {
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const served = serveMcpOnStdio(() => createMcpServer({ tools: [] }), { input, output, signal: stop.signal });
  const lines: { id?: unknown; error?: { code: number; message: string }; result?: object }[] = [];
  let rest = "";
  output.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((line) => JSON.parse(line) as object));
  });
  const initialize = {
    jsonrpc: "2.0",
    id: "first",
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  };
  input.write(`${JSON.stringify(initialize)}\n`);
  return { input, served, lines };
}

describe("a message that is too large", () => {
  const filler = "x".repeat(11 * 1024 ** 2);
  const call = { jsonrpc: "2.0", method: "tools/call", params: { id: "inner", name: "bash", filler } };

  it.each([
    ["with its id in front", JSON.stringify({ id: 7, ...call }), 7],
    ["with its id at the end", JSON.stringify({ ...call, id: "last" }), "last"],
    ["with an id that looks like another", JSON.stringify({ ...call, 'x"id': 1, id: 'a"},{"id":5' }), 'a"},{"id":5'],
    ["without an id", JSON.stringify(call), null],
    ["with an id that is an object", JSON.stringify({ ...call, id: { a: 1 } }), null],
    ["that is no JSON", filler, null],
  ])("%s is answered with an error, and the next one is read", async (_, frame, id) => {
    const { input, lines } = serveLines();

    for (let at = 0; at < frame.length; at += 1_000_003) input.write(frame.slice(at, at + 1_000_003));
    input.write(`\n${JSON.stringify({ jsonrpc: "2.0", id: "after", method: "ping" })}\n`);

    await until("the next answer", () => lines.some((line) => line.id === "after"));
    expect(lines).toContainEqual({
      jsonrpc: "2.0",
      id,
      error: { code: -32_600, message: expect.stringContaining("the message has more than") },
    });
    expect(lines.find((line) => line.id === "after")).toHaveProperty("result");
  });

  it("costs no memory for what is too much of it", async () => {
    const { input, lines } = serveLines();
    const chunk = Buffer.alloc(1024 ** 2, "x");
    await until("the first answer", () => lines.length === 1);
    const before = process.memoryUsage().rss;

    for (let count = 0; count < 300; count += 1) {
      if (!input.write(chunk)) await new Promise((resolve) => input.once("drain", resolve));
    }
    const grown = process.memoryUsage().rss - before;
    input.write("\n");

    await until("the error", () => lines.length === 2);
    expect(grown).toBeLessThan(150 * 1024 ** 2);
  });

  it("may have up to the bound", async () => {
    const { input, lines } = serveLines();
    const frame = { jsonrpc: "2.0", id: "large", method: "ping", params: { filler: "x".repeat(10 * 1024 ** 2 - 200) } };

    input.write(`${JSON.stringify(frame)}\n${JSON.stringify({ ...frame, id: "larger" })}\n`);

    await until("both answers", () => lines.some((line) => line.id === "larger"));
    expect(lines.filter((line) => line.error === undefined).map((line) => line.id)).toEqual([
      "first",
      "large",
      "larger",
    ]);
  });
});
