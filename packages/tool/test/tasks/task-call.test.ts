/**
 * What every call of a task tool goes through before anything runs: parameters, rules, a workspace that is ready.
 */
import { createPolicy } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import type { ClientBridge, CreateTerminalRequest } from "../../src/client-bridge.ts";
import { ToolAbortError } from "../../src/tool-error.ts";
import { textOf, thrown } from "../support/session.ts";
import { taskScene } from "../support/tasks.ts";

describe("the parameters of `task`", () => {
  it.each([
    ["a command without a name", { kind: "bash", script: "true", timeout_secs: 1 }],
    ["a command without a timeout", { kind: "bash", script: "true", display_name: "x" }],
    ["a timeout of 0", { kind: "bash", script: "true", timeout_secs: 0, display_name: "x" }],
    ["an endless timeout", { kind: "bash", script: "true", timeout_secs: Number.POSITIVE_INFINITY, display_name: "x" }],
    ["an empty script", { kind: "bash", script: "", timeout_secs: 1, display_name: "x" }],
    ["a script without its kind", { script: "true", timeout_secs: 1, display_name: "x" }],
    ["something else beside", { kind: "bash", script: "true", timeout_secs: 1, display_name: "x", prompt: "y" }],
    ["nothing", undefined],
  ])("refuse %s before anything runs", async (_, params) => {
    const { tools } = await taskScene();

    expect((await thrown(tools.task.execute("call", params))).message).toMatch(/^Invalid task parameters: /);
  });

  it("clamp a deadline in the foreground, and say so", async () => {
    const { run } = await taskScene();

    expect(textOf(await run("true", { timeout_secs: 99_999 }))).toContain(
      "Timeout clamped to 3600s (requested 99999s;",
    );
  });

  it("are refused where the session has no jobs", async () => {
    const { run } = await taskScene({}, { asyncJobManager: undefined });

    expect((await thrown(run("true"))).message).toBe("Async job manager unavailable for this session.");
  });

  it("are checked like those of the bash tool: the same rules refuse a command", async () => {
    const { run } = await taskScene({ "bashInterceptor.enabled": true }, { toolNames: ["read"] });

    expect((await thrown(run("cat file.txt"))).message).toMatch(/^Blocked: /);
    expect((await thrown(run("cat file.txt", { run_in_background: true }))).message).toMatch(/^Blocked: /);
  });
});

describe("the policy of a session", () => {
  it("decides on tasks as on calls of the bash tool, in the foreground and in the background", async () => {
    const asked: string[] = [];
    const { run, start } = await taskScene(
      {},
      {
        policy: createPolicy(),
        approve: async ({ command, description }) => {
          asked.push(`${description}: ${command}`);
          return { behavior: "deny" };
        },
      },
    );

    expect(textOf(await run("echo out"))).toMatch(/^out\n/);
    expect((await thrown(run("touch x", { display_name: "a file" }))).message).toBe("Command was not approved.");
    expect((await thrown(start("touch y", { display_name: "another" }))).message).toBe("Command was not approved.");
    expect((await thrown(run("rm -rf /"))).message).not.toBe("Command was not approved.");
    expect(asked).toEqual(["a file: touch x", "another: touch y"]);
  });

  it("takes the name of a task for the description that it requires", async () => {
    const { run } = await taskScene({ requireDescription: true });

    expect((await run("echo out")).details).toMatchObject({ status: "completed", exitCode: 0 });
  });
});

describe("a sandbox that settings ask for", () => {
  it("is asked of tasks as well: where the executor has none, nothing runs", async () => {
    const scene = await taskScene();
    const { run, start } = scene.as("agent-1", { settings: { sandboxMode: "workspace-write" } });

    expect((await thrown(run("echo out"))).message).toContain("the executor runs without a sandbox");
    expect((await thrown(start("echo out"))).message).toContain("the executor runs without a sandbox");
  });
});

describe("a client with a terminal", () => {
  it("runs the commands of tasks in the foreground", async () => {
    const requests: CreateTerminalRequest[] = [];
    const bridge: ClientBridge = {
      capabilities: { terminal: true },
      createTerminal: async (request) => {
        requests.push(request);
        return {
          terminalId: "term-1",
          waitForExit: async () => ({ exitCode: 0 }),
          currentOutput: async () => ({ output: "from the client\n", truncated: false }),
          kill: async () => undefined,
          release: async () => undefined,
        };
      },
    };
    const { run } = await taskScene({}, { getClientBridge: () => bridge });

    const { content, details } = await run("echo here");

    expect(textOf({ content })).toMatch(/^from the client\n/);
    expect(details).toMatchObject({ status: "completed", exitCode: 0 });
    expect(requests[0]?.args.at(-1)).toBe("echo here");
  });
});

describe("a script that bash cannot be given", () => {
  it("is refused with the reason, in the foreground", async () => {
    const { run } = await taskScene();

    expect((await thrown(run("echo a\0b"))).message).toMatch(/NUL|zero/i);
  });
});

describe("a workspace that is not ready", () => {
  it("is waited for by every task tool", async () => {
    let isReady = (): void => undefined;
    const ready = new Promise<void>((resolve) => {
      isReady = resolve;
    });
    const { run, list, await: awaitTasks, terminate } = await taskScene({}, { ready: () => ready });
    let answered = 0;
    const calls = [run("true"), list(), awaitTasks(), terminate("bash:bg_9")].map((call) =>
      call.then(() => {
        answered += 1;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(answered).toBe(0);

    isReady();

    await Promise.all(calls);
    expect(answered).toBe(4);
  });

  it("and never becomes so is reported, or left when the call is aborted", async () => {
    const broken = await taskScene({}, { ready: () => Promise.reject(new Error("clone failed")) });
    expect((await thrown(broken.run("true"))).message).toBe("The workspace is not ready: clone failed");

    const controller = new AbortController();
    const stuck = await taskScene({}, { ready: () => new Promise(() => undefined) });
    const call = thrown(stuck.run("true", {}, { signal: controller.signal }));
    controller.abort();
    expect(await call).toBeInstanceOf(ToolAbortError);
  });
});
