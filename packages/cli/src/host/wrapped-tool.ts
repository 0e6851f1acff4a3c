/**
 * A tool whose calls pass through something of the host's, and which is the tool in all else.
 */
import type { AnyTool, TaskToolResult } from "@pi-bash/tool";

/** What a call is given: as any tool's `execute`. */
export type CallWords = Parameters<AnyTool["execute"]>;
/** What any tool answers, as far as it is the same for all. */
export type AnyAnswer = TaskToolResult<unknown>;

/** A tool whose `execute` is `around`, which calls the tool's own by its second argument. */
export function wrappedTool(
  tool: AnyTool,
  around: (words: CallWords, execute: () => Promise<AnyAnswer>) => Promise<AnyAnswer>,
): AnyTool {
  const own = tool.execute.bind(tool) as (...words: CallWords) => Promise<AnyAnswer>;
  const execute = (...words: CallWords): Promise<AnyAnswer> => around(words, () => own(...words));
  // The description and the parameters are made at each reading: a copy would keep those of now.
  return Object.create(tool, { execute: { value: execute, enumerable: true } });
}
