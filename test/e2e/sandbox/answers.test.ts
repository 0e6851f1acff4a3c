/** What a model reads of a command that failed in a sandbox. What is refused at all: `escapes.test.ts`. */
import { createExecutor } from "@pi-bash/executor";
import { capabilities } from "@pi-bash/natives";
import { type ClientBridge, createBashTool, type PtyPort } from "@pi-bash/tool";
import { expect, it, onTestFinished } from "vitest";
import { visibleFolder } from "../../support/network-sandbox.ts";
import { canHaveNamespaces } from "../../support/sandbox-ways.ts";

/** Time for a proof of a sandbox and two sessions' starts. */
const SLOW_MS = 60_000;

// A kernel without any is the machine's to have.
it.skipIf(capabilities().sandbox.length === 0)(
  "the answer says what may have been refused, and the details why",
  { timeout: SLOW_MS },
  async (test) => {
    const cwd = visibleFolder();
    const settings = { sandboxMode: "read-only", "sandbox.allowDegraded": true } as const;
    const executor = createExecutor(settings, { cwd, usesSnapshot: false });
    onTestFinished(() => executor.dispose());
    const tool = createBashTool({ cwd, settings, executor });

    const call = tool.execute("call", { command: "echo x > refused" });
    const result = await call.catch((error: Error) => {
      if (!canHaveNamespaces({})) test.skip(`this user has no namespaces: ${error.message}`);
      throw error;
    });

    const [{ text } = { text: "" }] = result.content;
    expect(result.isError).toBe(true);
    expect(result.details?.sandbox).toMatchObject({
      mode: "read-only",
      refusals: [{ kind: "read-only-path", path: "refused" }],
    });
    expect(text).toMatch(/The sandbox \(read-only, \w+\) may have refused: writing .* \(`refused`\)\. .*`sandboxMode`/);
  },
);

it.skipIf(capabilities().sandbox.length === 0)(
  "the answer names a host that the proxy refused, and the rule to add",
  { timeout: SLOW_MS },
  async (test) => {
    const cwd = visibleFolder();
    const settings = { sandboxMode: "read-only", "sandbox.network": { allow: ["good.example"] } } as const;
    const executor = createExecutor(settings, { cwd, usesSnapshot: false });
    onTestFinished(() => executor.dispose());
    const tool = createBashTool({ cwd, settings, executor });

    const call = tool.execute("call", { command: "curl -sS https://evil.example/ || true" });
    const { content, isError } = await call.catch((error: Error) => {
      if (!canHaveNamespaces({})) test.skip(`this user has no namespaces: ${error.message}`);
      throw error;
    });

    expect(isError ?? false).toBe(false);
    expect(content[0]).toMatchObject({
      text: expect.stringMatching(
        /The sandbox \(read-only, \w+\) refused: `evil\.example:443`, which no rule allows\. The user can add `evil\.example` to/,
      ),
    });
  },
);

it.skipIf(capabilities().sandbox.length === 0)(
  "neither the client's terminal nor the console of a person is used, which are both outside",
  { timeout: SLOW_MS },
  async (test) => {
    const cwd = visibleFolder();
    const settings = { sandboxMode: "read-only", "sandbox.allowDegraded": true } as const;
    const executor = createExecutor(settings, { cwd, usesSnapshot: false });
    onTestFinished(() => executor.dispose());
    const used: string[] = [];
    const bridge: ClientBridge = {
      capabilities: { terminal: true },
      createTerminal: () => Promise.reject(new Error(String(used.push("terminal")))),
    };
    const pty: PtyPort = { run: () => Promise.reject(new Error(String(used.push("console")))) };
    const tool = createBashTool({ cwd, settings, executor, pty, getClientBridge: () => bridge });

    for (const params of [{ command: "echo inside" }, { command: "echo inside", pty: true }]) {
      const context = { hasUI: true, ui: {} };
      const call = tool.execute("call", params, undefined, undefined, context).catch((error: Error) => {
        if (!canHaveNamespaces({})) test.skip(`this user has no namespaces: ${error.message}`);
        throw error;
      });
      expect((await call).content[0]).toMatchObject({ text: expect.stringContaining("inside") });
    }
    expect(used).toEqual([]);
  },
);
