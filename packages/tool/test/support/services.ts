/**
 * Services of a test: calling `task` with `kind: "service"`, servers of a few lines, and free ports.
 */
import { createServer } from "node:net";
import type { TaskResult } from "@pi-bash/contract";
import type { TaskToolResult } from "../../src/tasks/define-tool.ts";
import type { TaskScene } from "./tasks.ts";

/** Starts or asks for a service. */
export function service(
  { tools }: TaskScene,
  params: object,
  signal?: AbortSignal,
): Promise<TaskToolResult<TaskResult>> {
  return tools.task.execute("call", { kind: "service", name: "web", ...params }, signal);
}

/** A port that nothing has. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** As bash text: an HTTP server on a port. */
export function httpServer(port: number): string {
  return `exec ${JSON.stringify(process.execPath)} -e 'require("node:http").createServer((_, to) => to.end("page")).listen(${port}, "127.0.0.1", () => console.log("listening"))'`;
}
