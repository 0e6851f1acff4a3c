/**
 * Gemini's `generateContent` and `streamGenerateContent`, with parts `functionCall` and `functionResponse`. The stream is
 * that of `alt=sse`, which the official SDK asks for.
 */
import { frame } from "./reply.mjs";

const METHOD = /\/models\/[^/]+:(stream)?[gG]enerateContent$/;

/** @type {import("./reply.mjs").Wire} */
export const gemini = {
  serves: (path) => METHOD.test(path),
  read: (body, path) => ({
    tools: (body.tools ?? [])
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name }) => ({ name })),
    results: (body.contents ?? [])
      .flatMap(({ parts = [] }) => parts)
      .flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [resultOf(functionResponse)])),
    isStream: path.includes(":stream"),
  }),
  whole: (reply) => JSON.stringify(contentOf(reply)),
  stream: (reply) => [frame(contentOf(reply))],
};

/** What the model is given is an object; by custom its only key is `output`, or `error`. */
function resultOf({ id, response }) {
  const [text, ...more] = Object.values(response ?? {});
  const isText = typeof text === "string" && more.length === 0;
  return { id, text: isText ? text : JSON.stringify(response) };
}

function contentOf({ calls, text }) {
  const parts =
    calls.length === 0 ? [{ text }] : calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));
  return {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    modelVersion: "scripted",
    responseId: crypto.randomUUID(),
  };
}
