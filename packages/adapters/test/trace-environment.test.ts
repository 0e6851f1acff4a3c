/** A trace that goes on in the command: from the host's span, and from an MCP client's request. */

import { AsyncLocalStorage } from "node:async_hooks";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { context, propagation, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { toolsForModel } from "@pi-bash/tool";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMcpServer } from "../src/mcp/index.ts";
import { traceEnvironment, traceTools } from "../src/otel/index.ts";
import { agentSession } from "./support/agent-session.ts";

const PARENT = `00-${"4bf92f3577b34da6a3ce929d0e0e4736"}-00f067aa0ba902b7-01`;
const PRINT = "echo ${TRACEPARENT-none} ${TRACESTATE-none}";

/** What a host sets up: the context follows its promises, and is written as the W3C says. */
function traceProcess(): void {
  const storage = new AsyncLocalStorage<ReturnType<typeof context.active>>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (inner, run, self, ...words) => storage.run(inner, () => run.call(self as never, ...words)),
    bind: (_, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  propagation.setGlobalPropagator({
    inject: (from, carrier) => {
      const span = trace.getSpanContext(from);
      if (span !== undefined)
        Object.assign(carrier as object, { traceparent: `00-${span.traceId}-${span.spanId}-01`, tracestate: "a=1\n" });
    },
    extract: (from) => from,
    fields: () => ["traceparent"],
  });
  onTestFinished(() => {
    context.disable();
    propagation.disable();
  });
}

describe("a host that traces", () => {
  it("has the span of a call as the parent of what its command traces, also in a task", async () => {
    traceProcess();
    const exporter = new InMemorySpanExporter();
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const { bash, session } = await agentSession({ commandEnv: traceEnvironment });
    const tools = traceTools([bash, ...toolsForModel(session)], { tracer: provider.getTracer("test") });

    const called = await tools[0]?.execute("1", { command: PRINT } as never);
    const task = tools.find(({ name }) => name === "task");
    const params = { kind: "bash", script: PRINT, timeout_secs: 20, display_name: "print" };
    const ran = await task?.execute("2", params as never);

    const [first, second] = exporter.getFinishedSpans().map((span) => span.spanContext());
    const expected = (span: typeof first) => `00-${span?.traceId}-${span?.spanId}-01 none`;
    expect(JSON.stringify(called)).toContain(expected(first));
    expect(JSON.stringify(ran)).toContain(expected(second));
  });

  it("gives commands nothing outside of a span, and leaves a call's own variable", async () => {
    traceProcess();
    const { bash } = await agentSession({ commandEnv: () => ({ ...traceEnvironment(), TRACESTATE: "host=1" }) });

    const plain = await bash.execute("1", { command: PRINT });
    const own = await bash.execute("2", { command: PRINT, env: { TRACESTATE: "own=1" } });

    expect(JSON.stringify(plain)).toContain("none host=1");
    expect(JSON.stringify(own)).toContain("none own=1");
  });
});

describe("an MCP client that traces", () => {
  it("has its trace go on in the command, and nothing else of its request there", async () => {
    const { bash } = await agentSession();
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const server = createMcpServer({ tools: [bash] });
    const client = new Client({ name: "test", version: "1.0.0" });
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    onTestFinished(() => client.close());
    const call = async (_meta: Record<string, unknown>) =>
      JSON.stringify(
        await client.callTool({ name: "bash", arguments: { command: `${PRINT}; env | grep -c ^PATH=` }, _meta }),
      );

    expect(await call({ traceparent: PARENT, tracestate: "a=1", PATH: "/nowhere" })).toContain(`${PARENT} a=1\\n1`);
    expect(await call({ traceparent: "00-junk", tracestate: "a=1" })).toContain("none none");
    expect(await call({ traceparent: `${PARENT}\nX`, tracestate: "a=1" })).toContain("none none");
    expect(await call({})).toContain("none none");
  });
});
