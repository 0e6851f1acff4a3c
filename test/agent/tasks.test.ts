/**
 * An agent that has the task tools alone: a server in the background, tests that fail, a build that takes long.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createAgent, type ScriptedCall, task } from "./support/agent.ts";
import { place } from "./support/place.ts";
import { ASK, PATH, SERVER } from "./support/server.ts";

const awaiting = (more: Record<string, unknown> = {}): ScriptedCall => ({ tool: "task_await", input: more });

describe("an agent with the task tools", () => {
  it("starts a server, waits until it listens, asks it, reads its log and ends it", async () => {
    const cwd = place({ "server.mjs": SERVER });
    const agent = await createAgent({ cwd, hostEnv: { PATH } });

    const { readings } = await agent.run(function* () {
      yield task("node server.mjs", { run_in_background: true, display_name: "server" });
      yield awaiting({ filter: "^listening$", timeout_secs: 60 });
      yield task(ASK);
      yield awaiting({ task_ids: ["bash:bg_1"], filter: "request", timeout_secs: 60 });
      yield { tool: "task_list", input: {} };
      yield { tool: "task_terminate", input: { task_ids: ["bash:bg_1"] } };
      yield task(ASK);
      return "done";
    });

    const texts = readings.map(({ text }) => text);
    expect(texts[0]).toBe("Task bash:bg_1 runs in the background. `task_await` has its output.");
    expect(texts[1]).toMatch(/^### Task bash:bg_1: running for .* s\n(?:ports: .*\n)?\n```\nlistening\n```$/);
    expect(texts[2]).toMatch(/^answer 1\n/);
    expect(texts[3]).toMatch(/```\nrequest 1 for \/x\n```$/);
    expect(texts[4]).toMatch(/^bash:bg_1 \[bash, running, .*\] server: node server\.mjs$/);
    expect(texts[5]).toBe("Task bash:bg_1 is ended.");
    expect(texts[6]).toMatch(/^refused\n/);
    expect(agent.deliveries).toEqual([]);
  });

  it("runs tests beside its work, reads only what failed, and mends it", async () => {
    const cwd = place({
      "sum.mjs": "export const sum = (a, b) => a - b;\n",
      "test.mjs":
        'import { sum } from "./sum.mjs";\nfor (let at = 0; at < 500; at += 1) console.log(sum(at, 0) === at ? `ok ${at}` : `FAIL ${at}`);\nconsole.log(sum(1, 1) === 2 ? "ok last" : "FAIL last");\nprocess.exit(sum(1, 1) === 2 ? 0 : 1);\n',
    });
    const agent = await createAgent({ cwd, hostEnv: { PATH } });
    const tests = task("node test.mjs", { run_in_background: true });

    const { readings } = await agent.run(function* () {
      yield tests;
      yield awaiting({ filter: "^FAIL", min_completed: 1 });
      yield task("sed -i 's/a - b/a + b/' sum.mjs && cat sum.mjs");
      yield tests;
      yield awaiting({ filter: "^FAIL", min_completed: 1 });
      return "mended";
    });

    expect(readings[1]?.text).toMatch(/status: exited\nexitCode: 1\n\n```\nFAIL last\n```$/);
    expect(readings[2]?.text).toMatch(/^export const sum = \(a, b\) => a \+ b;\n/);
    expect(readings[4]?.text).toMatch(/status: exited\nexitCode: 0\n\n```\n\(no output\)\n```$/);
  });

  it("is not held up by a build that takes long, and hears of its end", async () => {
    const cwd = place({});
    const agent = await createAgent({ cwd, settings: { "task.blockingBudgetMs": 1_000 } });

    const { readings } = await agent.run(function* () {
      yield task("true");
      yield task("echo building; until [ -e go ]; do sleep 0.05; done; echo built");
      writeFileSync(join(cwd, "go"), "");
      yield awaiting({ min_completed: 1, timeout_secs: 60 });
      return "built";
    });

    expect(readings[1]?.text).toMatch(/^```\nbuilding\n```\n\nThe command goes on in the background as bash:bg_1\./);
    expect(readings[2]?.text).toMatch(/exitCode: 0\n\n```\nbuilt\n```$/);
  });
});
