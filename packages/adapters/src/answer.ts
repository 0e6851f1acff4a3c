/**
 * A call of any tool, as one answer: what a tool throws for the model to read is an answer, too.
 *
 * Defects are no answers and pass through. What an answer becomes in a protocol is that protocol's folder.
 */
import type { BashDetails, TextContent } from "@pi-bash/contract";
import { type AnyTool, ToolAbortError, ToolError, type UpdateListener } from "@pi-bash/tool";
import { untilSettled } from "@pi-bash/tool/internal";

export interface Answer {
  /** For the model. */
  text: string;
  /** The same facts for programs; which, is the tool's own. */
  details: object | undefined;
  isError: boolean;
  /** The caller's signal ended the call. */
  isAborted: boolean;
}

/** One call. */
export interface Call {
  id: string;
  params: unknown;
  signal?: AbortSignal | undefined;
  onUpdate?: UpdateListener | undefined;
  /** Variables that the command gets besides. */
  commandEnv?: Readonly<Record<string, string>> | undefined;
}

/** Makes the call. Rejects only for a defect. */
export async function answerOf(tool: AnyTool, { id, params, signal, onUpdate, commandEnv }: Call): Promise<Answer> {
  // A protocol has no place for news of a call that was answered; a job's end is delivered by its manager.
  const updates = untilSettled(onUpdate);
  try {
    const {
      content,
      details,
      isError = false,
    } = await tool.execute(id, params, signal, updates.listener, commandEnv === undefined ? {} : { commandEnv });
    return { text: textOf({ content }), details, isError, isAborted: false };
  } catch (error) {
    const isAborted = error instanceof ToolAbortError;
    if (!isAborted && !(error instanceof ToolError)) throw error;
    return { text: error.message, details: error.details, isError: true, isAborted };
  } finally {
    updates.end();
  }
}

/** The artifact that has the whole output, where the answer names one. */
export function artifactOf({ details }: Answer): string | undefined {
  const { artifactId }: BashDetails = details ?? {};
  return artifactId;
}

/** The text of an answer or of a look at a call. */
export function textOf({ content }: { content: readonly TextContent[] }): string {
  return content.map(({ text }) => text).join("");
}
