/** A program that asks, through `pi-bash mcp`: what is wrong with an answer. Whole conversations are in `test/agent`. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { untilGone } from "../../../test/support/process.ts";
import { connect } from "./support/mcp-client.ts";

const onTerminal = (script: string) => ({
  kind: "bash",
  script,
  timeout_secs: 120,
  display_name: "x",
  tty: true,
});

interface Facts {
  taskId: string;
  result: { status: string; waiting?: { kind: string; prompt?: string; certain: boolean }; exitCode?: number };
}

describe.skipIf(process.platform !== "linux")("an MCP client (who waits is known on Linux)", () => {
  it("reads what is wrong with a send, and leaves nothing when it goes", async () => {
    const { folder, call, client } = await connect();
    const begun = await call("task", onTerminal("echo $$ >pid; read -p 'Name: ' n"));
    const { taskId } = begun.details as Facts;
    const wrong = await call("task_send", { task_id: taskId, keys: ["Crtl-C"] });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining('Unknown key "Crtl-C"') });
    const path = join(folder, "pid");
    await until("its process id", () => existsSync(path) && readFileSync(path, "utf8").endsWith("\n"));
    const pid = Number(readFileSync(path, "utf8"));
    await client.close();
    await untilGone(pid);
  });
});
