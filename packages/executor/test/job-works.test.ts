/** Commands as the work of jobs, with and without a terminal, on an executor of the test's own: files, ends. */
import type { ArtifactAllocation } from "@pi-bash/contract";
import { describe, expect, it, vi } from "vitest";
import type { CommandResult } from "../src/command-result.ts";
import type { ExecuteBashOptions } from "../src/command-run.ts";
import type { Executor } from "../src/executor.ts";
import { type BashWorkOptions, bashWork } from "../src/jobs/bash-work.ts";
import type { JobContext } from "../src/jobs/job.ts";
import type { OpenTerminalOptions } from "../src/tty/open-terminal.ts";
import type { TaskTerminal } from "../src/tty/terminal-port.ts";
import { terminalWork } from "../src/tty/terminal-work.ts";
import { storeIn } from "./support/artifacts.ts";
import { wordMask } from "./support/log-file.ts";

const COUNTS = { totalBytes: 4, totalLines: 1, outputBytes: 4, outputLines: 1 };
const RESULT: CommandResult = { output: "out\n", exitCode: 0, cancelled: false, truncated: false, ...COUNTS };

interface SceneOptions {
  result?: Partial<CommandResult>;
  error?: Error;
  mask?: boolean;
  records?: boolean;
  isRead?: boolean;
  mayGo?: boolean;
  isBackgrounded?: boolean;
}

/** An executor whose commands end with a result that may name the job's artifact by `id`; and the context of a job. */
function scene({
  result = {},
  error,
  mask = false,
  records = false,
  isRead,
  mayGo = true,
  isBackgrounded = false,
}: SceneOptions = {}) {
  const { store } = storeIn();
  const settle = vi.spyOn(store, "settle");
  const asked: (ExecuteBashOptions & Partial<OpenTerminalOptions>)[] = [];
  const closeSession = vi.fn(async () => undefined);
  const hooks: { during?: (options: ExecuteBashOptions & Partial<OpenTerminalOptions>) => void } = {};
  const run = async (_: string, options: object = {}): Promise<CommandResult> => {
    asked.push(options);
    hooks.during?.(options);
    if (error !== undefined) throw error;
    const { artifact } = options as { artifact?: { id: string } };
    const own = Object.fromEntries(
      Object.entries(result).map(([key, value]) => [key, value === "ID" ? artifact?.id : value]),
    );
    return { ...RESULT, ...own };
  };
  const executor = {
    artifacts: store,
    executeBash: run,
    runOnTerminal: run,
    closeSession,
    secretMask: async () => (mask ? wordMask().mask : undefined),
    masksArtifacts: mask,
    recordsTerminals: records,
  } as unknown as Executor;
  const backgrounded = new AbortController();
  if (isBackgrounded) backgrounded.abort();
  const context = {
    runKey: "run-1",
    signal: new AbortController().signal,
    backgrounded: backgrounded.signal,
    update: vi.fn(),
    setArtifact: vi.fn(),
    setRecord: vi.fn(),
    setTerminal: vi.fn(),
    setPorts: vi.fn(),
    goToBackground: vi.fn(() => mayGo),
    ...(isRead === undefined ? {} : { isRead: () => isRead }),
  } satisfies JobContext;
  const verdicts = () => settle.mock.calls.map(([, verdict]) => verdict);
  return { executor, store, context, asked, closeSession, verdicts, hooks };
}

