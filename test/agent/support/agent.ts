/**
 * An agent's loop over the real tools: the AI SDK calls them, a script is the model.
 *
 * The script is a generator: it yields tool calls and is given what a model reads of their results, which is taken from
 * the prompt of the model's next turn and from nowhere else. So a test sees the texts as they arrive, after the tool, the
 * adapter and the loop. What the tool answered as data is beside them.
 */
import type { BashDetails, ParameterSchema, SettingsInput, TextContent } from "@pi-bash/contract";
import { createExecutor, type Executor, type ExecutorPorts, JobManager } from "@pi-bash/executor";
import {
  type BashToolSession,
  createBashTool,
  createJobTool,
  createTaskTools,
  type TaskTools,
  ToolAbortError,
  ToolError,
} from "@pi-bash/tool";
import { generateText, stepCountIs, type ToolSet, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { onTestFinished } from "vitest";

/** A call that the model makes. */
export interface ScriptedCall {
  tool: "bash" | "job" | keyof TaskTools;
  input: Record<string, unknown>;
}

/** What the model reads of a call. */
export interface Reading {
  text: string;
  isError: boolean;
  /** `details` of the answer, or of the error that was thrown. */
  details: BashDetails;
  /** The name of the error that the tool threw. */
  thrown?: string;
}

/** The model: yields one call, or several of one turn; returns its last words. */
export type Script = Generator<ScriptedCall | ScriptedCall[], string, Reading[]>;

/** A call of the bash tool. */
export function bash(command: string, more: Record<string, unknown> = {}): ScriptedCall {
  return { tool: "bash", input: { command, ...more } };
}

/** A call of the job tool. */
export function job(input: Record<string, unknown>): ScriptedCall {
  return { tool: "job", input };
}

/** A call of `task` with a command. */
export function task(script: string, more: Record<string, unknown> = {}): ScriptedCall {
  return {
    tool: "task",
    input: { kind: "bash", script, timeout_secs: 120, display_name: script.slice(0, 20), ...more },
  };
}

export interface Agent {
  executor: Executor;
  session: BashToolSession;
  /** Results of jobs, as they were delivered. */
  deliveries: string[];
  /** Runs the script to its end. Returns what was read, in the order of the calls, and the last words. */
  run(script: () => Script, signal?: AbortSignal): Promise<{ readings: Reading[]; answer: string }>;
}

export interface AgentOptions {
  cwd: string;
  settings?: SettingsInput;
  hostEnv?: Record<string, string>;
  ports?: ExecutorPorts;
  session?: Partial<BashToolSession>;
  /** Whether results of jobs are delivered; where not, they wait to be polled. Default true. */
  takesDeliveries?: boolean;
}

/** Most turns of one task; a script that needs more does not end. */
const MAX_TURNS = 40;

/** Makes an agent with a shell, jobs and artifacts of its own; all of it goes away after the test. */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  const { cwd, settings = {}, hostEnv, ports, session: more, takesDeliveries = true } = options;
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: cwd, LANG: "C.UTF-8", ...hostEnv };
  const executor = createExecutor(settings, { hostEnv: env, cwd, usesSnapshot: false, ...ports });
  onTestFinished(() => executor.dispose());
  const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
  onTestFinished(() => asyncJobManager.dispose());
  const deliveries: string[] = [];
  if (takesDeliveries) {
    asyncJobManager.subscribe("agent", (batch) => void deliveries.push(...batch.map(({ text }) => text)));
  }
  const session: BashToolSession = {
    cwd,
    settings,
    executor,
    asyncJobManager,
    hostEnv: env,
    getSessionId: () => "agent",
    ...more,
  };
  return {
    executor,
    session,
    deliveries,
    run: async (script, signal) => {
      const readings: Reading[] = [];
      const facts: Facts = new Map();
      const { text } = await generateText({
        model: scriptedModel(script(), readings, facts),
        tools: toolsOf(session, facts),
        prompt: "Do the task.",
        stopWhen: stepCountIs(MAX_TURNS),
        ...(signal === undefined ? {} : { abortSignal: signal }),
      });
      return { readings, answer: text };
    },
  };
}

