/**
 * Tools whose calls someone watches, and otherwise the same tools: same names, schemas, answers and errors.
 *
 * What is done about a call (a span, a line in a log) is its watcher's; see `otel/` and `log/`.
 */
import type { BashDetails } from "@pi-bash/contract";
import { type AnyTool, ToolAbortError, ToolError } from "@pi-bash/tool";

/** One call, before it is made. */
export interface WatchedCall {
  tool: string;
  id: string;
  params: unknown;
}

/** How a call ended. */
export interface WatchedEnd {
  kind: "answer" | "aborted" | "defect";
  /** The model reads it as an error. */
  isError: boolean;
  details: BashDetails;
  /** What the tool threw. */
  error: unknown;
}

/** Makes the call by calling `run` once, which never throws. */
export type Watcher = (call: WatchedCall, run: () => Promise<WatchedEnd>) => Promise<unknown>;

/** The same tools, watched. Their descriptions and schemas stay those of each moment. */
export function watchedTools<Tool extends AnyTool>(tools: readonly Tool[], watch: Watcher): Tool[] {
  return tools.map((tool) => {
    const execute = async (id: string, params: unknown, ...rest: unknown[]): Promise<unknown> => {
      let settle = (): unknown => undefined;
      await watch({ tool: tool.name, id, params }, async () => {
        try {
          const result = await (tool.execute as AnyExecute)(id, params, ...rest);
          settle = () => result;
          const { details = {}, isError = false } = result;
          return { kind: "answer", isError, details, error: undefined };
        } catch (error) {
          settle = () => {
            throw error;
          };
          return endOf(error);
        }
      });
      return settle();
    };
    // Not a copy: what a tool says of itself is made again at each look.
    return Object.create(tool, { execute: { value: execute, enumerable: true } }) as Tool;
  });
}

type AnyExecute = (...words: unknown[]) => Promise<{ details?: BashDetails; isError?: boolean }>;

function endOf(error: unknown): WatchedEnd {
  if (error instanceof ToolAbortError) return { kind: "aborted", isError: true, details: error.details, error };
  if (error instanceof ToolError) return { kind: "answer", isError: true, details: error.details ?? {}, error };
  return { kind: "defect", isError: true, details: {}, error };
}
