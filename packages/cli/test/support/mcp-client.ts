/** The official MCP client, joined to `pi-bash mcp` by a pipe. */
import { fileURLToPath } from "node:url";
import { Client, type VersionNegotiationMode } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { scratchFolder } from "../../../../test/support/scratch.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/pi-bash.mjs", import.meta.url));
/** Longest wait of the client for one answer, in milliseconds. */
export const timeout = 40_000;

/** How the server is started, and what its client can. */
export interface Choices {
  mode?: VersionNegotiationMode;
  words?: string[];
  /** More variables for the server. */
  env?: Record<string, string>;
  /** What the client calls itself. */
  name?: string;
  /** Answers a question; absent: the client takes none. */
  elicit?: (message: string) => "accept" | "decline";
}

/** A client of a server of its own, in a folder of its own; both go after the test. */
export async function connect({ mode = "legacy", words = [], name = "test", env = {}, elicit }: Choices = {}) {
  const folder = scratchFolder();
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, "mcp", ...words],
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder, ...env },
  });
  const capabilities = elicit === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name, version: "1.0.0" }, { capabilities, versionNegotiation: { mode } });
  if (elicit !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => ({ action: elicit(params.message), content: {} }));
  }
  await client.connect(transport, { timeout });
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown>, options: { signal?: AbortSignal } = {}) => {
    const { content, isError, _meta } = await client.callTool({ name, arguments: input }, { timeout, ...options });
    const [first, link] = content;
    if (first?.type !== "text") throw new Error(`the answer begins with ${first?.type}`);
    return { text: first.text, link, isError, details: _meta?.["pi-bash/details"] };
  };
  return { folder, client, transport, call };
}

/** Parameters of a task in the background. */
export const background = (script: string) => ({
  kind: "bash",
  script,
  timeout_secs: 60,
  display_name: "x",
  run_in_background: true,
});
