/**
 * Calls in a client's terminal, against a scripted client: what it is asked in which order, and that nothing it fails
 * to do holds up a call (seeds 001 "Foreground non-PTY client terminal").
 */
import type { BashToolUpdate, SettingsInput } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import type { ClientBridge, ClientExit, ClientOutput, CreateTerminalRequest } from "../src/client-bridge.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { type Scene, scene, textOf, thrown, until } from "./support/session.ts";

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** What the client does; each defaults to doing well. */
interface Script {
  create?: () => Promise<void>;
  exit?: () => Promise<ClientExit>;
  output?: () => Promise<ClientOutput>;
  kill?: () => Promise<void>;
  release?: () => Promise<void>;
}

/** A client that keeps what it was asked. */
function client(script: Script = {}, settings: SettingsInput = {}) {
  const asked: string[] = [];
  const requests: CreateTerminalRequest[] = [];
  const say = <T>(name: string, answer: (() => Promise<T>) | undefined, usual: T): Promise<T> => {
    asked.push(name);
    return answer === undefined ? Promise.resolve(usual) : answer();
  };
  const bridge: ClientBridge = {
    capabilities: { terminal: true },
    createTerminal: async (request) => {
      requests.push(request);
      await say("create", script.create, undefined);
      return {
        terminalId: "term-1",
        waitForExit: () => say("wait", script.exit, { exitCode: 0 }),
        currentOutput: () => say("output", script.output, { output: "hello\r\n", truncated: false }),
        kill: () => say("kill", script.kill, undefined),
        release: () => say("release", script.release, undefined),
      };
    },
  };
  const place: Scene = scene(settings, { getClientBridge: () => bridge });
  return { asked, requests, ...place };
}