/** What the tools answered beside their text, by the id of the call. */
type Facts = Map<string, { details: BashDetails; thrown?: string }>;

/** The tools, as a host of the AI SDK registers them. */
function toolsOf(session: BashToolSession, seen: Facts): ToolSet {
  const bashTool = createBashTool(session);
  const jobTool = createJobTool(session);
  const toModelOutput = ({ output }: { output: { text: string; isError: boolean } }) =>
    ({ type: output.isError ? "error-text" : "text", value: output.text }) as const;
  return {
    bash: tool({
      description: bashTool.description,
      inputSchema: bashTool.parameters,
      execute: async (input, { toolCallId, abortSignal }) => {
        try {
          const { content, details = {}, isError = false } = await bashTool.execute(toolCallId, input, abortSignal);
          seen.set(toolCallId, { details });
          return { text: content.map(({ text }) => text).join(""), isError };
        } catch (error) {
          if (error instanceof ToolError || error instanceof ToolAbortError) {
            seen.set(toolCallId, { details: error.details ?? {}, thrown: error.name });
          }
          throw error;
        }
      },
      toModelOutput,
    }),
    job: tool({
      description: jobTool.description,
      inputSchema: jobTool.parameters,
      execute: async (input, { toolCallId, abortSignal }) => {
        const { content, isError = false } = await jobTool.execute(toolCallId, input, abortSignal);
        return { text: content.map(({ text }) => text).join(""), isError };
      },
      toModelOutput,
    }),
    ...taskToolsOf(session),
  };
}

/** The other family of tools. */
function taskToolsOf(session: BashToolSession): ToolSet {
  const tools = Object.values(createTaskTools(session));
  return Object.fromEntries(
    tools.map((one) => [
      one.name,
      tool({
        description: one.description,
        inputSchema: one.parameters as ParameterSchema<unknown>,
        execute: async (input: unknown, { toolCallId, abortSignal }) => {
          const { content, isError = false } = await one.execute(toolCallId, input, abortSignal);
          return { text: content.map((part: TextContent) => part.text).join(""), isError };
        },
        toModelOutput: ({ output }: { output: { text: string; isError: boolean } }) =>
          ({ type: output.isError ? "error-text" : "text", value: output.text }) as const,
      }),
    ]),
  );
}

type Turn = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;
type Prompt = Parameters<MockLanguageModelV3["doGenerate"]>[0]["prompt"];

/** A model that says what the script says. */
function scriptedModel(script: Script, readings: Reading[], seen: Facts): MockLanguageModelV3 {
  let isFirst = true;
  let count = 0;
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const read = isFirst ? [] : readingsOf(prompt, seen);
      readings.push(...read);
      isFirst = false;
      const step = script.next(read);
      if (step.done === true) return turn([{ type: "text", text: step.value }], "stop");
      const calls = [step.value].flat().map(({ tool: toolName, input }) => {
        count += 1;
        return { type: "tool-call", toolCallId: `call-${count}`, toolName, input: JSON.stringify(input) } as const;
      });
      return turn(calls, "tool-calls");
    },
  });
}

function turn(content: Turn["content"], reason: "stop" | "tool-calls"): Turn {
  return {
    content,
    finishReason: { unified: reason, raw: undefined },
    usage: {
      inputTokens: { total: 0, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 0, text: undefined, reasoning: undefined },
    },
    warnings: [],
  };
}

/** The results of the last turn's calls, from the last message of the prompt. */
function readingsOf(prompt: Prompt, seen: Facts): Reading[] {
  const last = prompt.at(-1);
  if (last?.role !== "tool") throw new Error("the model was given no results");
  return last.content.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { output, toolCallId } = part;
    if (output.type !== "text" && output.type !== "error-text") throw new Error(`a result came as ${output.type}`);
    return [
      { text: output.value, isError: output.type === "error-text", ...(seen.get(toolCallId) ?? { details: {} }) },
    ];
  });
}
