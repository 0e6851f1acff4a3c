/** Anthropic's Messages: `POST /v1/messages`, with `tool_use` and `tool_result` blocks. */
import { frame, textOf } from "./reply.mjs";

const USAGE = { input_tokens: 10, output_tokens: 10 };

/** @type {import("./reply.mjs").Wire} */
export const anthropic = {
  serves: (path) => path.endsWith("/messages"),
  read: (body) => ({
    tools: (body.tools ?? []).map(({ name }) => ({ name })),
    results: (body.messages ?? [])
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id: id, content }) => ({ id, text: textOf(content) })),
    isStream: body.stream === true,
  }),
  whole: (reply, body) => JSON.stringify({ ...message(reply, body), content: blocksOf(reply) }),
  stream: (reply, body) => [
    frame({ type: "message_start", message: start(reply, body) }, "message_start"),
    ...blocksOf(reply).flatMap(framesOf),
    frame(
      { type: "message_delta", delta: { stop_reason: reasonOf(reply), stop_sequence: null }, usage: USAGE },
      "message_delta",
    ),
    frame({ type: "message_stop" }, "message_stop"),
  ],
};

const reasonOf = ({ calls }) => (calls.length > 0 ? "tool_use" : "end_turn");

function message(reply, { model }) {
  const id = `msg_${crypto.randomUUID()}`;
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    stop_reason: reasonOf(reply),
    stop_sequence: null,
    usage: USAGE,
  };
}

/** The message as it is when nothing of it was sent. */
function start(reply, body) {
  return { ...message(reply, body), content: [], stop_reason: null };
}

function blocksOf({ calls, text }) {
  if (calls.length === 0) return [{ type: "text", text }];
  return calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input }));
}

function framesOf(block, index) {
  const isText = block.type === "text";
  const empty = isText ? { type: "text", text: "" } : { ...block, input: {} };
  const delta = isText
    ? { type: "text_delta", text: block.text }
    : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
  return [
    frame({ type: "content_block_start", index, content_block: empty }, "content_block_start"),
    frame({ type: "content_block_delta", index, delta }, "content_block_delta"),
    frame({ type: "content_block_stop", index }, "content_block_stop"),
  ];
}
