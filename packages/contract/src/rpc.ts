/**
 * What a program says to `pi-bash rpc`: one JSON object a line. What it hears is in docs/rpc.md.
 *
 * `id` is the caller's; the answer has it again, since answers may come in another order than requests.
 */
import * as z from "zod";
import { checkedValue } from "./checked-value.ts";

const id = z.union([z.string().max(256), z.number()]).optional();

/** A request of `pi-bash rpc`: one line of JSON. */
export const RpcRequest = z.discriminatedUnion("type", [
  /** A person's command: as it is written, in the session's shell. Answers with a `BashResult`. */
  z.strictObject({
    id,
    type: z.literal("bash"),
    command: z.string(),
    env: z.record(z.string(), z.string()).optional(),
    /** Milliseconds, from 1. Default 300,000. */
    timeoutMs: z.number().positive().optional(),
    /** Send what the command writes as `bash_chunk` events while it runs. Default true. */
    stream: z.boolean().optional(),
  }),
  /** Ends every `bash` command under way; each gives its own answer. */
  z.strictObject({ id, type: z.literal("abort_bash") }),
  /** A model's call of a tool. Answers with what the tool answered; updates come as `tool_update` events. */
  z.strictObject({ id, type: z.literal("tool"), tool: z.string(), params: z.unknown().optional() }),
  /** Ends the request whose id is `target`, wherever it stands. */
  z.strictObject({ id, type: z.literal("abort"), target: z.union([z.string(), z.number()]) }),
  /** The tools there are, with description and JSON Schema. */
  z.strictObject({ id, type: z.literal("list_tools") }),
  /**
   * A secret that a person typed for a task on a terminal, with Enter: typed once the program does not show what is typed. It is
   * not kept, and masked wherever it comes back. Answers with whether it was typed.
   */
  z.strictObject({ id, type: z.literal("answer_secret"), taskId: z.string(), secret: z.string().max(4_095) }),
  /** The answer to an `approval_request` event. */
  z.strictObject({
    id,
    type: z.literal("approval"),
    requestId: z.number(),
    allow: z.boolean(),
    /** What the model reads where it was refused. */
    reason: z.string().max(4_096).optional(),
  }),
]);
export type RpcRequest = z.infer<typeof RpcRequest>;

/** A request, or what is wrong with it: in one line, each field by its name, with what it is to be. */
export function parseRpcRequest(value: unknown): { request: RpcRequest } | { problem: string } {
  const checked = checkedValue(RpcRequest, value, { whole: "a request" });
  return "value" in checked ? { request: checked.value } : { problem: checked.problem };
}
