/**
 * An agent over MCP: the official client starts `pi-bash mcp`, a script is the model. `node examples/mcp.mjs [FOLDER]`
 *
 * A real model goes where `script` is: it is given the tools and what was read, and says the next calls.
 */
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const program = fileURLToPath(new URL("../packages/cli/bin/pi-bash.mjs", import.meta.url));

/** The model: yields calls, is given what it reads of them, returns its last words. */
function* script() {
  const counted = yield { name: "bash", input: { command: "seq 1 100000" } };
  const [uri] = /artifact:\/\/\w+/.exec(counted.text) ?? [];
  const found = yield { name: "bash", input: { command: `grep -c 7 ${uri}` } };
  const started = yield {
    name: "task",
    input: {
      kind: "bash",
      script: "sleep 1; echo built",
      timeout_secs: 60,
      run_in_background: true,
      display_name: "build",
    },
  };
  const [taskId] = /bash:\w+/.exec(started.text) ?? [];
  const built = yield { name: "task_await", input: { task_ids: [taskId], min_completed: 1 } };
  return `${found.text.split("\n")[0]} numbers have a 7; the build ${built.text.includes("built") ? "is done" : "failed"}`;
}

const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [program, "mcp"],
    cwd: process.argv[2] ?? process.cwd(),
  }),
);
try {
  const { tools } = await client.listTools();
  process.stdout.write(`tools: ${tools.map(({ name }) => name).join(", ")}\n`);
  const model = script();
  let step = model.next();
  while (!step.done) {
    const { name, input } = step.value;
    const onprogress = ({ message }) => process.stderr.write(`${message?.split("\n").at(-2) ?? "…"}\n`);
    const { content } = await client.callTool({ name, arguments: input }, { onprogress, resetTimeoutOnProgress: true });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    process.stdout.write(`${name}: ${text.trimEnd().split("\n").at(-1)}\n`);
    step = model.next({ text });
  }
  process.stdout.write(`${step.value}\n`);
} finally {
  await client.close();
}
