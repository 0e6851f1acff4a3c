/**
 * One call in a kept session (`pi-bash tool --host`), and a session on a place: beside the agent that is there.
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, keeping, LIMIT_MS, PROGRAM, pidIn } from "../../support/kept.ts";
import { until, within } from "../../support/patience.ts";
import { untilGone } from "../../support/process.ts";

describe("`tool --host`", { timeout: 3 * LIMIT_MS }, () => {
  it("sees the state of the agent's session, leaves some, and displaces no agent", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);
    await agent.call("bash", { command: "mkdir sub; cd sub; X=5" });

    const call = await kept.pi(["tool", "--host", "--session", "web", "pwd; echo X=$X; Y=6; exit 3"]);
    const json = await kept.pi(["tool", "--host", "--session", "web", "--json", "echo Y=$Y"]);

    expect(call).toMatchObject({ status: 3, stderr: "" });
    expect(call.stdout).toContain(`${kept.folder}/sub\nX=5`);
    expect(JSON.parse(json.stdout).content[0].text).toContain("Y=");
    expect(await agent.call("bash", { command: "echo here $X" })).toContain("here 5");
  });

  it("runs nothing that its own policy does not allow, and says so", async () => {
    const kept = keeping();
    await kept.host();
    await kept.pi(["rpc", "--host", "--session", "web", "--mode", "yolo"]);

    const refused = await kept.pi(["tool", "--host", "--session", "web", "--mode", "plan", "touch made"]);

    expect(refused.status).toBe(125);
    expect(existsSync(join(kept.folder, "made"))).toBe(false);
  });

  it("is ended by Ctrl-C, and by its own end", async () => {
    const kept = keeping();
    await kept.host();
    for (const signal of ["SIGINT", "SIGKILL"] as const) {
      const file = join(kept.folder, `pid-${signal}`);
      const words = ["tool", "--host", "--session", "web", `sleep 120 & echo $! >${file}; wait`];
      const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: kept.folder, env: kept.env, stdio: "ignore" });
      const pid = await pidIn(file);

      child.kill(signal);

      await within("the end of the call", ended(child), LIMIT_MS);
      expect(child.exitCode).toBe(signal === "SIGINT" ? 130 : null);
      // What it left in the background is the shell's; the call is over, and the shell is free.
      expect((await kept.pi(["tool", "--host", "--session", "web", "echo free"])).stdout).toContain("free");
      await kept.pi(["tool", "--host", "--session", "web", `kill -9 ${pid}; true`]);
      await untilGone(pid);
    }
  });

  it("makes a session where there is none, and without a host is refused", async () => {
    const kept = keeping();
    expect((await kept.pi(["tool", "--host", "--session", "web", "true"])).stderr).toContain("no host runs");
    await kept.host();

    expect((await kept.pi(["tool", "--host", "--session", "web", "Z=7"])).status).toBe(0);
    expect((await kept.pi(["tool", "--host", "--session", "web", "echo Z=$Z"])).stdout).toContain("Z=7");
  });
});

describe("a kept session on a place", { timeout: 3 * LIMIT_MS }, () => {
  it("has its state, its jobs and its place for the next client", async () => {
    const kept = keeping();
    await kept.host();
    const words = ["--session", "far", "--on", "command:env"];
    const first = await kept.agent(words);
    expect(await first.call("bash", { command: "cd /usr; X=5" })).toContain("command:env");
    const gate = join(kept.folder, "gate");
    await first.call("task", {
      kind: "bash",
      script: `echo begun; until [ -e ${gate} ]; do sleep 0.05; done; echo over`,
      timeout_secs: 60,
      display_name: "x",
      run_in_background: true,
    });
    await first.die();
    await until("the host to know", async () => (await kept.pi(["sessions"])).stdout.includes("no client"), LIMIT_MS);
    await kept.pi(["run", `touch ${gate}`]);

    const second = await kept.agent(words);

    expect(await second.call("bash", { command: "pwd; echo X=$X" })).toContain("/usr\nX=5");
    const end = await second.call("task_await", { task_ids: ["bash:bg_1"], min_completed: 1, timeout_secs: 20 });
    expect(end).toContain("begun\nover");
    expect((await kept.pi(["sessions"])).stdout).toMatch(/^far +idle, client +\S+ +command:env +\/usr$/m);
  });
});
