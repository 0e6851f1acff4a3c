/**
 * Tools whose calls keep the order in which a model made them, where an SDK starts those of one message at once.
 *
 * A file that one call writes is there for the next; calls that only read run beside each other. Tools that may run beside
 * anything by themselves stay as they are.
 */
import type { AnyTool } from "@pi-bash/tool";
import { CallTurns } from "@pi-bash/tool/internal";

/** The same tools, in order. */
export function inOrder<Tool extends AnyTool>(tools: readonly Tool[]): Tool[] {
  const turns = new CallTurns();
  return tools.map((tool) => {
    if (!("isConcurrencySafe" in tool)) return tool;
    const execute: Execute = (id, params, signal, ...rest) => {
      const kind = tool.isConcurrencySafe(params) ? "reads" : "changes";
      return turns.run(kind, signal, () => (tool.execute as Execute)(id, params, signal, ...rest));
    };
    // Not a copy: what a tool says of itself is made again at each look.
    return Object.create(tool, { execute: { value: execute, enumerable: true } }) as Tool;
  });
}

type Execute = (id: string, params: unknown, signal?: AbortSignal, ...rest: unknown[]) => Promise<unknown>;
