/** How a program is started on a task's terminal, on a device of the test's own, and what its result is made of. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Settings, type SettingsInput } from "@pi-bash/contract";
import { describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import type { PtyDevice, PtyEnd, PtyStart } from "../src/console/console-port.ts";
import type { NativesPort } from "../src/natives-port.ts";
import type { SessionBase } from "../src/session-base.ts";
import { type OpenTerminalOptions, runOnTerminal, type TerminalHost } from "../src/tty/open-terminal.ts";
import type { TaskTerminal } from "../src/tty/terminal-port.ts";
import { storeIn } from "./support/artifacts.ts";
import { wordMask } from "./support/log-file.ts";

const ENDED: PtyEnd = { exitCode: 0, cancelled: false, timedOut: false };
const FAR = { name: "ssh:far", facts: { env: { HOME: "/home/far" } } } as unknown as SessionBase["place"];

interface SceneOptions {
  settings?: SettingsInput;
  base?: Partial<SessionBase>;
  host?: Partial<TerminalHost>;
  natives?: Partial<NativesPort>;
  /** What the program does when it was started. */
  program?: (write: (chunk: string) => Promise<unknown>, start: PtyStart) => Promise<PtyEnd>;
}

/** A base without a machine; `typed` is what its device was given. */
function scene({ settings = {}, base = {}, host = {}, natives = {}, program = async () => ENDED }: SceneOptions = {}) {
  const started: PtyStart[] = [];
  const typed: string[] = [];
  class PtySession implements PtyDevice {
    start(...[options, onChunk, onStart]: Parameters<PtyDevice["start"]>): Promise<PtyEnd> {
      started.push(options);
      onStart?.(null, 77);
      return program(async (chunk) => onChunk(null, chunk), options);
    }
    write(data: string): boolean {
      typed.push(data);
      return true;
    }
    resize(): void {}
    kill(): void {}
  }
  const { store } = storeIn();
  const made = {
    natives: { PtySession, ...natives },
    config: { shell: "/bin/bash" },
    graceMs: 20,
    mask: undefined,
    place: undefined,
    sandbox: undefined,
    ...base,
  } as unknown as SessionBase;
  const run = (command = "vim", more: Partial<OpenTerminalOptions> = {}) =>
    runOnTerminal(
      command,
      {
        cwd: "/here",
        timeoutMs: 60_000,
        signal: new AbortController().signal,
        maxBytes: 1_000,
        onUpdate: () => undefined,
        onOpen: () => undefined,
        ...more,
      },
      {
        base: made,
        settings: Settings.parse(settings),
        hostEnv: { HOME: "/home/me", PAGER: "less" },
        artifacts: store,
        masksArtifacts: false,
        snapshotPath: undefined,
        mask: undefined,
        ...host,
      },
    );
  return { run, started, typed };
}

/** What the device was given when it was started. */
async function given(options: SceneOptions = {}, more: Partial<OpenTerminalOptions> = {}): Promise<PtyStart> {
  const { run, started } = scene(options);
  await run("vim x", more);
  if (started[0] === undefined) throw new Error("nothing was started");
  return started[0];
}

describe("a program on a task's terminal is started with", () => {
  it("its command, its folder, a person's environment and the usual size, and nothing else", async () => {
    const { signal } = new AbortController();
    expect(await given({}, { signal })).toStrictEqual({
      command: "vim x",
      shell: "/bin/bash",
      cwd: "/here",
      baseEnv: { HOME: "/home/me", PAGER: "less", TERM: "xterm-256color" },
      timeoutMs: 60_000,
      signal,
      cols: 120,
      rows: 40,
      onQuiet: expect.any(Function),
    });
  });

  it("its prefix, and before it the session's rc, whose words reach no one", async () => {
    const start = await given({
      base: { config: { shell: "/bin/bash", prefix: "nice" } },
      host: { snapshotPath: "/it's/rc.sh" },
    });
    expect(start.command).toBe(". '/it'\\''s/rc.sh' >/dev/null 2>&1 </dev/null\nnice vim x");
  });

  it("the sandbox of its session, a count of what it uses, and variables of its own where they are wanted", async () => {
    const sandbox = { mode: "read-only" } as unknown as SessionBase["sandbox"];
    const start = await given({ base: { sandbox }, settings: { "bash.usage": true } }, { env: { PAGER: "more" } });
    expect(start).toMatchObject({ sandbox, usage: true, baseEnv: { HOME: "/home/me", PAGER: "more" } });
  });

  it("the environment of the place that it runs on", async () => {
    expect((await given({ base: { place: FAR } })).baseEnv).toEqual({ HOME: "/home/far", TERM: "xterm-256color" });
  });
});

