/** A program that asks, answered by the official MCP client through `pi-bash mcp`. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../../test/support/patience.ts";
import { untilGone } from "../../../test/support/process.ts";
import { connect } from "./support/mcp-client.ts";

const has = (program: string): boolean => spawnSync("which", [program]).status === 0;

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
  it.skipIf(!has("gdb") || !has("gcc"))("finds a wrong value with `gdb`", async () => {
    const { folder, call } = await connect();
    const lines = ["int twice(int n) { int m = n * 3;", "return m; }", "int main(void) { return twice(2); }"];
    writeFileSync(join(folder, "t.c"), `${lines.join("\n")}\n`);
    expect((await call("bash", { command: "gcc -g -O0 -o t t.c" })).isError).not.toBe(true);

    const begun = await call("task", onTerminal("gdb -q -nx ./t"));
    const { taskId } = begun.details as Facts;
    expect(begun.details).toMatchObject({ status: "running", waiting: { kind: "prompt", prompt: "(gdb)" } });
    const send = async (text: string) => (await call("task_send", { task_id: taskId, text })).text;
    expect(await send("break 2")).toContain("Breakpoint 1");
    expect(await send("run")).toContain("return m;");
    expect(await send("print m")).toContain("$1 = 6");
    await call("task_send", { task_id: taskId, text: "kill", wait_secs: 5 });
    await call("task_send", { task_id: taskId, text: "y", wait_secs: 5 });
    const ended = await call("task_send", { task_id: taskId, text: "quit" });
    expect((ended.details as Facts).result.status).toBe("completed");
  });

  it.skipIf(!has("npm"))("answers `npm init`, whose facts it is given as data", async () => {
    const { folder, call } = await connect();
    const begun = await call("task", onTerminal("npm init"));
    const { taskId } = begun.details as Facts;
    expect(begun.text).toContain(`### Task ${taskId}: waiting for input (prompt)`);
    let sends = 0;
    for (let status = "running"; status === "running"; sends += 1) {
      expect(sends).toBeLessThan(15);
      const told = await call("task_send", { task_id: taskId, text: sends === 0 ? "by-mcp" : "" });
      ({ status } = (told.details as Facts).result);
    }
    expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({ name: "by-mcp" });
  });

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
