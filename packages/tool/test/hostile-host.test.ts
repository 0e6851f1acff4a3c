/**
 * Ports and listeners of a host that fail: a call ends all the same, within its bounds, and says why.
 */
import { type BashToolUpdate, DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { INLINE_SLACK_BYTES } from "@pi-bash/contract/internal";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createBashTool } from "../src/bash-tool.ts";
import { ToolError } from "../src/tool-error.ts";
import { jobs, scene, textOf, thrown, until } from "./support/session.ts";

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** Lets timers run 25 times as fast until the test is over; those of the addon's runs stay as they are. */
function hurry(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const ticking = setInterval(() => vi.advanceTimersByTime(250), 10);
  onTestFinished(() => {
    clearInterval(ticking);
    vi.useRealTimers();
  });
}

/** Rejections that no one caught while the test ran. */
function unhandled(): unknown[] {
  const found: unknown[] = [];
  const note = (reason: unknown): void => void found.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  return found;
}

describe("a listener of updates", () => {
  it("that rejects ends nothing, and is called no more", async () => {
    const { session } = scene();
    const rejections = unhandled();
    const seen: BashToolUpdate[] = [];

    const result = await createBashTool(session).execute(
      "1",
      { command: "echo a; sleep 0.2; echo b" },
      undefined,
      (update) => {
        seen.push(update);
        return Promise.reject(new Error("listener"));
      },
    );

    expect(textOf(result)).toMatch(/^a\nb\n/);
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  it("of the executor that rejects ends nothing either", async () => {
    const { session } = scene();
    const rejections = unhandled();
    const fail = (): Promise<never> => Promise.reject(new Error("listener"));

    const result = await session.executor.executeBash("echo a; sleep 0.2; echo b", { onChunk: fail, onUpdate: fail });

    await new Promise((resolve) => setImmediate(resolve));
    expect(result.output).toBe("a\nb\n");
    expect(rejections).toEqual([]);
  });

  it("of ended jobs that throws loses no result", async () => {
    const delivered: string[] = [];
    const manager = await jobs({
      onEnd: () => {
        throw new Error("listener");
      },
    });
    manager.subscribe("agent-1", (batch) => void delivered.push(...batch.map(({ text }) => text)));
    const { bash } = scene({ "async.enabled": true }, { asyncJobManager: manager });

    await bash({ command: "echo one", async: true });
    await until(() => delivered.length === 1, "the first result");
    await bash({ command: "echo two", async: true });

    await until(() => delivered.length === 2, "the second result");
    expect(delivered[1]).toContain("two");
  });
});

describe("a port", () => {
  it("that never gives a file for the output costs the file", async () => {
    hurry();
    const place = scene();
    const tool = createBashTool({ ...place.session, allocateOutputArtifact: never });

    const result = await tool.execute("1", { command: "seq 1 20000" });

    expect(textOf(result)).toContain("Full output is not kept: the session did not give a file in time]");
  });

  it("that never resolves a URL is a failure of the call", async () => {
    hurry();
    const router = { canHandle: () => true, resolve: never<{ sourcePath?: string }> };

    const error = await thrown(scene({}, { internalUrls: { router } }).bash({ command: "cat plan://today" }));

    expect(error.message).toBe(
      "Failed to resolve plan:// URL in bash command: plan://today\nThe router did not answer in time.",
    );
  });

  it("of settings that are wrong refuses every call, naming each, and never takes the defaults", async () => {
    const wrong = { "async.maxJobs": "many", "bash.outputHeadBytes": -1 } as never;
    const place = scene();
    const tool = createBashTool({ ...place.session, settings: wrong });

    const error = await thrown(tool.execute("1", { command: "touch ran" }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(
      /^Wrong settings: `async\.maxJobs` is a number, .*; `bash\.outputHeadBytes` is at least 0, not -1$/,
    );
    expect((await thrown(tool.execute("2", { command: "touch ran" }))).message).toBe(error.message);
  });

  it("may give no context, in any way", async () => {
    const { session } = scene();

    const result = await createBashTool(session).execute(
      "1",
      { command: "echo x", pty: true },
      undefined,
      undefined,
      null as never,
    );

    expect(textOf(result)).toMatch(/^x\n/);
  });
});

describe("a refusal", () => {
  it.each([
    ["a directory", { command: "true", cwd: "x/".repeat(200_000) }],
    ["a variable's name", { command: "true", env: { ["-".repeat(400_000)]: "x" } }],
    ["a URL", { command: "true", cwd: `skill://${"🙂".repeat(100_000)}` }],
  ])("of %s as long as a book fits the budget of a result", async (_what, params) => {
    const error = await thrown(scene().bash(params));

    expect(error).toBeInstanceOf(ToolError);
    expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(DEFAULT_MAX_BYTES + INLINE_SLACK_BYTES);
    expect(error.message).toMatch(/(?: characters\)|…)$/);
    expect(error.message).not.toMatch(/[\uD800-\uDFFF]/u);
  });
});

describe("a command", () => {
  it("of a megabyte runs, and its answer says nothing of it", async () => {
    const word = "x".repeat(1_000_000);

    const result = await scene().bash({ command: `A=${word}; echo \${#A}` });

    expect(textOf(result)).toMatch(/^1000000\n\nWall time/);
  });

  it("that leaves hundreds of processes has an answer of bounded size, as data, too", async () => {
    const { bash } = scene();

    const result = await bash({ command: "for i in $(seq 120); do sleep 300 >/dev/null 2>&1 & done" }, {});

    expect(result.details?.survivors).toHaveLength(50);
    expect(textOf(result)).toMatch(/ and 115 more\. They end with the session\./);
  });

  it("with a lone surrogate is refused or runs, and hurts nothing", async () => {
    const { bash } = scene();

    await bash({ command: "echo \ud800" }).catch((error: unknown) => expect(error).toBeInstanceOf(ToolError));

    expect(textOf(await bash({ command: "echo sound" }))).toMatch(/^sound\n/);
  });
});
