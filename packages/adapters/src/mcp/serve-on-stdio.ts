/**
 * Serves one client over this process's standard input and output until it leaves.
 *
 * Standard output belongs to the protocol: whoever calls this writes nothing else there. What the session runs is not
 * ended here but by its owner, as soon as this resolves.
 */
import type { Readable, Writable } from "node:stream";
import type { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";

/** How a server is served over a pair of streams. */
export interface ServeOptions {
  /** Ends the serving. */
  signal?: AbortSignal;
  /** Told of what went wrong beside a request. Default: nobody. */
  onError?: (error: Error) => void;
  /** Default: those of the process. */
  input?: Readable;
  output?: Writable;
}

/**
 * Serves and resolves when the client has left, cannot be understood or written to any more, or `signal` is aborted.
 * `makeServer` is called once, and once more where a client tries out which protocol is spoken.
 */
export async function serveMcpOnStdio(makeServer: () => McpServer, options: ServeOptions = {}): Promise<void> {
  const { signal, onError, input = process.stdin, output = process.stdout } = options;
  if (signal?.aborted) return;
  const transport = new WatchedTransport(input, output);
  const aborted = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
  const handle = serveStdio(makeServer, { transport, ...(onError === undefined ? {} : { onerror: onError }) });
  await Promise.race([transport.closed, aborted]);
  await handle.close();
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
