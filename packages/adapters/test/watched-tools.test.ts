/** Spans and log lines of calls: the real SDK of OpenTelemetry at the one end, real commands at the other. */
import { context, type Span, trace } from "@opentelemetry/api";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  StackContextManager,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { capabilities } from "@pi-bash/natives";
import { createPolicy } from "@pi-bash/policy";
import type { AnyTool } from "@pi-bash/tool";
import { describe, expect, it, onTestFinished } from "vitest";
import { logTools } from "../src/log/index.ts";
import { type TraceOptions, traceTools } from "../src/otel/index.ts";
import { agentSession, ENDLESS, pidIn } from "./support/agent-session.ts";

/** The spans of these calls, each of which may fail. */
async function spansOf(act: (bash: AnyTool, tools: AnyTool[], cwd: string) => Promise<void>, options?: TraceOptions) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const { tools, cwd } = await agentSession();
  const traced = traceTools(tools, { tracer: provider.getTracer("test"), ...options });
  await act(traced[0] as AnyTool, traced, cwd);
  return exporter.getFinishedSpans();
}

describe("spans", () => {
  it("are one for each call, with its status and without its command", async () => {
    const spans = await spansOf(async (bash) => {
      await bash.execute("call-1", { command: "echo secret" });
      await bash.execute("call-2", { command: "echo secret; (exit 3)" });
    });

    expect(spans.map(({ name }) => name)).toEqual(["execute_tool bash", "execute_tool bash"]);
    expect(spans[0]).toMatchObject({
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "bash",
        "gen_ai.tool.call.id": "call-1",
        "process.exit.code": 0,
      },
      status: { code: 0 },
    });
    expect(spans[1]).toMatchObject({
      attributes: { "process.exit.code": 3, "error.type": "exit_status" },
      status: { code: 2 },
    });
    expect(JSON.stringify(spans.map(({ attributes, status, events }) => [attributes, status, events]))).not.toContain(
      "secret",
    );
  });

  // The kernel holds commands on Linux alone, with Landlock and seccomp, where bash takes the driver.
  it.runIf(capabilities().readOnly.available)(
    "say whether a command ran read-only, and how often it was refused",
    async () => {
      const { tools } = await agentSession({ policy: createPolicy() });
      const exporter = new InMemorySpanExporter();
      const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
      const logged: object[] = [];
      const logger = {
        debug: () => undefined,
        info: (fields: object) => logged.push(fields),
        warn: (fields: object) => logged.push(fields),
        error: () => undefined,
      };
      const [bash] = logTools(traceTools(tools, { tracer: provider.getTracer("test") }), { logger });

      await bash?.execute("call-1", { command: "ls" });
      await bash?.execute("call-2", { command: "node -e 'fs.writeFileSync(`made`, ``)'" });
      await bash?.execute("call-3", { command: "echo in the session" });

      const facts = exporter
        .getFinishedSpans()
        .map(({ attributes }) => [attributes["pi_bash.read_only"], attributes["pi_bash.read_only_refusals"]]);
      expect(facts).toEqual([
        [true, 0],
        [true, 1],
        [undefined, undefined],
      ]);
      expect(logged).toMatchObject([
        { readOnly: true, readOnlyRefusals: 0 },
        { readOnly: true, readOnlyRefusals: 1 },
        {},
      ]);
    },
  );

  it("have the command where the host asks for it", async () => {
    const spans = await spansOf(async (bash) => void (await bash.execute("call-1", { command: "echo shown" })), {
      withCommands: true,
    });

    expect(spans[0]?.attributes["pi_bash.command"]).toBe("echo shown");
  });

  it("leave the answer to parameters that cannot be read to the tool", async () => {
    const closed = {
      get command() {
        throw new TypeError("closed");
      },
    };

    const spans = await spansOf(
      async (bash) => expect(bash.execute("call-1", closed)).rejects.toThrow("`params` cannot be read"),
      { withCommands: true },
    );

    expect(spans[0]?.attributes).toMatchObject({ "error.type": "tool_error" });
    expect(spans[0]?.attributes).not.toHaveProperty("pi_bash.command");
  });

  it("tell a timeout, an abort, a refusal and an artifact apart", async () => {
    const spans = await spansOf(async (bash, _tools, cwd) => {
      const stop = new AbortController();
      await expect(bash.execute("1", { command: "sleep 300", timeout: 1 })).rejects.toThrow("timed out");
      const running = bash.execute("2", { command: ENDLESS }, stop.signal);
      await pidIn(cwd);
      stop.abort();
      await expect(running).rejects.toThrow("cancelled");
      await expect(bash.execute("3", { command: "true", cwd: "none" })).rejects.toThrow("does not exist");
      await bash.execute("4", { command: "seq 1 100000" });
    });

    expect(spans.map(({ attributes }) => attributes["error.type"])).toEqual([
      "timeout",
      "cancelled",
      "tool_error",
      undefined,
    ]);
    expect(spans[3]?.attributes).toMatchObject({
      "pi_bash.truncated": true,
      "pi_bash.artifact_id": expect.stringMatching(/./),
    });
  });

  it("leave the tools as they are: updates, background tasks, descriptions", async () => {
    const looks: string[] = [];
    const spans = await spansOf(async (bash, tools) => {
      await bash.execute(
        "1",
        { command: "echo seen; sleep 0.3" },
        undefined,
        ({ content: [part] }) => void looks.push(part?.text ?? ""),
      );
      const task = tools.find(({ name }) => name === "task") as AnyTool;
      const script = { kind: "bash", script: "true", timeout_secs: 60, display_name: "x", run_in_background: true };
      const { content } = await task.execute("2", script);
      expect(content[0]?.text).toContain("runs in the background");
      expect(bash).toMatchObject({ name: "bash", label: "Bash", concurrency: "exclusive" });
      expect(bash.description).toContain("bash");
    });

    expect(looks.join("")).toContain("seen");
    expect(spans.map(({ name }) => name)).toEqual(["execute_tool bash", "execute_tool task"]);
  });

  it("are the parent of what a call starts, and mark a defect that passes through", async () => {
    context.setGlobalContextManager(new StackContextManager().enable());
    onTestFinished(() => context.disable());
    const { tools } = await agentSession();
    const seen: (Span | undefined)[] = [];
    const broken = Object.create(tools[0] as AnyTool, {
      execute: {
        value: async () => {
          seen.push(trace.getSpan(context.active()));
          throw new TypeError("a defect");
        },
      },
    });
    const exporter = new InMemorySpanExporter();
    const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
    const [traced] = traceTools([broken as AnyTool], { tracer: provider.getTracer("test") });

    await expect(traced?.execute("1", {})).rejects.toThrow("a defect");

    const [span] = exporter.getFinishedSpans();
    expect(span?.attributes["error.type"]).toBe("TypeError");
    expect(seen.map((active) => active?.spanContext().spanId)).toEqual([span?.spanContext().spanId]);
  });
});