describe("a client's terminal", () => {
  it("runs the command in a shell, and its output is the answer", async () => {
    const { bash, requests, asked, folder } = client();
    const updates: BashToolUpdate[] = [];

    const result = await bash({ command: "echo $A", env: { A: "b" }, timeout: 7 }, { updates });

    const [request] = requests;
    expect(request?.command).toMatch(/bash$/);
    expect(request).toMatchObject({ args: ["-l", "-c", "echo $A"], cwd: folder, outputByteLimit: 50 * 1024 });
    expect(request?.env).toContainEqual({ name: "A", value: "b" });
    expect(request?.env).toContainEqual({ name: "GIT_TERMINAL_PROMPT", value: "0" });
    expect(textOf(result)).toMatch(/^hello\n\nWall time: \d+\.\d\d seconds$/);
    expect(result.details).toMatchObject({ terminalId: "term-1", timeoutSeconds: 7 });
    expect(updates[0]).toEqual({ content: [], details: { terminalId: "term-1" } });
    expect(asked).toEqual(["create", "wait", "output", "release"]);
  });

  it("is given the prefix of the settings before the command", async () => {
    const { bash, requests } = client({}, { shellPrefix: "nice -n 5" });
    await bash({ command: "make" });

    expect(requests[0]?.args).toEqual(["-l", "-c", "nice -n 5 make"]);
  });

  it("shows its output while the command runs", async () => {
    let finish: (exit: ClientExit) => void = () => undefined;
    const exit = new Promise<ClientExit>((resolve) => {
      finish = resolve;
    });
    const updates: BashToolUpdate[] = [];
    const { bash } = client({
      exit: () => exit,
      output: async () => ({ output: "\u001b[31mred\u001b[0m", truncated: true }),
    });
    const call = bash({ command: "x" }, { updates });

    await until(() => updates.length > 1, "an update");
    expect(updates[1]).toEqual({ content: [{ type: "text", text: "red" }], details: { terminalId: "term-1" } });
    finish({ exitCode: 2 });

    const result = await call;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^…red\n\n\(output truncated\)\nWall time: .*\nCommand exited with code 2$/);
  });

  it("counts a signal as 137", async () => {
    const result = await client({ exit: async () => ({ exitCode: null, signal: "SIGSEGV" }) }).bash({ command: "x" });

    expect(result.details).toMatchObject({ exitCode: 137, signal: "SIGSEGV" });
    expect(textOf(result)).toMatch(/\nKilled by SIGSEGV\nCommand exited with code 137$/);
  });

  it("that tells no status is a failure with the output", async () => {
    const error = await thrown(client({ exit: async () => ({}) }).bash({ command: "x" }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(/^hello\n\n[\s\S]*\n\nCommand failed: missing exit status$/);
  });

  it("is believed when its output says that the command has ended", async () => {
    const { bash } = client({
      exit: never,
      output: async () => ({ output: "done\n", truncated: false, exitStatus: { exitCode: 3 } }),
    });

    expect((await bash({ command: "x" })).details?.exitCode).toBe(3);
  });

  it("is killed before its last output is read, and released, when the time is over", async () => {
    const { bash, asked } = client({ exit: never });

    const error = await thrown(bash({ command: "x", timeout: 1 }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(/^hello\n\nWall time: .*\nCommand timed out after 1 second$/);
    expect(asked.slice(-3)).toEqual(["kill", "output", "release"]);
  });

  it("is killed and released on an abort", async () => {
    const { bash, asked } = client({ exit: never });
    const controller = new AbortController();
    const call = thrown(bash({ command: "x" }, { signal: controller.signal }));
    await until(() => asked.includes("wait"), "the command runs");

    controller.abort();

    const error = await call;
    expect(error).toBeInstanceOf(ToolAbortError);
    expect(error.message).toMatch(/^hello\n\n[\s\S]*\[Command aborted\]$/);
    expect(asked.slice(-3)).toEqual(["kill", "output", "release"]);
  });

  it("that answers nothing at all ends the call within its bounds", async () => {
    const { bash, asked } = client({ exit: never, output: never, kill: never, release: never });
    const startedAt = performance.now();

    const error = await thrown(bash({ command: "x", timeout: 1 }));

    expect(error.message).toMatch(/^\(no output\)\n\nWall time: \d+\.\d\d seconds\nCommand timed out after 1 second$/);
    expect(asked).toContain("release");
    // 1 s deadline, then 1 + 2 + 1 s at most; the rest is a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it("that comes after the call has ended is killed and released all the same", async () => {
    let open: () => void = () => undefined;
    const opening = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { bash, asked } = client({ create: () => opening });
    const controller = new AbortController();
    const call = thrown(bash({ command: "x" }, { signal: controller.signal }));
    await until(() => asked.includes("create"), "the terminal is asked for");
    controller.abort();
    expect((await call).message).toBe("Command aborted");

    open();

    await until(() => asked.includes("release"), "the late terminal is released");
    expect(asked).toEqual(["create", "kill", "release"]);
  });

  it("that cannot be made, or breaks, is a failure that says why", async () => {
    const refused = client({ create: () => Promise.reject(new Error("no more terminals")) });
    expect((await thrown(refused.bash({ command: "x" }))).message).toBe(
      "Client terminal cannot be created: no more terminals",
    );

    const broken = client({ exit: () => Promise.reject(new Error("connection lost")) });
    expect((await thrown(broken.bash({ command: "x" }))).message).toBe(
      "hello\n\n\nClient terminal failed: connection lost",
    );
    expect(broken.asked.slice(-3)).toEqual(["kill", "output", "release"]);
  });

  it("is not used for a call that wants a person, or where the client has none", async () => {
    const { bash, asked } = client();
    expect(textOf(await bash({ command: "echo local", pty: true }))).toMatch(/^local\n/);
    expect(asked).toEqual([]);

    const without = scene({}, { getClientBridge: () => ({ capabilities: {} }) });
    expect(textOf(await without.bash({ command: "echo local" }))).toMatch(/^local\n/);
  });
});
