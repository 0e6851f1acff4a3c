/**
 * Artifacts as MCP resources: the newest are listed, each is read by its `artifact://` address or a part of it.
 *
 * The handlers take the address as text. `artifact://<id>:10-20` is one of ours and no URL, which the SDK's own
 * resources have to be.
 */

import { type McpServer, ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import { artifactUrl } from "@pi-bash/contract/internal";
import type { BashToolSession } from "@pi-bash/tool";

/** What is needed of an artifact store. */
export type Artifacts = Pick<BashToolSession["executor"]["artifacts"], "list" | "read">;

/**
 * Most bytes of one resource: 1 MiB. A message may have 10 MB (the SDK's bound, past which it closes the connection),
 * and JSON writes a control character in six.
 */
export const MAX_RESOURCE_BYTES = 1024 ** 2;
/** Most artifacts of a list, the newest. */
const MAX_LISTED_ARTIFACTS = 500;

/** Codes of errors that say: there is none. */
const MISSING: ReadonlySet<unknown> = new Set(["PI_ARTIFACT_NOT_FOUND", "PI_ARTIFACT_EXPIRED"]);

const TEXT = { mimeType: "text/plain" } as const;

/** Whether the client has asked for resources. */
export interface ResourceReader {
  readonly hasRead: boolean;
}

/** Adds the resources to a server that is not connected yet. */
export function serveArtifacts({ server }: McpServer, artifacts: Artifacts): ResourceReader {
  const reader = { hasRead: false };
  server.registerCapabilities({ resources: {} });
  server.setRequestHandler("resources/list", async () => {
    reader.hasRead = true;
    const newest = (await artifacts.list()).slice(-MAX_LISTED_ARTIFACTS).reverse();
    const resources = newest.map(({ id, kind, createdAtMs }) => ({
      uri: artifactUrl(id),
      name: id,
      title: `Output (${kind})`,
      annotations: { lastModified: new Date(createdAtMs).toISOString() },
      ...TEXT,
    }));
    return { resources };
  });
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      {
        uriTemplate: "artifact://{+address}",
        name: "artifact",
        description:
          "A whole output: `<id>`, lines `<id>?lines=10-20`, its end `<id>?tail=5`, lines that match `<id>?grep=RE2`",
        ...TEXT,
      },
    ],
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq: { signal } }) => {
    reader.hasRead = true;
    if (!uri.startsWith(artifactUrl(""))) throw new ResourceNotFoundError(uri.slice(0, 200));
    const { text, truncated, totalBytes } = await read(artifacts, uri, signal);
    return { contents: [{ uri, text, ...TEXT, ...(truncated ? { _meta: { "pi-bash/cut": { totalBytes } } } : {}) }] };
  });
  return reader;
}

/** Reads it; what is wrong with the address or the artifact is the client's to know. */
async function read(artifacts: Artifacts, uri: string, signal: AbortSignal) {
  try {
    return await artifacts.read(uri, { maxBytes: MAX_RESOURCE_BYTES, signal });
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    if (MISSING.has(error.code)) throw new ResourceNotFoundError(uri, error.message);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, error.message);
  }
}
