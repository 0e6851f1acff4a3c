/**
 * ACP with the official SDK at both ends, joined by a stream of lines in this process: an agent whose bash tool runs in
 * its client's terminals, and a client that serves these on the engine.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods, type RequestPermissionRequest, type SessionUpdate } from "@agentclientprotocol/sdk";
import { createPolicy } from "@pi-bash/policy";
import { createBashTool } from "@pi-bash/tool";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { untilGone } from "../../../test/support/process.ts";
import { acpApprove, acpClientBridge, acpToolCall, type TerminalsPorts } from "../src/acp/index.ts";
import { connected, SESSION_ID, type Wiring } from "./support/acp-connection.ts";
import { type AgentSession, agentSession, ENDLESS, pidIn } from "./support/agent-session.ts";
import { behavesInTheLoop, type Reading, type ScriptedCall } from "./support/behaviours.ts";

/** Has the agent make these calls, each shown to the client. */
async function calls(
  { tools }: AgentSession,
  wiring: Wiring,
  scripted: readonly ScriptedCall[],
  signal?: AbortSignal,
): Promise<Reading[]> {
  return connected(wiring, async (context) => {
    const readings: Reading[] = [];
    for (const [name, params] of scripted) {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`no tool \`${name}\``);
      const call = { tool, id: `call-${readings.length}`, params, signal };
      readings.push(await acpToolCall({ client: context, sessionId: SESSION_ID }, call));
    }
    return readings;
  });
}

function textOf(update: SessionUpdate): string {
  const [part] = update.sessionUpdate === "tool_call_update" ? (update.content ?? []) : [];
  return part?.type === "content" && part.content.type === "text" ? part.content.text : "";
}

describe("an agent over ACP", () => {
  behavesInTheLoop((session) => (scripted, { onLook, signal } = {}) => {
    const onUpdate = (update: SessionUpdate) => {
      const isLook = update.sessionUpdate === "tool_call_update" && update.status === undefined;
      if (isLook) onLook?.(textOf(update));
    };
    return calls(session, { onUpdate }, scripted, signal);
  });

  it("shows a call from its start to its end", async () => {
    const updates: SessionUpdate[] = [];

    await calls(await agentSession(), { onUpdate: (update) => void updates.push(update) }, [
      ["bash", { command: "exit 3" }],
    ]);

    expect(updates[0]).toMatchObject({ sessionUpdate: "tool_call", title: "exit 3", kind: "execute" });
    expect(updates.at(-1)).toMatchObject({ status: "failed", rawOutput: { exitCode: 3 } });
  });

  it("answers parameters that cannot be read or sent, and the client stays", async () => {
    const updates: SessionUpdate[] = [];
    const cyclic: Record<string, unknown> = { command: "echo ran" };
    cyclic["self"] = cyclic;
    const closed = {
      get command() {
        throw new TypeError("closed");
      },
    };

    const readings = await calls(await agentSession(), { onUpdate: (update) => void updates.push(update) }, [
      ["bash", cyclic],
      ["bash", closed],
      ["bash", { command: "echo ran" }],
    ]);

    expect(readings).toMatchObject([
      { isError: true, text: expect.stringMatching(/^Invalid bash parameters: there is no field `self`/) },
      { isError: true, text: expect.stringMatching(/^Invalid bash parameters: `params` cannot be read/) },
      { isError: false, text: expect.stringMatching(/^ran\n/) },
    ]);
    expect(updates.at(-1)).toMatchObject({ status: "completed" });
  });

  it("asks the person by the client, and remembers what is always allowed", async () => {
    const asked: RequestPermissionRequest[] = [];
    const choose = (request: RequestPermissionRequest) => {
      asked.push(request);
      return asked.length === 1 ? "reject" : "always-0";
    };
    const readings = await connected({ choose }, async (context) => {
      const approve = acpApprove({ client: context, sessionId: SESSION_ID });
      const { tools } = await agentSession({ policy: createPolicy({}), approve });
      const [bash] = tools;
      const texts: string[] = [];
      for (const id of ["a", "b", "c"]) {
        const call = { tool: bash as NonNullable<typeof bash>, id, params: { command: "touch made && echo ran" } };
        texts.push((await acpToolCall({ client: context, sessionId: SESSION_ID }, call)).text);
      }
      return texts;
    });

    expect(asked[0]?.toolCall.title).toBe("touch made && echo ran");
    expect(readings[0]).not.toMatch(/^ran/);
    expect(readings[1]).toMatch(/^ran\n/);
    expect(readings[2]).toMatch(/^ran\n/);
    expect(asked).toHaveLength(2);
  });
});

