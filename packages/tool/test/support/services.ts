/**
 * Services of a test: calling `task` with `kind: "service"`, and servers of a few lines.
 */
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

/** As bash text: an HTTP server on a port. */
export function httpServer(port: number): string {
  return `exec ${JSON.stringify(process.execPath)} -e 'require("node:http").createServer((_, to) => to.end("page")).listen(${port}, "127.0.0.1", () => console.log("listening"))'`;
}
