/**
 * The ways by which a conversation's calls reach the tools: the official MCP client and `pi-bash mcp`, and the AI SDK's loop.
 */
import { aiSdkTools } from "@pi-bash/adapters/ai-sdk";
import { createExecutor, JobManager } from "@pi-bash/executor";
import { createBashTool, toolsForModel } from "@pi-bash/tool";
import { generateText, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { onTestFinished } from "vitest";
import { keeping } from "../../support/kept.ts";
import { scratchFolder } from "../../support/scratch.ts";
import type { Conversation } from "./conversations.ts";

/** Calls that one conversation may take. */
const MOST_STEPS = 60;
const NO_TOKENS = { total: 0 };

/** Someone who types a secret when a program asks for it: not the model. */
export interface PersonAsked {
  readonly prompt: string;
  /** The id of the task's job, `bg_1`. */
  readonly jobId: string;
}

/** A loop in a folder of its own. */
export interface Loop {
  readonly folder: string;
  /** Has the conversation, and resolves with its last words. */
  talk(conversation: Conversation): Promise<string>;
}

/** The official MCP client over a kept session, so that a person can join by `pi-bash attach`. */
export async function overMcp() {
  const kept = keeping({ GIT_CONFIG_GLOBAL: "/dev/null" });
  await kept.host();
  const agent = await kept.agent(["--session", "talk"]);
  return {
    kept,
    received: agent.received,
    folder: kept.folder,
    async talk(conversation: Conversation): Promise<string> {
      let step = conversation.next();
      while (step.done !== true) step = conversation.next(await agent.call(step.value.tool, { ...step.value.input }));
      return step.value;
    },
  };
}

/** The AI SDK's own loop, with a script in the model's place. `onSecret` is the host's person. */
export async function overAiSdk(onSecret?: (asked: PersonAsked, type: (line: string) => Promise<boolean>) => void) {
  const folder = scratchFolder();
  const hostEnv = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: folder, GIT_CONFIG_GLOBAL: "/dev/null" };
  const executor = createExecutor({}, { cwd: folder, hostEnv });
  const jobs = await JobManager.open({ artifacts: executor.artifacts });
  const unwatch = jobs.watchWaiting(({ id }, { kind, prompt = "" }) => {
    const terminal = jobs.terminal(id);
    if (kind === "secret" && terminal !== undefined) {
      onSecret?.({ prompt, jobId: id }, (line) => terminal.sendSecret(line));
    }
  });
  onTestFinished(async () => {
    unwatch();
    await jobs.dispose();
    await executor.dispose();
  });
  const session = { cwd: folder, executor, asyncJobManager: jobs, getSessionId: () => "agent-1" };
  const tools = aiSdkTools([createBashTool(session), ...toolsForModel(session)]);
  return {
    folder,
    async talk(conversation: Conversation): Promise<string> {
      const model = new MockLanguageModelV3({ doGenerate: async ({ prompt }) => answerTo(prompt, conversation) });
      const { text } = await generateText({ model, tools, prompt: "Begin.", stopWhen: stepCountIs(MOST_STEPS) });
      return text;
    },
  };
}

type Generate = NonNullable<ConstructorParameters<typeof MockLanguageModelV3>[0]>["doGenerate"];
type Asked = Parameters<Extract<Generate, (...args: never) => unknown>>[0];
type Answer = Awaited<ReturnType<Extract<Generate, (...args: never) => unknown>>>;

/** The model's next message: a call, or its last words. */
function answerTo(prompt: Asked["prompt"], conversation: Conversation): Answer {
  const { done, value } = conversation.next(textRead(prompt));
  const usage = { inputTokens: NO_TOKENS, outputTokens: NO_TOKENS } as Answer["usage"];
  if (done === true) {
    const finishReason = { unified: "stop", raw: undefined } as const;
    return { content: [{ type: "text", text: value }], finishReason, usage, warnings: [] };
  }
  const finishReason = { unified: "tool-calls", raw: undefined } as const;
  const input = JSON.stringify(value.input);
  const call = { type: "tool-call", toolCallId: crypto.randomUUID(), toolName: value.tool, input } as const;
  return { content: [call], finishReason, usage, warnings: [] };
}

/** What the newest result says, as the model is given it. */
function textRead(prompt: Asked["prompt"]): string {
  const last = prompt.at(-1);
  const [part] = last?.role === "tool" ? last.content : [];
  if (part?.type !== "tool-result") return "";
  const { output } = part;
  return output.type === "text" || output.type === "error-text" ? output.value : JSON.stringify(output);
}
