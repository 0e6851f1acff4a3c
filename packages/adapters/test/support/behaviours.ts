/**
 * What every adapter of an agent's loop has to do, tried through the loop of the real SDK: output while a command runs,
 * an end on request, a timeout, an artifact, a task in the background. How the loop is driven is the adapter's test.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capabilities } from "@pi-bash/natives";
import { createPolicy } from "@pi-bash/policy";
import { expect, it } from "vitest";
import { untilGone } from "../../../../test/support/process.ts";
import { type AgentSession, agentSession, ENDLESS, pidIn } from "./agent-session.ts";

/** A call that the model makes. */
export type ScriptedCall = [name: string, input: Record<string, unknown>];

/** What the model was given of a call. */
export interface Reading {
  text: string;
  /** Absent where the protocol has no mark for it. */
  isError?: boolean;
}

export interface LoopOptions {
  /** Notified of each look at a call that runs. */
  onLook?: (text: string) => void;
  signal?: AbortSignal;
}

/** Has the model make these calls one after another. */
export type Loop = (calls: ScriptedCall[], options?: LoopOptions) => Promise<Reading[]>;

/** What is said of a `timeout` of `"5"` and of a field `more` by the tool itself. */
const TOOL_WORDS =
  /^Invalid bash parameters: `timeout` is a number, not a string \(write 5 .*; there is no field `more`; /;

/**
 * `makeLoop` makes the SDK's loop over the tools of a session. `wrongWords`: how wrong parameters are answered, where the
 * SDK checks them before the tool and has no option that turns that off.
 */
export function behavesInTheLoop(
  makeLoop: (agent: AgentSession) => Promise<Loop> | Loop,
  wrongWords: RegExp = TOOL_WORDS,
): void {
  const start = async () => {
    const agent = await agentSession();
    return { agent, loop: await makeLoop(agent) };
  };

  it("shows the output while the command runs, and the model reads the answer", async () => {
    const { agent, loop } = await start();
    const looks: string[] = [];

    const [reading] = await loop(
      [["bash", { command: "echo first; until [ -e go ]; do sleep 0.02; done; echo second; exit 3" }]],
      {
        onLook: (text) => {
          looks.push(text);
          // The command waits for this: without a look at its output it would never end.
          if (text.includes("first")) writeFileSync(join(agent.cwd, "go"), "");
        },
      },
    );

    expect(looks.find((text) => text.includes("first"))).not.toContain("second");
    expect(reading?.text).toMatch(/^first\nsecond\n/);
    expect(reading?.text).toMatch(/Command exited with code 3$/);
    expect(reading?.isError ?? true).toBe(true);
  });

  it("ends the command when the loop is aborted, and keeps the shell", async () => {
    const { agent, loop } = await start();
    await loop([["bash", { command: "kept=yes" }]]);
    const stop = new AbortController();

    const running = loop([["bash", { command: ENDLESS }]], { signal: stop.signal });
    const pid = await pidIn(agent.cwd);
    stop.abort();
    await running.catch(() => undefined);

    await untilGone(pid);
    const [reading] = await loop([["bash", { command: "echo kept: $kept" }]]);
    expect(reading?.text).toMatch(/^kept: yes\n/);
    expect(reading?.isError ?? false).toBe(false);
  });

  it("answers wrong parameters with each field's name, and the next call runs", async () => {
    const { loop } = await start();

    const [wrong, next] = await loop([
      ["bash", { command: "echo ran", timeout: "5", more: 1 }],
      ["bash", { command: "echo ran" }],
    ]);

    expect(wrong?.text).toMatch(wrongWords);
    expect(wrong?.isError ?? true).toBe(true);
    expect(next?.text).toMatch(/^ran\n/);
  });

  it("tells of a timeout with the output up to then", async () => {
    const { loop } = await start();

    const [reading] = await loop([["bash", { command: "echo before; sleep 300", timeout: 1 }]]);

    expect(reading?.text).toMatch(/timed out after 1 second(.|\n)*before/);
    expect(reading?.isError ?? true).toBe(true);
  });

  it("keeps a large output as an artifact that later commands read", async () => {
    const { loop } = await start();

    const [counted] = await loop([["bash", { command: "seq 1 100000" }]]);
    const [uri] = /artifact:\/\/\w+/.exec(counted?.text ?? "") ?? [];
    const [found] = await loop([["bash", { command: `grep -c 7 ${uri}` }]]);

    expect(found?.text).toMatch(/^40951\n/);
  });

  // The kernel holds commands on Linux alone, with Landlock and seccomp, where bash takes the driver.
  it.runIf(capabilities().readOnly.available)("says what a command was refused that ran read-only", async () => {
    const agent = await agentSession({ policy: createPolicy() });
    const loop = await makeLoop(agent);

    const [reading] = await loop([["bash", { command: "node -e 'fs.writeFileSync(`made`, ``)'" }]]);

    expect(reading?.text).toMatch(/This ran read-only, .* Probably refused: writing \(`made`\)\. .*`unconfined: true`/);
    expect(reading?.isError ?? true).toBe(true);
    expect(existsSync(join(agent.cwd, "made"))).toBe(false);
  });

  it("starts a task in the background and awaits it", async () => {
    const { loop } = await start();
    const script = "until [ -e go ]; do sleep 0.02; done; echo built";

    const [started] = await loop([
      ["task", { kind: "bash", script, timeout_secs: 60, display_name: "x", run_in_background: true }],
    ]);
    const [taskId] = /bash:\w+/.exec(started?.text ?? "") ?? [];
    const [, awaited] = await loop([
      ["bash", { command: "touch go" }],
      ["task_await", { task_ids: [taskId], min_completed: 1 }],
    ]);

    expect(started?.text).toContain("runs in the background");
    expect(awaited?.text).toContain("built");
  });

  it.runIf(process.platform === "linux")(
    "answers a program that asks on a terminal (who waits is known on Linux)",
    async () => {
      const { loop } = await start();
      const script = 'read -rp "Name: " n; echo "hello $n"; exit 4';

      const [asked] = await loop([["task", { kind: "bash", script, timeout_secs: 60, display_name: "x", tty: true }]]);
      const [taskId] = /bash:\w+/.exec(asked?.text ?? "") ?? [];
      const [answered] = await loop([["task_send", { task_id: taskId, text: "ada" }]]);

      expect(asked?.text).toContain('asks: "Name:"');
      expect(answered?.text).toContain("hello ada");
      expect(answered?.text).toContain("exitCode: 4");
    },
  );

  it("starts a service once, and has its log watched", async () => {
    const { loop } = await start();
    const script = "echo listening; until [ -e go ]; do sleep 0.02; done; echo an ERROR; sleep 300";
    const service: ScriptedCall = ["task", { kind: "service", name: "web", script, ready: { log: "^listening$" } }];

    const [begun, again] = await loop([service, service]);
    const [taskId] = /bash:\w+/.exec(begun?.text ?? "") ?? [];
    const [, found] = await loop([
      ["bash", { command: "touch go" }],
      ["task_await", { task_ids: [taskId], filter: "ERROR", timeout_secs: 20 }],
    ]);
    const [ended] = await loop([["task_terminate", { task_ids: [taskId] }]]);

    expect(begun?.text).toMatch(/^### Service web \(bash:\w+\): ready after/);
    expect(again?.text).toContain(`### Service web (${taskId}): already ready`);
    expect(found?.text).toContain("an ERROR");
    expect(ended?.text).toContain("is ended");
  });
}
