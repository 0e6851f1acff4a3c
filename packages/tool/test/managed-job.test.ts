/** Calls as jobs: what a run in the background is given and shows, and when it cannot start. */
import { appendFileSync } from "node:fs";
import type { BashToolUpdate } from "@pi-bash/contract";
import type { CommandResult, JobDelivery } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import type { CallScene } from "../src/command-run.ts";
import { foregroundCallsOf } from "../src/foreground-calls.ts";
import { liveUpdates } from "../src/live-updates.ts";
import { startManaged } from "../src/managed-job.ts";
import type { BashToolSession } from "../src/session.ts";
import { ToolAbortError } from "../src/tool-error.ts";
import { callOf } from "./support/facts.ts";
import { type PlayedRun, playedScene } from "./support/played-executor.ts";
import { jobs, textOf, thrown, until } from "./support/session.ts";

const COMMAND = "touch x";

/** A session with jobs, whose commands do what the test says and end when it does. */
async function desk(settings: object = {}, ports: Partial<BashToolSession> = {}) {
  const manager = await jobs();
  const delivered: JobDelivery[] = [];
  manager.subscribe("agent-1", (batch) => void delivered.push(...batch));
  let finish: (result: Partial<CommandResult>) => void = () => undefined;
  let begin: (run: PlayedRun) => void = () => undefined;
  const made = playedScene(
    {
      settings,
      answer: (run) => {
        begin(run);
        return new Promise((resolve) => {
          finish = resolve;
          run.options.signal?.addEventListener("abort", () => resolve({ cancelled: true }));
        });
      },
    },
    { asyncJobManager: manager, ...ports },
  );
  const updates: BashToolUpdate[] = [];
  return {
    ...made,
    manager,
    delivered,
    updates,
    onRun: (does: (run: PlayedRun) => void) => {
      begin = does;
    },
    call: (params: object = {}) => made.bash({ command: COMMAND, ...params }, { updates }),
    running: () => until(() => made.runs.length > 0, "the command to run"),
    end: (result: Partial<CommandResult> = {}) => finish(result),
  };
}

const ASYNC = { "async.enabled": true };

describe("a call that is started as a job", () => {
  it("is said in one line, and has no facts that are not known", async () => {
    const { call } = await desk(ASYNC);
    const { content, details } = await call({ async: true });
    expect(textOf({ content })).toMatch(/^Background job bg_1 started: touch x\n/);
    expect(details).toStrictEqual({
      timeoutSeconds: 300,
      artifactId: expect.any(String),
      async: { state: "running", jobId: "bg_1", type: "bash" },
    });
  });

  it("has the notes on its rewrites before that", async () => {
    const { call } = await desk({ ...ASYNC, "bash.stripTrailingHeadTailMode": "strip" });
    const { content } = await call({ command: `${COMMAND}; seq 9 | tail -2`, async: true });
    expect(textOf({ content })).toMatch(/^Stripped trailing `\| tail -2` .*\.\n\nBackground job bg_1 started/);
  });

  it("copies what a trailing pipe reads, and says so in its text", async () => {
    const { call, runs, running, end, delivered } = await desk(ASYNC);
    await call({ command: `${COMMAND}; seq 9 | tail -2`, async: true });
    await running();
    const path = /tee -a -- '([^']+)'/.exec(runs[0]?.command ?? "")?.[1] ?? "";
    appendFileSync(path, "x\n".repeat(9));
    end();
    await until(() => delivered.length > 0, "its delivery");
    expect(delivered[0]?.text).toContain("`| tail -2` read 9 lines (18B), kept in artifact://");
  });

  it("waits for no turn at the session's shell, and is asked nothing at its deadline", async () => {
    const { call, runs, running, session } = await desk({ ...ASYNC, "bash.timeoutAction": "background" });
    await call({ async: true });
    await running();
    expect(runs[0]?.options).not.toHaveProperty("onTimeout");
    expect(runs[0]?.options).not.toHaveProperty("lifetimeMs");
    expect(foregroundCallsOf(session).list()).toEqual([]);
  });

  it("shows what it writes as that of a job", async () => {
    const { call, runs, running, updates } = await desk(ASYNC);
    await call({ async: true });
    await running();
    runs[0]?.options.onUpdate?.("tail", { bytes: 4, lines: 1 });
    expect(updates.map(textOf)).toEqual(["tail"]);
    expect(updates[0]?.details).toStrictEqual({ async: { state: "running", jobId: "bg_1", type: "bash" } });
  });

  it("belongs to no one in a session without an id", async () => {
    const { call, manager, session } = await desk(ASYNC);
    Object.assign(session, { getSessionId: undefined });
    await call({ async: true });
    expect(manager.find("bg_1")?.job).not.toHaveProperty("owner");
  });

  it("is refused where the setting does not allow it, or the session has no jobs", async () => {
    const off = await desk();
    expect((await thrown(off.call({ async: true }))).message).toBe(
      "Async bash execution is disabled. Enable async.enabled to use async mode.",
    );
    const { bash, runs } = playedScene({ settings: ASYNC });
    expect((await thrown(bash({ command: COMMAND, async: true }))).message).toBe(
      "Async job manager unavailable for this session.",
    );
    expect([...off.runs, ...runs]).toEqual([]);
  });

  it("does not start where its call was given up, or its command cannot be run", async () => {
    const { manager, session, folder, runs } = await desk();
    const scene: CallScene = { session, context: {}, signal: AbortSignal.abort(), updates: liveUpdates(undefined) };
    const call = callOf({ cwd: folder });
    expect(await thrown(startManaged(call, manager, scene, {}))).toBeInstanceOf(ToolAbortError);
    const nul = thrown(startManaged({ ...call, command: "ab\0c" }, manager, { ...scene, signal: undefined }, {}));
    expect((await nul).message).toBe("The command has a NUL character at offset 2, which bash cannot take. Remove it.");
    const missing = thrown(startManaged({ ...call, cwd: `${folder}/none` }, manager, scene, {}));
    expect((await missing).message).toMatch(/^Working directory does not exist/);
    expect(runs).toEqual([]);
    expect(manager.list("agent-1")).toEqual([]);
  });
});

describe("a call in the foreground that may become a job", () => {
  it("has its turn at the shell, and shows nothing of its end while it is none", async () => {
    const { call, running, end, session, updates } = await desk({ "bash.autoBackground.enabled": true });
    const calling = call();
    await running();
    expect(foregroundCallsOf(session).list()).toMatchObject([{ startedAtMs: expect.any(Number), hasShell: true }]);
    end({ exitCode: 3 });
    expect(textOf(await calling)).toBe("out\n\nCommand exited with code 3");
    expect(updates).toEqual([]);
  });

  it("that goes on shows the end of what it wrote, without the empty lines at its end", async () => {
    const gone = new AbortController();
    const { call, onRun } = await desk({}, { callerGone: () => gone.signal });
    onRun(({ options }) => {
      options.onUpdate?.("a\n\nb\n\n\n", { bytes: 7, lines: 5 });
      setImmediate(() => gone.abort());
    });
    const { content, details } = await call();
    expect(textOf({ content })).toMatch(/^a\n\nb\n\nBackground job bg_1 started: touch x\n/);
    expect(details).toStrictEqual({
      timeoutSeconds: 300,
      artifactId: expect.any(String),
      async: { state: "running", jobId: "bg_1", type: "bash" },
    });
  });
});
