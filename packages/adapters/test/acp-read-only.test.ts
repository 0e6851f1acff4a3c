/** What an agent and its person see over ACP of a call that ran read-only: the lines, the details, and the question. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import type { SettingsInput } from "@pi-bash/contract";
import { capabilities } from "@pi-bash/natives";
import { createPolicy } from "@pi-bash/policy";
import { createBashTool } from "@pi-bash/tool";
import { describe, expect, it } from "vitest";
import { acpApprove, acpToolCall } from "../src/acp/index.ts";
import { connected, SESSION_ID } from "./support/acp-connection.ts";
import { agentSession } from "./support/agent-session.ts";

// The kernel holds commands on Linux alone, with Landlock and seccomp, where bash takes the driver.
const { available, reason } = capabilities().readOnly;

const WRITES = "node -e 'console.log(`tried`); fs.appendFileSync(`made`, `x`)'";

/** The call, made by an agent whose person chooses so; and what the client was sent. */
async function callOf(params: object, choice: string, settings: SettingsInput = {}) {
  const asked: RequestPermissionRequest[] = [];
  const updates: SessionUpdate[] = [];
  const choose = (request: RequestPermissionRequest) => {
    asked.push(request);
    return choice;
  };
  const onUpdate = (update: SessionUpdate) => void updates.push(update);
  return connected({ choose, onUpdate }, async (client) => {
    const acp = { client, sessionId: SESSION_ID };
    const { session, cwd } = await agentSession({ settings, policy: createPolicy(), approve: acpApprove(acp) });
    const answer = await acpToolCall(acp, { tool: createBashTool(session), id: "1", params });
    return { answer, asked, updates, made: join(cwd, "made") };
  });
}

describe.skipIf(!available)(`a call that only reads, over ACP${available ? "" : ` (skipped: ${reason})`}`, () => {
  it("shows the agent and the client what was refused, as a line and as data", async () => {
    const { answer, asked, updates, made } = await callOf({ command: WRITES }, "once");

    expect(answer.isError).toBe(true);
    expect(answer.text).toContain("Probably refused: writing (`made`)");
    expect(answer.text).toContain("call again with `unconfined: true`");
    expect(updates.at(-1)).toMatchObject({
      status: "failed",
      content: [{ content: { text: answer.text } }],
      rawOutput: { readOnly: { enforced: true, refusals: [{ kind: "read-only-path", path: "made" }] } },
    });
    expect(asked).toEqual([]);
    expect(existsSync(made)).toBe(false);
  });

  it("with `unconfined` is asked about, and writes", async () => {
    const { answer, asked, made } = await callOf({ command: WRITES, unconfined: true }, "once");

    expect(answer).toMatchObject({ isError: false, text: expect.stringMatching(/^tried\n/) });
    expect(asked.map(({ toolCall }) => toolCall.title)).toEqual([WRITES]);
    expect(readFileSync(made, "utf8")).toBe("x");
  });

  it("with `readOnly.onRefusal` set to `ask` has the client ask, and runs once more where it can write", async () => {
    const { answer, asked, updates, made } = await callOf({ command: WRITES }, "once", { "readOnly.onRefusal": "ask" });

    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked[0])).toContain(
      "it ran read-only, and by what it printed it was refused: writing (`made`)",
    );
    expect(answer).toMatchObject({ isError: false, text: expect.stringMatching(/^\[Read-only run\]\ntried\n/) });
    expect(answer.text).toContain("It was approved, and ran again where it can write.");
    expect(updates.at(-1)).toMatchObject({ status: "completed", rawOutput: { readOnly: { answer: "approved" } } });
    expect(readFileSync(made, "utf8")).toBe("x");
  });

  it("that is declined then stays as it was", async () => {
    const { answer, updates, made } = await callOf({ command: WRITES }, "reject", { "readOnly.onRefusal": "ask" });

    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/^tried\n/) });
    expect(answer.text).toContain("It was not approved to run where it can write.");
    expect(updates.at(-1)).toMatchObject({
      status: "failed",
      rawOutput: { exitCode: 1, readOnly: { answer: "denied", refusals: [{ path: "made" }] } },
    });
    expect(existsSync(made)).toBe(false);
  });
});