describe("a program cannot have a terminal", () => {
  it.each<[string, SceneOptions, string]>([
    ["this system has none", { natives: { PtySession: undefined } as object }, "this system has no pseudoterminals"],
    [
      "its place has none",
      { natives: { PtySession: undefined } as object, base: { place: FAR } },
      "ssh:far has no pseudoterminals",
    ],
    [
      "limits are set",
      { settings: { limits: { openFiles: 9 } } },
      "the setting `limits` cannot be enforced on terminals",
    ],
  ])("where %s", async (_, options, why) => {
    const { run, started } = scene(options);
    await expect(run()).rejects.toMatchObject({
      name: "TerminalUnavailableError",
      code: "PI_TERMINAL_UNAVAILABLE",
      message: `No terminal for this task: ${why}. Run it without \`tty\`.`,
    });
    expect(started).toEqual([]);
  });
});

describe("a look at the ports of a program", () => {
  const port = { port: 80, address: "::", startedAtMs: 0, isInside: false };

  it("asks for what it and those below it listen on, before its start is reported", async () => {
    const listeningPorts = vi.fn(async () => [port]);
    const order: string[] = [];
    const found: unknown[] = [];
    const { run } = scene({ natives: { listeningPorts } });
    await run("vim", {
      onPorts: async (look) => {
        order.push("ports");
        found.push(await look());
      },
      onStart: () => order.push("start"),
    });

    expect([order, found, listeningPorts.mock.calls]).toEqual([["ports", "start"], [[port]], [[[77]]]]);
  });

  it.each<[string, SceneOptions]>([
    ["on a place", { natives: { listeningPorts: async () => [port] }, base: { place: FAR } }],
    ["where the system cannot look", {}],
  ])("is not given %s", async (_, options) => {
    const onPorts = vi.fn();
    const onStart = vi.fn();
    await scene(options).run("vim", { onPorts, onStart });
    expect([onPorts.mock.calls.length, onStart.mock.calls.length]).toEqual([0, 1]);
  });

  it("need not be wanted", async () => {
    expect(await scene({ natives: { listeningPorts: async () => [port] } }).run()).toMatchObject({ exitCode: 0 });
  });
});

