/**
 * Serves one client over this process's standard input and output until it leaves.
 *
 * Standard output belongs to the protocol: whoever calls this writes nothing else there. What the session runs is not
 * ended here but by its owner, as soon as this resolves.
 */
import type { Readable, Writable } from "node:stream";
import { type McpServer, ProtocolErrorCode, STDIO_DEFAULT_MAX_BUFFER_SIZE } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { frameGuard } from "./frame-guard.ts";

/** Longest message, in bytes: the SDK's own bound, at which it would close the connection. */
const MAX_FRAME_BYTES = STDIO_DEFAULT_MAX_BUFFER_SIZE - 1;

/** How a server is served over a pair of streams. */
export interface ServeOptions {
  /** Ends the serving. */
  signal?: AbortSignal;
  /** Notified of what went wrong beside a request. Default: no one. */
  onError?: (error: Error) => void;
  /** Default: those of the process. */
  input?: Readable;
  output?: Writable;
}

/**
 * Serves and resolves when the client has left or cannot be written to any more, or `signal` is aborted.
 * `makeServer` is called once, and once more where a client tries out which protocol is spoken.
 */
export async function serveMcpOnStdio(makeServer: () => McpServer, options: ServeOptions = {}): Promise<void> {
  const { signal, onError, input = process.stdin, output = process.stdout } = options;
  if (signal?.aborted) return;
  // It passes whole lines on, so that nothing but one message ever waits in the transport.
  const guard = frameGuard(MAX_FRAME_BYTES, (id) => {
    const message = `the message has more than ${MAX_FRAME_BYTES} bytes`;
    output.write(
      `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: ProtocolErrorCode.InvalidRequest, message } })}\n`,
    );
    onError?.(new Error(message));
  });
  input.on("error", (error) => guard.destroy(error));
  const transport = new WatchedTransport(input.pipe(guard), output);
  const aborted = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
  const handle = serveStdio(makeServer, { transport, ...(onError === undefined ? {} : { onerror: onError }) });
  await Promise.race([transport.closed, aborted]);
  await handle.close();
  input.unpipe(guard);
  input.pause();
}

/** Tells of its end. `onclose` is the SDK's own. */
class WatchedTransport extends StdioServerTransport {
  #resolve: () => void = () => undefined;
  readonly closed = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });

  override async close(): Promise<void> {
    await super.close();
    this.#resolve();
  }
}
