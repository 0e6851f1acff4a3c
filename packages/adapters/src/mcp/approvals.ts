/**
 * Questions of the policy to the person at the MCP client, by elicitation.
 *
 * A client of the protocol of 2025 is asked while its call waits. One of 2026-07-28 is asked by the answer to its call
 * (`input_required`) and makes the call again with what the person said; that holds for exactly this command, folder and
 * environment, because its key is made of them. A client that has not declared elicitation is never asked.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { displayText } from "@pi-bash/contract";
import { displayLine } from "@pi-bash/contract/internal";
import { MAX_TIMER_MS } from "@pi-bash/contract/internal/wait";
import type { BashToolSession } from "@pi-bash/tool";

type Approve = NonNullable<BashToolSession["approve"]>;
type Question = Parameters<Approve>;
type Approval = Awaited<ReturnType<Approve>>;

/** The SDK gives up on a request after a minute; how long a question waits is the policy's. */
const MAX_WAIT_MS = MAX_TIMER_MS;
/** The answer that remembers nothing. */
const ONCE = "Only this once";

/** The way to ask for a session whose tools are served. */
export interface McpApprovals {
  /** For `session.approve`. A client that cannot be asked is a refusal. */
  readonly approve: Approve;
  /** Whether the client of the call that is being made can be asked. */
  canAsk(): boolean;
  /** Makes a call within which `approve` and `canAsk` mean its client. */
  during(
    server: McpServer,
    context: ServerContext,
    call: () => Promise<CallToolResult>,
  ): Promise<CallToolResult | InputRequiredResult>;
}

interface Asked {
  readonly server: McpServer;
  readonly context: ServerContext;
  /** The question that the client has to be sent in place of an answer. */
  open?: { readonly key: string; readonly params: ElicitRequestFormParams };
}

/** Makes the way to ask. One serves any number of servers; give it to `createMcpServer` as well. */
export function createMcpApprovals(): McpApprovals {
  const calls = new AsyncLocalStorage<Asked>();
  return {
    canAsk: () => {
      const asked = calls.getStore();
      return asked !== undefined && takesForms(asked);
    },
    approve: async (...question) => {
      const asked = calls.getStore();
      if (asked === undefined || !takesForms(asked)) return { behavior: "deny", reason: "the client cannot be asked" };
      return isModern(asked.context) ? askByAnswer(asked, question) : askByRequest(asked, question);
    },
    during: async (server, context, call) => {
      const asked: Asked = { server, context };
      const answer = await calls.run(asked, call);
      if (asked.open === undefined) return answer;
      const { key, params } = asked.open;
      return inputRequired({ inputRequests: { [key]: inputRequired.elicit(params) } });
    },
  };
}

/** In the protocol of 2026-07-28 each request says what its client can. */
function isModern(context: ServerContext): boolean {
  return ownCapabilities(context) !== undefined;
}

function ownCapabilities({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
  return envelope[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
}

/** `elicitation: {}` means forms; a client that only opens addresses cannot be asked. */
function takesForms({ server, context }: Asked): boolean {
  const { elicitation } = ownCapabilities(context) ?? server.server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

async function askByRequest({ context }: Asked, question: Question): Promise<Approval> {
  const [, verdict, signal] = question;
  const params = { ...formOf(question) };
  const { action, content } = await context.mcpReq.send(
    { method: "elicitation/create", params },
    { signal, timeout: MAX_WAIT_MS },
  );
  return approvalOf(action, content, verdict.suggestedRules);
}

/** The answer to an earlier round, or the question for the next one. */
function askByAnswer(asked: Asked, question: Question): Approval {
  const key = keyOf(question);
  const response = inputResponse(asked.context.mcpReq.inputResponses, key);
  if (response.kind === "elicit") return approvalOf(response.action, response.content, question[1].suggestedRules);
  asked.open = { key, params: formOf(question) };
  return { behavior: "deny", reason: "the client is being asked" };
}

function keyOf([{ command, cwd, env = {} }]: Question): string {
  const asked = JSON.stringify([command, cwd ?? null, Object.entries(env).sort()]);
  return `approve-${createHash("sha256").update(asked).digest("hex")}`;
}

function formOf([{ cwd, description }, { display, reasons, suggestedRules }]: Question): ElicitRequestFormParams {
  const lines = [
    "Run this command?",
    "",
    display,
    "",
    ...(cwd === undefined ? [] : [`Folder: ${displayText(cwd)}`]),
    ...(description === undefined ? [] : [`It says: ${displayText(description)}`]),
    ...reasons.map(({ message }) => `- ${displayLine(message)}`),
  ];
  const remember = { type: "string", title: "Allow", enum: [ONCE, ...suggestedRules], default: ONCE } as const;
  const properties = suggestedRules.length === 0 ? {} : { remember: { ...remember, enum: [...remember.enum] } };
  return { mode: "form", message: lines.join("\n"), requestedSchema: { type: "object", properties } };
}

/** Only a rule that was offered is remembered. */
function approvalOf(
  action: string,
  content: Readonly<Record<string, unknown>> | undefined,
  suggested: readonly string[],
): Approval {
  if (action === "decline") return { behavior: "deny", reason: "the person said no" };
  if (action !== "accept") return { behavior: "deny", reason: "the question was cancelled" };
  const remember = suggested.find((rule) => rule === content?.["remember"]);
  return remember === undefined ? { behavior: "allow" } : { behavior: "allow", remember };
}
