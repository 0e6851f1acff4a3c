/**
 * When a call gets the console, what the console is given, and what its outcomes become (seeds 000 section 5).
 */
import type { SettingsInput } from "@pi-bash/contract";
import { createConsole } from "@pi-bash/executor";
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

describe("the console of the executor", () => {
  /** A session whose console is real; the window types `answer` when it has seen a question. */
  function realScene(settings: SettingsInput = {}, hostEnv: Record<string, string> = {}) {
    const pty = createConsole({
      openView: (controls) => {
        let raw = "";
        return {
          onData: (chunk) => {
            raw += chunk;
            if (/\? $/.test(raw)) controls.write("yes\r");
            if (raw.includes("close me")) controls.kill();
          },
        };
      },
    });
    const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", LANG: "C.UTF-8", EDITOR: "ed", ...hostEnv };
    return scene(settings, { pty, hostEnv: env });
  }

  it("lets a person answer, and gives the model what was on the screen", async () => {
    const { bash, folder } = realScene();

    const result = await bash(
      {
        command:
          'test -t 0 && read -p "sure? " answer; pwd; echo "$answer $EDITOR $TERM $GIT_TERMINAL_PROMPT $A"; exit 3',
        pty: true,
        env: { A: "b" },
      },
      { context: PERSON },
    );

    expect(textOf(result)).toMatch(
      new RegExp(
        `^sure\\? yes\n${folder}\nyes true xterm-256color 0 b\n\nWall time: [\\d.]+ seconds\nCommand exited with code 3$`,
      ),
    );
    expect(result).toMatchObject({ isError: true, details: { exitCode: 3 } });
  });

  it("gives a person their own editor where settings say so, and the prefix to every command", async () => {
    const { bash } = realScene({ "bash.ptyEnvironment": "user", shellPrefix: "time -p" });

    const result = await bash({ command: 'echo "$EDITOR [$GIT_TERMINAL_PROMPT]"', pty: true }, { context: PERSON });

    expect(textOf(result)).toMatch(/^ed \[\]\n\n?real /);
  });

  it("never has the keys of the agent", async () => {
    const { bash } = realScene({ "bash.ptyEnvironment": "user" }, { OPENAI_API_KEY: "sk-1234567890abcdef" });

    const result = await bash({ command: 'echo "[$OPENAI_API_KEY]"', pty: true }, { context: PERSON });

    expect(textOf(result)).toMatch(/^\[\]\n/);
  });

  it("that a person closes is a failure with what was on the screen", async () => {
    const { bash } = realScene();

    const error = await thrown(bash({ command: "echo close me; sleep 300", pty: true }, { context: PERSON }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(/^close me\n\n(.|\n)*\[Command aborted\]$/);
  });

  it("that reaches its deadline is a failure in the words for a console", async () => {
    const { bash } = realScene();

    const error = await thrown(bash({ command: "echo before; sleep 300", pty: true, timeout: 5 }, { context: PERSON }));

    expect(error.message).toMatch(/^before\n\n(.|\n)*Command timed out after 5 seconds$/);
  });

  it("keeps the raw output of a long one in an artifact", async () => {
    const { bash, session } = realScene();

    const result = await bash({ command: "seq 1 20000", pty: true }, { context: PERSON });

    const { truncation } = result.details?.meta ?? {};
    expect(truncation?.artifactId).toMatch(/^[a-z0-9]{8}$/);
    expect(textOf(result)).toContain(`Full: artifact://${truncation?.artifactId}]`);
    const { text } = await session.executor.artifacts.read(`artifact://${truncation?.artifactId}`);
    expect(text.startsWith("1\r\n2\r\n")).toBe(true);
  });
});

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
    ["no one is there", { command: "echo plain", pty: true }, { hasUI: false, ui: {} }, {}],
    ["there is no interface", { command: "echo plain", pty: true }, { hasUI: true }, {}],
    ["`PI_NO_PTY` is 1", { command: "echo plain", pty: true }, PERSON, { PI_NO_PTY: "1" }],
  ])("is not used where %s; the call runs without, silently", async (_why, params, context, hostEnv) => {
    const { bash, requests } = consoleScene({}, hostEnv);

    const result = await bash(params, { context });

    expect(requests).toEqual([]);
    expect(textOf(result)).toMatch(/^plain\n\nWall time: \d+\.\d\d seconds$/);
    const applied = "pty" in params ? ["`pty` was not followed: there is no terminal, or no person at it"] : undefined;
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
