/**
 * A model on loopback that says what a script says, in the format of whoever asks.
 *
 * A script is an asynchronous generator: it yields the calls of a turn and is given what the model reads of their
 * results. It is started by the first request that offers the tools of the engine, and goes on when a request has the
 * results of all its calls. A request that has not (a retry) gets the same turn once more. What clients ask beside, without
 * these tools (titles, summaries, lists of models), gets a word or two.
 */
import { createServer } from "node:http";
import { anthropic } from "./wire/anthropic.mjs";
import { gemini } from "./wire/gemini.mjs";
import { openAiChat } from "./wire/openai-chat.mjs";
import { openAiResponses } from "./wire/openai-responses.mjs";

const WIRES = { anthropic, "openai-chat": openAiChat, "openai-responses": openAiResponses, gemini };
/** What is said where the script says nothing. */
const SMALL_TALK = { calls: [], text: "ok" };
/** How often a turn is said to a client that asks again without its results. */
const MAX_SAID = 10;
/** With this tool a model of Claude Code waits for servers that have not answered yet; their tools come after it. */
const WAIT_TOOL = "WaitForMcpServers";
/** Names for lists of models. */
const MODEL = "scripted";

/**
 * @typedef {{ name: string, input: object }} AskedCall `name` as the engine has it
 * @typedef {(declared: import("./wire/reply.mjs").Declared[]) => AsyncGenerator<AskedCall[], void, string[] | undefined>} Script
 */

/**
 * @param {Script} script
 * @param {object} options
 * @param {(name: string) => string} options.toolName how the client names a tool of the engine
 * @param {(line: object) => void} [options.log] gets every request and reply
 * @returns {Promise<{ url: string, skip: () => void, formats: () => string[], over: Promise<void>, close: () => Promise<void> }>} `url`
 *   without a slash at its end; `over` resolves when the script has come to its end; `skip` gives up the turn that is open, so that the next request goes on with the script, which is given
 *   `undefined`; `formats` are those that were used
 */
export async function startModelServer(script, { toolName, log = () => undefined }) {
  const conversation = new Conversation(script, toolName);
  const formats = new Set();
  const server = createServer((request, response) => {
    answer(request, response, { conversation, log, formats }).catch((error) => {
      log({ error: String(error?.stack ?? error) });
      response.writeHead(500, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message: String(error), type: "scripted_model" } }));
    });
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    skip: () => conversation.skip(),
    formats: () => [...formats],
    over: conversation.over,
    close: async () => {
      await conversation.end();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The script, as far as it is known. Requests have their turn one after another. */
class Conversation {
  #script;
  #toolName;
  /** The generator, once it was started. */
  #telling;
  /** Calls whose results are awaited; undefined: none were made, or they were given up. */
  #open;
  /** Ids of all calls, in order: in Gemini's format results may have none. */
  #made = [];
  #waited = 0;
  /** How often the open turn was said. */
  #said = 0;
  #isOver = false;
  #tellOver = () => undefined;
  /** Resolves when the script has come to its end. */
  over = new Promise((resolve) => {
    this.#tellOver = resolve;
  });
  #turn = Promise.resolve();

  constructor(script, toolName) {
    this.#script = script;
    this.#toolName = toolName;
  }

  /** @param {import("./wire/reply.mjs").Asked} asked */
  reply(asked) {
    const turn = this.#turn.then(() => this.#next(asked));
    this.#turn = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  skip() {
    this.#open = undefined;
  }

  async end() {
    await this.#telling?.return();
  }

  async #next({ tools, results }) {
    const bash = tools.find(({ name }) => name === this.#toolName("bash"));
    if (this.#isOver) return SMALL_TALK;
    if (bash === undefined) return this.#wait(tools);
    if (this.#open !== undefined) {
      const byId = new Map(results.map(({ id, text }, at) => [id ?? this.#made[at], text]));
      const texts = this.#open.map(({ id }) => byId.get(id));
      if (texts.includes(undefined)) return this.#again();
      return this.#go(texts, bash);
    }
    this.#telling ??= this.#script(tools);
    return this.#go(undefined, bash);
  }

  /** The engine's tools are not there yet, or this is a request beside. */
  #wait(tools) {
    if (this.#waited >= MAX_SAID || !tools.some(({ name }) => name === WAIT_TOOL)) return SMALL_TALK;
    this.#waited += 1;
    return { calls: [{ id: callId(), name: WAIT_TOOL, input: {} }], text: "" };
  }

  #again() {
    this.#said += 1;
    if (this.#said > MAX_SAID) throw new Error("the results of a turn were not given");
    return { calls: this.#open, text: "" };
  }

  async #go(texts, { namespace }) {
    this.#open = undefined;
    const { done, value } = await this.#telling.next(texts);
    this.#isOver = done === true;
    if (done) this.#tellOver();
    if (done) return { calls: [], text: "That was all." };
    this.#open = value.map(({ name, input }) => {
      return { id: callId(), name: this.#toolName(name), ...(namespace === undefined ? {} : { namespace }), input };
    });
    this.#made.push(...this.#open.map(({ id }) => id));
    this.#said = 1;
    return { calls: this.#open, text: "" };
  }
}

const callId = () => `call_${crypto.randomUUID().replaceAll("-", "")}`;

async function answer(request, response, { conversation, log, formats }) {
  const { pathname } = new URL(request.url ?? "/", "http://loopback");
  const body = await bodyOf(request);
  const [name, wire] =
    Object.entries(WIRES).find(([, { serves }]) => request.method === "POST" && serves(pathname)) ?? [];
  log({ method: request.method, path: request.url, body });
  if (wire === undefined) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(besides(pathname)));
    return;
  }
  const asked = wire.read(body, pathname);
  const reply = await conversation.reply(asked);
  if (reply !== SMALL_TALK) formats.add(name);
  log({ reply });
  if (!asked.isStream) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(wire.whole(reply, body));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const text of wire.stream(reply, body)) response.write(text);
  response.end();
}

/** Lists of models and counts of tokens, in what all formats have in common. */
function besides(path) {
  if (path.endsWith("count_tokens")) return { input_tokens: 10 };
  if (path.endsWith(":countTokens")) return { totalTokens: 10 };
  if (path.endsWith("/models"))
    return { object: "list", data: [{ id: MODEL, object: "model" }], models: [], has_more: false };
  return {};
}

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  return text === "" ? {} : JSON.parse(text);
}
