/** What never runs unasked, at an agent of ACP without a policy: its client is asked, with nothing hidden. */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AgentContext, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { createBashTool } from "@pi-bash/tool";
import { expect, it } from "vitest";
import { acpApprove, acpToolCall } from "../src/acp/index.ts";
import { agentSession } from "./support/agent-session.ts";

it("asks, and follows the answer", async () => {
  const { session, cwd } = await agentSession();
  mkdirSync(join(cwd, "open"), { mode: 0o700 });
  const asked: RequestPermissionRequest[] = [];
  const titles: unknown[] = [];
  let optionId = "reject";
  const client = {
    request: async (_method: unknown, params: RequestPermissionRequest) => {
      asked.push(params);
      return { outcome: { outcome: "selected", optionId } };
    },
    notify: async (_method: unknown, { update }: { update: { title?: unknown } }) => void titles.push(update.title),
  } as unknown as AgentContext;
  const acp = { client, sessionId: "s" };
  const bash = createBashTool({ ...session, approve: acpApprove(acp) });
  const call = () => acpToolCall(acp, { tool: bash, id: "1", params: { command: "chmod -R 777 open # \u202e" } });

  expect((await call()).isError).toBe(true);
  expect(statSync(join(cwd, "open")).mode & 0o7).toBe(0);
  optionId = "once";
  expect((await call()).isError).toBe(false);

  expect(statSync(join(cwd, "open")).mode & 0o7).toBe(0o7);
  expect(asked.map(({ toolCall }) => toolCall.title)).toEqual(Array(2).fill("chmod -R 777 open # \\u{202e}"));
  expect(titles[0]).toBe("chmod -R 777 open # \\u{202e}");
});
