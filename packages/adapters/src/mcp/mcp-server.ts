/**
 * The tools as an MCP server: each tool of a session is a tool of the server, artifacts are its resources.
 *
 * Made for one client: the session behind the tools is shared by all of a server's calls. What carries the messages is
 * not here, see `serve-on-stdio.ts`.
 */

import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";
import { jsonSchemaOf } from "@pi-bash/contract";
import { artifactUrl } from "@pi-bash/contract/internal";
import type { AnyTool } from "@pi-bash/tool";
import { answerOf, artifactOf } from "../answer.ts";
import { traceVariables } from "../trace-variables.ts";
import type { McpApprovals } from "./approvals.ts";
import { type Artifacts, serveArtifacts } from "./artifact-resources.ts";
import { DEFAULT_RESULT_CHARS, MAX_RESULT_CHARS, RESULT_SIZE_KEY } from "./client-window.ts";
import { openProgress } from "./progress.ts";

/** Under this key of a result's `_meta` are the facts of the answer, for programs. */
export const DETAILS_KEY = "pi-bash/details";
/**
 * Milliseconds between two signs of life of a call that writes nothing. Clients give up after 60 s (the default of the
 * official ones), and those that count again at each notification must hear one well before.
 */
const KEEP_ALIVE_MS = 10_000;
/** Tools that change nothing. The others run commands or end them. */
const READ_ONLY_TOOLS: ReadonlySet<string> = new Set([
  "task_await",
  "task_list",
  "bash_output",
  "bash_background_list",
]);

/** What a server serves: tools, artifacts, and how it names itself to its client. */
export interface McpServerPorts {
  /** The tools of one session, e.g. `[createBashTool(session), ...toolsForModel(session)]`. */
  tools: readonly AnyTool[];
  /** Whole outputs, as resources: the store of the session's executor. Absent: the server has no resources. */
  artifacts?: Artifacts;
  /** The way to ask the client's person; give the session its `approve`. Absent: the client is never asked. */
  approvals?: McpApprovals;
  /** What the server calls itself. Default `pi-bash`. */
  name?: string;
  /** Default `0.1.0`. */
  version?: string;
  /** Takes who the client is, before its first call is made; see `clientWindow`. Undefined: it does not say. */
  onClient?: (name: string | undefined) => void;
  /**
   * Characters that a result may have; Claude Code is asked to pass on as many (`anthropic/maxResultSizeChars`). Default
   * 100,000, at most 500,000.
   */
  resultChars?: number;
  /** Milliseconds between two signs of life of a call that writes nothing. Default 10,000. */
  keepAliveMs?: number;
}

/** Makes a server that is not connected yet. Descriptions and schemas are those of this moment. */
export function createMcpServer(ports: McpServerPorts): McpServer {
  const { tools, artifacts, approvals, name = "pi-bash", version = "0.1.0" } = ports;
  const server = new McpServer({ name, version });
  const reader = artifacts === undefined ? undefined : serveArtifacts(server, artifacts);
  const scene: CallScene = {
    keepAliveMs: ports.keepAliveMs ?? KEEP_ALIVE_MS,
    readsResources: () => reader?.hasRead === true,
  };
  const _meta = { [RESULT_SIZE_KEY]: Math.min(ports.resultChars ?? DEFAULT_RESULT_CHARS, MAX_RESULT_CHARS) };
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      {
        title: tool.label,
        description: tool.description,
        inputSchema: shownSchema(tool),
        annotations: annotationsOf(tool.name),
        _meta,
      },
      (params: unknown, context: ServerContext) => {
        ports.onClient?.(clientName(server, context));
        const answer = () => call(tool, params, context, scene);
        return approvals === undefined ? answer() : approvals.during(server, context, answer);
      },
    );
  }
  return server;
}

/** What the client calls itself: in the protocol of 2026-07-28 with each request, before at its beginning. */
function clientName({ server }: McpServer, { mcpReq }: ServerContext): string | undefined {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  const own = envelope[CLIENT_INFO_META_KEY] as { name?: unknown } | undefined;
  const name: unknown = own?.name ?? server.getClientVersion()?.name;
  return typeof name === "string" ? name : undefined;
}

/** The schema for the list of tools. What a call gives is the tool's to check: it says what is wrong for a model to read. */
function shownSchema(tool: AnyTool): StandardSchemaWithJSON<unknown> {
  const schema = jsonSchemaOf(tool.parameters);
  const jsonSchema = { input: () => schema, output: () => schema };
  return { "~standard": { version: 1, vendor: "pi-bash", validate: (value) => ({ value }), jsonSchema } };
}

function annotationsOf(name: string): ToolAnnotations {
  const readOnlyHint = READ_ONLY_TOOLS.has(name);
  return { readOnlyHint, destructiveHint: !readOnlyHint, idempotentHint: false, openWorldHint: !readOnlyHint };
}

/** What all calls of a server share. */
interface CallScene {
  readonly keepAliveMs: number;
  /** Whether the client has shown that it reads resources. */
  readonly readsResources: () => boolean;
}

async function call(
  tool: AnyTool,
  params: unknown,
  { mcpReq }: ServerContext,
  { keepAliveMs, readsResources }: CallScene,
): Promise<CallToolResult> {
  const progress = openProgress(mcpReq, keepAliveMs);
  try {
    const { signal } = mcpReq;
    const answer = await answerOf(tool, {
      id: String(mcpReq.id),
      params,
      signal,
      onUpdate: progress.show,
      // By the names of https://modelcontextprotocol.io/seps/414
      commandEnv: traceVariables(mcpReq._meta ?? {}),
    });
    // The address stands in the text. A client that reads no resources may take a link for a file that it has to send.
    const artifactId = readsResources() ? artifactOf(answer) : undefined;
    return {
      content: [{ type: "text", text: answer.text }, ...(artifactId === undefined ? [] : [linkTo(artifactId)])],
      isError: answer.isError,
      // Not as structured content: a client that has it shows the model that instead of the text.
      ...(answer.details === undefined ? {} : { _meta: { [DETAILS_KEY]: answer.details } }),
    };
  } finally {
    progress.end();
  }
}

function linkTo(artifactId: string) {
  const uri = artifactUrl(artifactId);
  return {
    type: "resource_link",
    uri,
    name: artifactId,
    description: "The whole output",
    mimeType: "text/plain",
  } as const;
}
