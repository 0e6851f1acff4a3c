/** Questions over MCP, asked of the official client in both protocols: what it answers, and what it never does. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Client, type ClientOptions, type ElicitResult, InMemoryTransport } from "@modelcontextprotocol/client";
import { createPolicy } from "@pi-bash/policy";
import { createBashTool } from "@pi-bash/tool";
import { describe, expect, it, onTestFinished } from "vitest";
import { until, within } from "../../../test/support/patience.ts";
import { createMcpApprovals, createMcpServer, serveMcpOnStdio } from "../src/mcp/index.ts";
import { agentSession } from "./support/agent-session.ts";
import { StreamTransport } from "./support/stream-transport.ts";

const timeout = 40_000;

interface Question {
  readonly message: string;
  readonly requestedSchema: unknown;
}

/** A server with a policy and a client that answers as it is reported; undefined: it has no elicitation. */
async function connect(
  answer: ((question: Question) => Promise<ElicitResult> | ElicitResult) | undefined,
  { era = "2025", approvalTimeoutMs }: { era?: "2025" | "2026"; approvalTimeoutMs?: number } = {},
) {
  const approvals = createMcpApprovals();
  const { session } = await agentSession();
  const asked = {
    ...session,
    policy: createPolicy(approvalTimeoutMs === undefined ? {} : { approvalTimeoutMs }),
    approve: approvals.approve,
  };
  const makeServer = () => createMcpServer({ tools: [createBashTool(asked)], approvals });
  const capabilities: ClientOptions = answer === undefined ? {} : { capabilities: { elicitation: { form: {} } } };
  const mode = era === "2026" ? { versionNegotiation: { mode: { pin: "2026-07-28" } as const } } : {};
  const client = new Client({ name: "test", version: "1.0.0" }, { ...capabilities, ...mode });
  const questions: Question[] = [];
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      const question = params as Question;
      questions.push(question);
      return answer(question);
    });
  }
  if (era === "2025") {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await Promise.all([makeServer().connect(theirs), client.connect(ours)]);
  } else {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveMcpOnStdio(makeServer, { input, output });
    await client.connect(new StreamTransport(output, input));
    onTestFinished(() => within("the end of the server", served));
  }
  onTestFinished(() => client.close());
  const call = async (command: string) => {
    const { content, isError } = await client.callTool({ name: "bash", arguments: { command } }, { timeout });
    const [first] = content;
    return { text: first?.type === "text" ? first.text : "", isError };
  };
  return { client, questions, call, approvals, made: () => existsSync(join(session.cwd, "made")) };
}

describe.each(["2025", "2026"] as const)("a client of the protocol of %s", (era) => {
  it("is asked, with the command written out, and its yes runs it", async () => {
    const { call, questions, made } = await connect(() => ({ action: "accept", content: {} }), { era });

    const answer = await call("touch made \u202e");

    expect(answer.isError).toBe(false);
    expect(made()).toBe(true);
    expect(questions).toHaveLength(1);
    expect(questions[0]?.message).toContain("touch made \\u{202e}");
    expect(questions[0]?.message).toContain("`touch` changes files");
  });

  it.each(["decline", "cancel"] as const)("runs nothing at its %s", async (action) => {
    const { call, made } = await connect(() => ({ action }), { era });

    const answer = await call("touch made");

    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining("not approved") });
    expect(made()).toBe(false);
  });

  it("is not asked about what only reads, nor again about what it allowed for good", async () => {
    const { call, questions } = await connect(
      ({ requestedSchema }) => {
        const { properties } = requestedSchema as { properties: { remember: { enum: string[] } } };
        return { action: "accept", content: { remember: properties.remember.enum[1] ?? "" } };
      },
      { era },
    );

    await call("ls");
    expect(questions).toHaveLength(0);
    await call("git init -q made");
    await call("git init -q made");
    expect(questions).toHaveLength(1);
  });

  it("learns no rule that was not offered", async () => {
    const { call, questions } = await connect(() => ({ action: "accept", content: { remember: "Bash" } }), { era });

    await call("touch made");
    await call("touch made");

    expect(questions).toHaveLength(2);
  });

  it("is never asked without having said that it can be", async () => {
    const { call, made, approvals } = await connect(undefined, { era });

    const answer = await call("touch made");

    expect(answer.isError).toBe(true);
    expect(made()).toBe(false);
    expect(approvals.canAsk()).toBe(false);
  });
});

it("a client that never answers is waited for as long as is set", async () => {
  const { call, made } = await connect(() => new Promise(() => undefined), { approvalTimeoutMs: 200 });

  expect(await within("the bound of the question", call("touch made"))).toMatchObject({
    isError: true,
    text: expect.stringContaining("no one answered"),
  });
  expect(made()).toBe(false);
});

it("a client that leaves during the question leaves nothing that runs", async () => {
  const { client, call, questions, made } = await connect(() => new Promise(() => undefined));

  const running = call("touch made").catch((error: unknown) => error);
  await until("the question", () => questions.length === 1);
  await client.close();

  expect(await running).toBeInstanceOf(Error);
  expect(made()).toBe(false);
});