describe("the terminals of a client", () => {
  /** The bash tool of an agent that runs its commands in this client's terminals. */
  const inTerminals = async (
    more: Partial<TerminalsPorts>,
    act: (bash: ReturnType<typeof createBashTool>, place: AgentSession) => Promise<void>,
    onUpdate?: Wiring["onUpdate"],
  ) => {
    const place = await agentSession();
    const terminals = { executor: place.session.executor, ...more };
    await connected({ terminals, ...(onUpdate && { onUpdate }) }, async (context, hasTerminals) => {
      const bridge = acpClientBridge({ client: context, sessionId: SESSION_ID }, { terminal: hasTerminals });
      await act(createBashTool({ ...place.session, getClientBridge: () => bridge }), place);
    });
  };

  it("run the agent's commands, shown while they run, with their status", async () => {
    await inTerminals({}, async (bash, { cwd }) => {
      const looks: string[] = [];

      const { content, details } = await bash.execute(
        "call-1",
        { command: "echo first; until [ -e go ]; do sleep 0.02; done; echo $WORD; exit 3", env: { WORD: "it's" } },
        undefined,
        ({ content: [part] }) => {
          looks.push(part?.text ?? "");
          if (part?.text.includes("first")) writeFileSync(join(cwd, "go"), "");
        },
      );

      expect(looks.some((text) => text.startsWith("first"))).toBe(true);
      expect(content[0]?.text).toMatch(/^first\nit's\n/);
      expect(details).toMatchObject({ exitCode: 3, terminalId: "term_1" });
    });
  });

  it("end with the agent's call, and at its deadline", async () => {
    await inTerminals({}, async (bash, { cwd }) => {
      const stop = new AbortController();
      const running = bash.execute("call-1", { command: ENDLESS }, stop.signal);
      const pid = await pidIn(cwd);
      stop.abort();
      await expect(running).rejects.toThrow("aborted");
      await untilGone(pid);

      const late = bash.execute("call-2", { command: "echo before; sleep 300", timeout: 1 });
      await expect(late).rejects.toThrow(/before(.|\n)*timed out after 1 second/);
    });
  });

  it("keep the end of a large output, and say that it is the end", async () => {
    await inTerminals({}, async (bash) => {
      const { content } = await bash.execute("call-1", { command: "seq 1 100000; printf é" });

      const text = content[0]?.text ?? "";
      expect(text).toContain("99999\n100000\né");
      expect(text).toContain("(output truncated)");
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(52 * 1024);
    });
  });

  it("run nothing that the person's side refuses", async () => {
    const asked: string[] = [];
    const authorize: TerminalsPorts["authorize"] = async ({ command, sessionId }) => {
      asked.push(`${sessionId}: ${command}`);
      return "not in this editor";
    };
    await inTerminals({ authorize }, async (bash, { cwd }) => {
      await expect(bash.execute("call-1", { command: "touch made" })).rejects.toThrow("not in this editor");
      expect(existsSync(join(cwd, "made"))).toBe(false);
    });
    expect(asked).toEqual([expect.stringMatching(/^session-1: .*touch made/)]);
  });

  it("are released with all that they started, each known to its own session only", async () => {
    const place = await agentSession();
    const { cwd } = place;
    await connected({ terminals: { executor: place.session.executor } }, async (context) => {
      const terminal = await context.createTerminal({ sessionId: SESSION_ID, command: `${ENDLESS} & echo on`, cwd });
      await until("output", async () => (await terminal.currentOutput()).output === "on\n");
      const other = context.request(methods.client.terminal.output, { sessionId: "other", terminalId: terminal.id });
      await expect(other).rejects.toThrow(terminal.id);
      const pid = await pidIn(cwd);

      await terminal.release();

      await untilGone(pid);
      await expect(terminal.currentOutput()).rejects.toThrow(terminal.id);
    });
  });

  it("tell their agent what could not be started, and take arguments as they are", async () => {
    const place = await agentSession();
    const { cwd } = place;
    await connected({ terminals: { executor: place.session.executor } }, async (context) => {
      const lost = await context.createTerminal({ sessionId: SESSION_ID, command: "true", cwd: join(cwd, "none") });
      await expect(lost.waitForExit()).rejects.toThrow("none");

      const args = ["%s\n", "a b", "$HOME", "it's", "*"];
      const words = await context.createTerminal({ sessionId: SESSION_ID, command: "printf", args, cwd });
      expect(await words.waitForExit()).toMatchObject({ exitCode: 0 });
      expect((await words.currentOutput()).output).toBe("a b\n$HOME\nit's\n*\n");
    });
  });

  it("end with their connection", async () => {
    const place = await agentSession();
    const { cwd, session } = place;
    await connected({ terminals: { executor: session.executor } }, async (context) => {
      await context.createTerminal({ sessionId: SESSION_ID, command: ENDLESS, cwd });
      await pidIn(cwd);
    });

    await untilGone(Number(readFileSync(join(cwd, "pid"), "utf8")));
  });
});
