/** OpenAI's Responses: `POST /v1/responses`, with items `function_call` and `function_call_output`. */
import { frame, textOf } from "./reply.mjs";

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 20,
};

/** @type {import("./reply.mjs").Wire} */
export const openAiResponses = {
  serves: (path) => path.endsWith("/responses"),
  read: (body) => ({
    tools: (body.tools ?? []).flatMap(declared),
    results: (Array.isArray(body.input) ? body.input : [])
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id: id, output }) => ({ id, text: textOf(output) })),
    isStream: body.stream === true,
  }),
  whole: (reply, body) =>
    JSON.stringify({ ...response(body), status: "completed", output: itemsOf(reply), usage: USAGE }),
  stream: (reply, body) => {
    const items = itemsOf(reply);
    const begun = { ...response(body), status: "in_progress", output: [], usage: null };
    const events = [
      { type: "response.created", response: begun },
      ...items.flatMap(eventsOf),
      { type: "response.completed", response: { ...begun, status: "completed", output: items, usage: USAGE } },
    ];
    return events.map((event, at) => frame({ ...event, sequence_number: at }, event.type));
  },
};

/** Tools of a server may come in a group with a name. */
function declared({ type, name, tools }) {
  if (type === "function") return [{ name }];
  if (type !== "namespace") return [];
  return tools.filter((tool) => tool.type === "function").map((tool) => ({ name: tool.name, namespace: name }));
}

function response({ model }) {
  return {
    id: `resp_${crypto.randomUUID()}`,
    object: "response",
    created_at: 1,
    model,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
  };
}

function itemsOf({ calls, text }) {
  if (calls.length === 0) {
    const content = [{ type: "output_text", text, annotations: [] }];
    return [{ type: "message", id: `msg_${crypto.randomUUID()}`, role: "assistant", status: "completed", content }];
  }
  return calls.map(({ id, name, namespace, input }) => ({
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(input),
    status: "completed",
  }));
}

function eventsOf(item, output_index) {
  const place = { item_id: item.id, output_index };
  const done = { type: "response.output_item.done", output_index, item };
  const added = { type: "response.output_item.added", output_index };
  if (item.type === "function_call") {
    return [
      { ...added, item: { ...item, arguments: "", status: "in_progress" } },
      { type: "response.function_call_arguments.delta", ...place, delta: item.arguments },
      { type: "response.function_call_arguments.done", ...place, name: item.name, arguments: item.arguments },
      done,
    ];
  }
  const [part] = item.content;
  const inPart = { ...place, content_index: 0 };
  return [
    { ...added, item: { ...item, content: [], status: "in_progress" } },
    { type: "response.content_part.added", ...inPart, part: { ...part, text: "" } },
    { type: "response.output_text.delta", ...inPart, delta: part.text, logprobs: [] },
    { type: "response.output_text.done", ...inPart, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...inPart, part },
    done,
  ];
}
