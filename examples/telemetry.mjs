/**
 * Spans and log lines about the calls of a tool, in front of any adapter. `node examples/telemetry.mjs [FOLDER]`
 *
 * A real host has set up OpenTelemetry before and leaves out `tracer`, and its logger is pino.
 */
import { ConsoleSpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { logTools } from "@pi-bash/adapters/log";
import { traceTools } from "@pi-bash/adapters/otel";
import { createExecutor } from "@pi-bash/executor";
import { createBashTool } from "@pi-bash/tool";

const spanProcessors = [new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() })];
const tracer = new TracerProvider({ spanProcessors }).getTracer("example");
const line = (fields, message) => process.stdout.write(`${message}: ${JSON.stringify(fields)}\n`);
const logger = { debug: line, info: line, warn: line, error: line };

const cwd = process.argv[2] ?? process.cwd();
const executor = createExecutor({}, { cwd });
const [bash] = logTools(traceTools([createBashTool({ cwd, executor })], { tracer }), { logger });
try {
  const { content } = await bash.execute("call-1", { command: "seq 1 100000 | grep -c 7" });
  process.stdout.write(`${content[0].text.split("\n")[0]} numbers have a 7\n`);
} finally {
  await executor.dispose();
}