describe("a command as the work of a job", () => {
  const work = (made: ReturnType<typeof scene>, options: Partial<BashWorkOptions> = {}) =>
    bashWork(made.executor, "ls", { session: "shared", ...options })(made.context);

  it("runs in the session that it shares, followed, with its file named before it starts", async () => {
    const made = scene();
    await work(made, { sessionKey: "agent", timeoutMs: 7 });
    const [options] = made.asked;
    expect(options).toMatchObject({ sessionKey: "agent", timeoutMs: 7, isFollowed: true, signal: made.context.signal });
    for (const absent of ["isEphemeral", "placeKey", "onTimeout", "session", "describe"]) {
      expect(options).not.toHaveProperty(absent);
    }
    const artifact = options?.artifact as ArtifactAllocation | undefined;
    expect(made.context.setArtifact).toHaveBeenCalledWith(
      artifact?.id,
      artifact?.path,
      undefined,
      expect.any(Function),
    );
  });

  it.each([
    [{ sessionKey: "agent" }, { sessionKey: "agent:async:run-1", placeKey: "agent", isEphemeral: true }],
    [
      { sessionKey: "agent", placeKey: "there" },
      { sessionKey: "agent:async:run-1", placeKey: "there" },
    ],
    [{}, { sessionKey: ":async:run-1", isEphemeral: true }],
  ])("has a session of its own for itself alone, where its agent's is: %o", async (given, expected) => {
    const made = scene();
    const end = await work(made, { session: "own", ...given });
    expect(made.asked[0]).toMatchObject(expected);
    if (Object.keys(given).length === 0) expect(made.asked[0]).not.toHaveProperty("placeKey");
    await end.stopSurvivors?.();
    expect(made.closeSession).toHaveBeenCalledWith(expected.sessionKey);
    expect(await work(made, { sessionKey: "agent" })).not.toHaveProperty("stopSurvivors");
  });

  it("passes on updates, ports and the question at its deadline", async () => {
    const made = scene();
    const onUpdate = vi.fn();
    const onTimeout = vi.fn(() => "kill" as const);
    made.hooks.during = (options) => {
      options.onUpdate?.("tail", { bytes: 4, lines: 1 });
      options.onPorts?.(async () => []);
      expect(options.onTimeout?.()).toBe("kill");
    };
    await work(made, { onUpdate, onTimeout });
    for (const heard of [onUpdate, made.context.update])
      expect(heard.mock.calls).toEqual([["tail", { bytes: 4, lines: 1 }]]);
    expect(onTimeout).toHaveBeenCalledWith(made.context);
    expect(made.context.setPorts).toHaveBeenCalledTimes(1);
  });

  it("says how what is read of its file is masked, where it is", async () => {
    const made = scene({ mask: true });
    await work(made);
    expect(made.context.setArtifact.mock.calls[0]?.[2]).toMatchObject({ isFileMasked: true, mask: expect.anything() });
  });

  it.each<[string, SceneOptions, string, boolean]>([
    ["was shown whole in the foreground", { result: { artifactId: "ID" } }, "discard", false],
    ["was cut", { result: { artifactId: "ID", truncated: true } }, "keep", true],
    ["went to the background", { result: { artifactId: "ID" }, isBackgrounded: true }, "keep", true],
    [
      "left something running",
      { result: { artifactId: "ID", survivors: [{ pid: 1, command: "x", startedAtMs: 0 }] } },
      "keep",
      true,
    ],
    ["left nothing running", { result: { artifactId: "ID", survivors: [] } }, "discard", false],
    ["has its original there", { result: { artifactId: "ID", originalArtifactId: "ID" } }, "keep", true],
    ["is looked at by a reader", { result: { artifactId: "ID" }, isRead: true }, "keep", false],
    ["is looked at by no one", { result: { artifactId: "ID" }, isRead: false }, "discard", false],
    ["does not name it", { result: { truncated: true } }, "discard", false],
    ["names another one", { result: { artifactId: "other", truncated: true } }, "discard", true],
  ])("keeps or discards its file where it %s", async (_, options, verdict, isNamed) => {
    const made = scene(options);
    const end = await work(made);
    expect([made.verdicts(), "artifactId" in end]).toEqual([[verdict], isNamed]);
  });

  it("keeps a file that only the reason of a failure names", async () => {
    const made = scene({ isBackgrounded: true });
    made.executor.executeBash = async (_, { artifact } = {}) => {
      const { id } = artifact as { id: string };
      return { ...RESULT, artifactError: `full; the beginning is in artifact://${id}` };
    };
    await work(made);
    expect(made.verdicts()).toEqual(["keep"]);
  });

  it("ends with every fact of its result, and none that there is not", async () => {
    const survivors = [{ pid: 1, command: "x", startedAtMs: 0 }];
    const usage = { cpu_ms: 1 } as unknown as NonNullable<CommandResult["usage"]>;
    const full = await work(
      scene({
        result: { exitCode: 3, signal: "SIGTERM", timedOut: true, artifactId: "ID", truncated: true, survivors, usage },
      }),
    );
    expect(full).toMatchObject({
      text: "out\n",
      exitCode: 3,
      signal: "SIGTERM",
      stopped: "deadline",
      survivors,
      usage,
    });
    expect(full.totals).toEqual({ bytes: 4, lines: 1 });
    const { exitCode: _, ...bare } = RESULT;
    const made = scene();
    made.executor.executeBash = async () => bare;
    expect(await work(made, { describe: ({ output }) => `<${output}>` })).toEqual({
      text: "<out\n>",
      totals: { bytes: 4, lines: 1 },
    });
  });

  it("that was never started leaves no file, and without a file it runs all the same", async () => {
    const made = scene({ error: new Error("no folder") });
    await expect(work(made)).rejects.toThrow("no folder");
    expect([made.verdicts(), (await made.store.list()).length]).toEqual([["discard"], 0]);

    const without = scene();
    vi.spyOn(without.store, "allocate").mockRejectedValue(new Error("full"));
    expect((await work(without)).text).toBe("out\n");
    expect(without.asked[0]).not.toHaveProperty("artifact");
    expect([without.context.setArtifact.mock.calls, without.verdicts()]).toEqual([[], []]);
    const failing = scene({ error: new Error("no folder") });
    vi.spyOn(failing.store, "allocate").mockRejectedValue(new Error("full"));
    await expect(work(failing)).rejects.toThrow("no folder");
  });
});

