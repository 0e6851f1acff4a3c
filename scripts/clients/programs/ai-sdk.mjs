/**
 * An agent on the AI SDK with the tools of `@pi-bash/adapters/ai-sdk`, as a host writes one.
 *
 * Arguments: folder with `ai` and `@ai-sdk/openai`, address of the model, `chat` or `responses`. SIGINT aborts the loop;
 * then the agent is asked once more, in the same session.
 */
import { createRequire, registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openSession, ours } from "./agent-session.mjs";

const [folder, url, format] = process.argv.slice(2);
const manifest = join(folder, "package.json");
// The adapter is given the version that is tried, in place of the one of the checkout.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier, specifier === "ai" ? { ...context, parentURL: pathToFileURL(manifest).href } : context),
});
const load = (name) => import(pathToFileURL(createRequire(manifest).resolve(name)).href);

const { streamText, stepCountIs } = await load("ai");
const { createOpenAI } = await load("@ai-sdk/openai");
const { aiSdkTools } = await ours("adapters/dist/ai-sdk/index.js");

const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: "dummy" });
const model = format === "chat" ? provider.chat("scripted") : provider.responses("scripted");
const session = await openSession(process.cwd());
let abort = new AbortController();
process.on("SIGINT", () => abort.abort());

/** @returns whether it came to its end */
async function ask() {
  const { signal } = abort;
  const result = streamText({
    model,
    tools: aiSdkTools(session.tools()),
    prompt: "Begin.",
    stopWhen: stepCountIs(100),
    abortSignal: signal,
    onError: ({ error }) => console.error(error),
  });
  for await (const text of result.textStream) process.stdout.write(text);
  return !signal.aborted;
}

try {
  while (!(await ask())) abort = new AbortController();
} finally {
  await session.dispose();
}
