/**
 * When a call gets the console, what the console is given, and what its outcomes become (seeds 000 section 5).
 */
import { describe, expect, it } from "vitest";
import type { PtyPort, PtyRequest } from "../src/pty-port.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { scene, textOf, thrown } from "./support/session.ts";

type Outcome = Awaited<ReturnType<PtyPort["run"]>>;

const PERSON = { hasUI: true, ui: { name: "screen" } };

/** A session with a console that gives `outcome`. */
function consoleScene(outcome: Partial<Outcome> = {}, hostEnv: Record<string, string> = {}) {
  const requests: PtyRequest[] = [];
  const pty: PtyPort = {
    run: async (request) => {
      requests.push(request);
      return {
        output: "typed\n",
        cancelled: false,
        truncated: false,
        totalLines: 1,
        totalBytes: 6,
        outputLines: 1,
        outputBytes: 6,
        exitCode: 0,
        ...outcome,
      };
    },
  };
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", ...hostEnv };
  return { requests, ...scene({}, { pty, hostEnv: env }) };
}

describe("the console", () => {
  it("runs a call that asks for it, where a person is", async () => {
    const { bash, requests, folder } = consoleScene();

    const result = await bash({ command: "vim x", pty: true, env: { A: "b" }, timeout: 5 }, { context: PERSON });

    expect(textOf(result)).toBe("typed");
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      command: "vim x",
      cwd: folder,
      timeoutMs: 5_000,
      title: "Console",
      ui: PERSON.ui,
      env: { A: "b", TERM: "xterm-256color", GIT_TERMINAL_PROMPT: "0" },
    });
    expect(requests[0]?.artifact?.path).toMatch(/\.log$/);
  });

  it.each([
    ["it was not asked for", { command: "echo plain" }, PERSON, {}],
    ["nobody is there", { command: "echo plain", pty: true }, { hasUI: false, ui: {} }, {}],
    ["there is no interface", { command: "echo plain", pty: true }, { hasUI: true }, {}],
    ["`PI_NO_PTY` is 1", { command: "echo plain", pty: true }, PERSON, { PI_NO_PTY: "1" }],
  ])("is not used where %s; the call runs without, silently", async (_why, params, context, hostEnv) => {
    const { bash, requests } = consoleScene({}, hostEnv);

    const result = await bash(params, { context });

    expect(requests).toEqual([]);
    expect(textOf(result)).toMatch(/^plain\n\nWall time: \d+\.\d\d seconds$/);
    const applied = "pty" in params ? ["`pty` was not followed: there is no terminal and nobody at it"] : undefined;
    expect(result.details?.applied).toEqual(applied);
  });

  it("that was stopped by its deadline is a failure with the output", async () => {
    const { bash } = consoleScene({ cancelled: true, timedOut: true, exitCode: undefined as never });

    const error = await thrown(bash({ command: "x", pty: true, timeout: 3 }, { context: PERSON }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toBe("typed\n\nCommand timed out after 3 seconds");
  });

  it("that a person closed is a failure, and an abort where the caller asked for it", async () => {
    const { bash } = consoleScene({ cancelled: true, exitCode: undefined as never });
    const controller = new AbortController();
    const closed = await thrown(bash({ command: "x", pty: true }, { context: PERSON }));
    expect(closed).toBeInstanceOf(ToolError);
    expect(closed.message).toBe("typed\n\n[Command aborted]");

    const pty: PtyPort = {
      run: async () => {
        controller.abort();
        return { ...EMPTY, cancelled: true };
      },
    };
    const aborted = scene({}, { pty });
    const error = await thrown(
      aborted.bash({ command: "x", pty: true }, { context: PERSON, signal: controller.signal }),
    );
    expect(error).toBeInstanceOf(ToolAbortError);
    expect(error.message).toBe("Command aborted");
  });

  it("that could not start has no status, and says why", async () => {
    const { bash } = consoleScene({ output: "PTY error: no terminal left\n", exitCode: undefined as never });

    const error = await thrown(bash({ command: "x", pty: true }, { context: PERSON }));

    expect(error.message).toBe("PTY error: no terminal left\n\nCommand failed: missing exit status");
  });
});

const EMPTY: Outcome = {
  output: "",
  cancelled: false,
  truncated: false,
  totalLines: 0,
  totalBytes: 0,
  outputLines: 0,
  outputBytes: 0,
};
