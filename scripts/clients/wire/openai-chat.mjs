/** OpenAI's Chat Completions: `POST /v1/chat/completions`, with `tool_calls` and messages of the role `tool`. */
import { frame, textOf } from "./reply.mjs";

const USAGE = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };

/** @type {import("./reply.mjs").Wire} */
export const openAiChat = {
  serves: (path) => path.endsWith("/chat/completions"),
  read: (body) => ({
    tools: (body.tools ?? []).map((tool) => ({ name: tool.function.name })),
    results: (body.messages ?? [])
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id: id, content }) => ({ id, text: textOf(content) })),
    isStream: body.stream === true,
  }),
  whole: (reply, body) => {
    const message = { role: "assistant", content: reply.text || null, ...callsOf(reply) };
    const choices = [{ index: 0, message, finish_reason: reasonOf(reply), logprobs: null }];
    return JSON.stringify({ ...head("chat.completion", body), choices, usage: USAGE });
  },
  stream: (reply, body) => {
    const chunk = (delta, reason = null) =>
      frame({ ...chunkHead, choices: [{ index: 0, delta, finish_reason: reason, logprobs: null }] });
    const chunkHead = head("chat.completion.chunk", body);
    return [
      chunk({ role: "assistant", content: "" }),
      ...deltasOf(reply).map((delta) => chunk(delta)),
      chunk({}, reasonOf(reply)),
      frame({ ...chunkHead, choices: [], usage: USAGE }),
      frame("[DONE]"),
    ];
  },
};

const reasonOf = ({ calls }) => (calls.length > 0 ? "tool_calls" : "stop");

function head(object, { model }) {
  return { id: `chatcmpl-${crypto.randomUUID()}`, object, created: 1, model };
}

function callsOf({ calls }) {
  return calls.length === 0 ? {} : { tool_calls: calls.map(callOf) };
}

function callOf({ id, name, input }) {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

/** The name comes first and the arguments after it, as from the real one. */
function deltasOf({ calls, text }) {
  if (calls.length === 0) return [{ content: text }];
  return calls.flatMap((call, index) => {
    const {
      function: { name, arguments: words },
      ...rest
    } = callOf(call);
    return [
      { tool_calls: [{ index, ...rest, function: { name, arguments: "" } }] },
      { tool_calls: [{ index, function: { arguments: words } }] },
    ];
  });
}