describe("a command on a terminal as the work of a job", () => {
  const work = (made: ReturnType<typeof scene>, onOpen = vi.fn()) =>
    terminalWork(made.executor, "vim", {
      cwd: "/",
      timeoutMs: 7,
      maxBytes: 100,
      describe: ({ output }) => `<${output}>`,
      onOpen,
    })(made.context);

  it("goes to the background when it runs, with its terminal given to the job and to whoever asked", async () => {
    const made = scene();
    const onOpen = vi.fn();
    const terminal = {} as TaskTerminal;
    made.hooks.during = (options) => {
      options.onOpen?.(terminal);
      options.onStart?.();
      options.onUpdate?.("tail", { bytes: 1, lines: 1 });
      options.onPorts?.(async () => []);
      expect(options.signal?.aborted).toBe(false);
    };
    await work(made, onOpen);

    expect([onOpen.mock.calls, made.context.setTerminal.mock.calls]).toEqual([[[terminal]], [[terminal]]]);
    expect(made.context.goToBackground).toHaveBeenCalledTimes(1);
    expect(made.context.update).toHaveBeenCalledWith("tail", { bytes: 1, lines: 1 });
    expect(made.context.setPorts).toHaveBeenCalledTimes(1);
    expect(made.asked[0]).toMatchObject({ cwd: "/", timeoutMs: 7, maxBytes: 100 });
  });

  it("is ended where it cannot be a job", async () => {
    const made = scene({ mayGo: false });
    made.hooks.during = (options) => {
      options.onStart?.();
      expect(options.signal?.aborted).toBe(true);
    };
    await work(made);
    expect(made.asked).toHaveLength(1);
  });

  it.each<[string, SceneOptions, string[], boolean]>([
    ["was cut", { result: { artifactId: "ID", truncated: true } }, ["keep"], true],
    ["went to the background", { result: { artifactId: "ID" }, isBackgrounded: true }, ["keep"], true],
    ["was shown whole", { result: { artifactId: "ID" } }, ["discard"], false],
    ["names another one", { result: { artifactId: "x", truncated: true } }, ["discard"], false],
    ["is recorded", { result: { artifactId: "ID" }, records: true }, ["keep", "discard"], false],
  ])("keeps or discards its files where it %s", async (_, options, verdicts, isNamed) => {
    const made = scene(options);
    const end = await work(made);
    expect([made.verdicts(), "artifactId" in end]).toEqual([verdicts, isNamed]);
    expect(made.context.setRecord).toHaveBeenCalledTimes(options.records === true ? 1 : 0);
  });

  it("that was never started leaves no file and no record", async () => {
    const made = scene({ error: new Error("no terminal"), records: true });
    await expect(work(made)).rejects.toThrow("no terminal");
    expect([made.verdicts(), await made.store.list()]).toEqual([["discard", "discard"], []]);
  });

  it("runs without files where there are none", async () => {
    const made = scene({ records: true, result: { timedOut: true, signal: "SIGKILL" } });
    vi.spyOn(made.store, "allocate").mockRejectedValue(new Error("full"));
    expect(await work(made)).toEqual({
      text: "<out\n>",
      exitCode: 0,
      signal: "SIGKILL",
      stopped: "deadline",
      totals: { bytes: 4, lines: 1 },
    });
    expect([made.verdicts(), made.context.setRecord.mock.calls]).toEqual([[], []]);
  });

  it("says how what is read of its file is masked, where it is", async () => {
    const made = scene({ mask: true });
    await work(made);
    expect(made.context.setArtifact.mock.calls[0]?.[2]).toMatchObject({ isFileMasked: true });
    const plain = scene();
    await work(plain);
    expect(plain.context.setArtifact.mock.calls[0]?.[2]).toBeUndefined();
  });
});