describe("the result of a program on a terminal", () => {
  const writes =
    (...chunks: string[]) =>
    async (write: (chunk: string) => Promise<unknown>): Promise<PtyEnd> => {
      for (const chunk of chunks) await write(chunk);
      return ENDED;
    };

  it("has its screen, counts and end, and no fact that there is not", async () => {
    expect(await scene({ program: writes("10%\r20%\r\n", "two\r\n") }).run()).toStrictEqual({
      output: "20%\ntwo\n",
      exitCode: 0,
      cancelled: false,
      truncated: false,
      totalLines: 2,
      totalBytes: 8,
      outputLines: 2,
      outputBytes: 8,
      shownRange: { startLine: 1, endLine: 2 },
      wallTimeMs: expect.any(Number),
    });
    const silent = await scene().run();
    expect(silent).toMatchObject({ output: "", totalLines: 0, totalBytes: 0 });
    // Of this call, not of the process.
    expect(silent.wallTimeMs).toBeLessThan(performance.now());
  });

  it("shows the end within its bound, and which lines that is", async () => {
    const { run } = scene({ program: writes("one\r\ntwo\r\n333\r\n") });
    expect(await run("vim", { maxBytes: 8 })).toMatchObject({
      output: "two\n333\n",
      truncated: true,
      totalLines: 3,
      totalBytes: 12,
      outputLines: 2,
      outputBytes: 8,
      shownRange: { startLine: 2, endLine: 3 },
    });
  });

  it("has what the program used, and its record", async () => {
    const usage = { cpu_ms: 5 } as unknown as NonNullable<PtyEnd["usage"]>;
    const record = { id: "r", path: join(scratchFolder(), "r.cast") };
    const { run } = scene({ program: async (write) => ({ ...(await writes("shown\r\n")(write)), usage }) });
    const result = await run("vim", { record });
    expect(result).toMatchObject({ usage, recordId: "r", output: "shown\n" });
    expect(result).not.toHaveProperty("recordError");
    const [header = "", first = ""] = readFileSync(record.path, "utf8").split("\n");
    expect(JSON.parse(header)).toMatchObject({ width: 120, height: 40, command: "vim" });
    expect(JSON.parse(first).slice(1)).toEqual(["o", "shown\r\n"]);
  });

  it("shows no secret of its session: not on the screen, in its text or in the record", async () => {
    const record = { id: "r", path: join(scratchFolder(), "r.cast") };
    const opened: TaskTerminal[] = [];
    const mask = wordMask().mask;
    const { run } = scene({ base: { mask }, program: writes("a secret\r\n") });
    const result = await run("echo secret", { record, onOpen: (terminal) => opened.push(terminal) });

    expect([result.output, opened[0]?.screen().text]).toEqual(["a ******\n", "a ******"]);
    expect(readFileSync(record.path, "utf8")).not.toContain("secret");
    expect(JSON.parse(readFileSync(record.path, "utf8").split("\n")[0] ?? "").command).toBe("echo ******");
  });

  it("has at its end what may have been the begin of a secret that a person typed", async () => {
    const artifact = { id: "a", path: join(scratchFolder(), "a.log") };
    const record = { id: "r", path: join(scratchFolder(), "r.cast") };
    const onOpen = (terminal: TaskTerminal): void =>
      (terminal as unknown as { needles: { add: (secret: string) => void } }).needles.add("hunter2");
    const { run } = scene({ program: writes("a hunt") });
    expect(await run("vim", { artifact, record, onOpen })).toMatchObject({ output: "a hunt\n", artifactId: "a" });

    expect(readFileSync(artifact.path, "utf8")).toBe("a hunt");
    const events = readFileSync(record.path, "utf8").trim().split("\n").slice(1);
    expect(events.map((line) => JSON.parse(line)[2]).join("")).toBe("a hunt");
  });

  it("comes with answers that the program asked its terminal for", async () => {
    const { run, typed } = scene({ program: writes("\u001b[5n") });
    await run();
    expect(typed).toEqual(["\u001b[0n"]);
  });
});

describe("a program that does not report its end", () => {
  const never = () => new Promise<PtyEnd>(() => undefined);

  it("is given up after its deadline and the grace", async () => {
    const result = await scene({ program: never }).run("vim", { timeoutMs: 20 });
    expect(result).toMatchObject({ cancelled: true, timedOut: true, output: "[Command timed out after 0.02 seconds]" });
  });

  it("is given up after an abort and the grace", async () => {
    const call = new AbortController();
    const running = scene({ program: never }).run("vim", { signal: call.signal, onStart: () => call.abort() });
    const result = await running;
    expect(result).toMatchObject({ cancelled: true, output: "[Command cancelled]" });
    expect(result).not.toHaveProperty("timedOut");
  });

  it("ends its terminal, as every end does, a failed start too", async () => {
    const opened: TaskTerminal[] = [];
    const onOpen = (terminal: TaskTerminal): void => void opened.push(terminal);
    const record = { id: "r", path: join(scratchFolder(), "r.cast") };
    const failing = scene({ program: () => Promise.reject(new Error("no shell")) });
    await expect(failing.run("vim", { onOpen, record })).rejects.toThrow("no shell");
    await scene().run("vim", { onOpen });

    expect(opened.map(({ isOver }) => isOver)).toEqual([true, true]);
  });
});