describe("log lines", () => {
  /** A logger that keeps its lines; with `fails`, one that throws. */
  const keeper = (fails = false) => {
    const lines: [level: string, message: string, fields: Record<string, unknown>][] = [];
    const at = (level: string) => (fields: object, message: string) => {
      if (fails) throw new Error("disk full");
      lines.push([level, message, { ...fields }]);
    };
    return { lines, logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") } };
  };

  it("say that a call began and how it ended, without its command", async () => {
    const { lines, logger } = keeper();
    const { tools } = await agentSession();
    const [bash] = logTools(tools, { logger });

    await bash?.execute("call-1", { command: "echo secret; (exit 3)" });
    await bash?.execute("call-2", { command: "echo secret" });

    expect(lines.map(([level]) => level)).toEqual(["debug", "warn", "debug", "info"]);
    expect(lines[1]?.[2]).toMatchObject({ tool: "bash", id: "call-1", exitCode: 3, durationMs: expect.any(Number) });
    expect(JSON.stringify(lines)).not.toContain("secret");
  });

  it("have the parameters where the host asks for them, and cost no answer where the log is broken", async () => {
    const { lines, logger } = keeper();
    const { tools } = await agentSession();
    const [loud] = logTools(tools, { logger, withParams: true });
    const [broken] = logTools(tools, { logger: keeper(true).logger });

    await loud?.execute("call-1", { command: "echo shown" });
    const answer = await broken?.execute("call-2", { command: "echo still" });

    expect(lines[0]?.[2]).toMatchObject({ params: { command: "echo shown" } });
    expect(answer?.content[0]?.text).toMatch(/^still\n/);
  });
});
