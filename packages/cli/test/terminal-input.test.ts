/** Commands that read standard input, started by a person at a terminal. */
import { PtySession } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { LIMIT_MS, PROGRAM } from "./console-person.ts";

describe("a command that reads standard input", () => {
  it.each([
    ["rpc", "waits for requests, a JSON object a line"],
    ["mcp", "waits for an MCP client"],
    ["tasks", "waits for calls of the task tools"],
    ["tool", "waits for the parameters of a call as JSON"],
    ["minimize", "waits for the output of a command"],
  ])("`%s` says at a terminal that it waits, and ctrl+d ends the input", async (name, wanted) => {
    const pty = new PtySession();
    let seen = "";
    let isAnswered = false;
    const result = await pty.start(
      {
        command: `exec "$NODE" "$PROGRAM" ${name}`,
        baseEnv: { PATH: process.env["PATH"] ?? "", NODE: process.execPath, PROGRAM },
        timeoutMs: LIMIT_MS,
      },
      (_error, chunk) => {
        seen += chunk;
        if (!isAnswered && seen.includes("ctrl+d ends the input")) {
          isAnswered = true;
          void pty.write("\x04");
        }
      },
    );

    expect(seen).toContain(wanted);
    expect(result.timedOut).toBe(false);
  });
});
