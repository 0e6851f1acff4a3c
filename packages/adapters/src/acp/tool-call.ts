/**
 * For an agent: a call of a tool, shown to the client while it runs.
 *
 * The client is notified of the call, of the terminal or of the newest end of the output, and of the end. One update is under
 * way at a time and the newest look waits for it. A client that is gone costs the showing; the call goes on.
 */
import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";
import { type BashToolUpdate, displayText } from "@pi-bash/contract";
import type { AnyTool } from "@pi-bash/tool";
import { type Answer, answerOf, type Call, textOf } from "../answer.ts";
import { askedCommand } from "../asked-command.ts";
import type { AcpSession } from "./client-bridge.ts";

/** One call of a tool. */
export interface AcpCall extends Omit<Call, "onUpdate"> {
  tool: AnyTool;
  /** What a person reads. Default: the command, or the tool's label. */
  title?: string;
}

/** Makes the call and shows it. What the model reads is `text` of the answer. Rejects only for a defect. */
export async function acpToolCall(session: AcpSession, { tool, title, ...call }: AcpCall): Promise<Answer> {
  const { id: toolCallId, params } = call;
  const show = openShow(session);
  const command = askedCommand(params);
  const name = title ?? (command === undefined ? tool.label : displayText(command));
  show({
    sessionUpdate: "tool_call",
    toolCallId,
    title: name,
    kind: "execute",
    status: "in_progress",
    rawInput: jsonCopy(params),
  });
  const update = (more: Omit<Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }>, "sessionUpdate">): void =>
    show({ sessionUpdate: "tool_call_update", ...more });
  try {
    const onUpdate = (look: BashToolUpdate): void => update({ toolCallId, content: contentOf(look) });
    const answer = await answerOf(tool, { ...call, onUpdate });
    const status = answer.isError ? "failed" : "completed";
    const look = { content: [{ type: "text", text: answer.text }], details: answer.details } as BashToolUpdate;
    update({ toolCallId, status, content: contentOf(look), rawOutput: answer.details });
    return answer;
  } catch (error) {
    update({ toolCallId, status: "failed" });
    throw error;
  } finally {
    await show.end();
  }
}

/** The client's own terminal shows its output by itself, also after it was released. */
function contentOf({ content, details }: BashToolUpdate): ToolCallContent[] {
  const { terminalId } = details ?? {};
  if (terminalId !== undefined) return [{ type: "terminal", terminalId }];
  const text = textOf({ content });
  return text === "" ? [] : [{ type: "content", content: { type: "text", text } }];
}

/** As it can be sent; undefined: not at all, as what has no end. One message that has no JSON ends the connection. */
function jsonCopy(params: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(params));
  } catch {
    return undefined;
  }
}

/** Sends updates in order. Of the looks that wait only the newest is sent; a first and a last one always are. */
function openShow({ client, sessionId }: AcpSession) {
  const waiting: SessionUpdate[] = [];
  let sending: Promise<void> = Promise.resolve();
  let isSending = false;
  const send = async (): Promise<void> => {
    isSending = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await client.notify(methods.client.session.update, { sessionId, update: next }).catch(() => undefined);
    }
    isSending = false;
  };
  const show = (update: SessionUpdate): void => {
    if (isLook(waiting.at(-1)) && update.sessionUpdate === "tool_call_update") waiting.pop();
    waiting.push(update);
    if (!isSending) sending = send();
  };
  return Object.assign(show, { end: () => sending });
}

function isLook(update: SessionUpdate | undefined): boolean {
  return update?.sessionUpdate === "tool_call_update" && update.status === undefined;
}
