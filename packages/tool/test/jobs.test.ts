/**
 * Calls in the background and the job tool, on real bash (seeds 000 "Live tool updates and async jobs", 001 "Outputs").
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BashToolUpdate, JobDetails } from "@pi-bash/contract";
import type { JobDelivery } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import type { JobToolUpdate } from "../src/job-tool.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { jobs, scene, textOf, thrown, until } from "./support/session.ts";

const ASYNC = { "async.enabled": true } as const;
/** Goes on until the test makes the file `go`. */
const WAITS = "echo begun; until [ -e go ]; do sleep 0.02; done; echo done";

const auto = (thresholdMs: number) =>
  ({ "bash.autoBackground.enabled": true, "bash.autoBackground.thresholdMs": thresholdMs }) as const;

describe("`async: true`", () => {
  it("is refused where it is off, and where there is no manager, before anything runs", async () => {
    const off = await thrown(scene().bash({ command: "true", async: true }));
    expect(off).toBeInstanceOf(ToolError);
    expect(off.message).toBe("Async bash execution is disabled. Enable async.enabled to use async mode.");

    const without = await thrown(scene(ASYNC).bash({ command: "true", async: true }));
    expect(without.message).toBe("Async job manager unavailable for this session.");
  });

  it("answers at once with the job and what to do next", async () => {
    const { bash, folder } = scene(ASYNC, { asyncJobManager: await jobs() });

    const result = await bash({ command: WAITS, async: true, timeout: 9_999 });

    expect(textOf(result)).toMatch(
      /^Timeout clamped to 3600s .*\n\nBackground job bg_1 started: echo begun; .*\n.*`job` tool, `poll: \["bg_1"\]`.*`list: true`/,
    );
    expect(result.details).toEqual({
      artifactId: expect.stringMatching(/^\w+$/),
      timeoutSeconds: 3_600,
      requestedTimeoutSeconds: 9_999,
      async: { state: "running", jobId: "bg_1", type: "bash" },
    });
    expect(result.isError).toBeUndefined();
    writeFileSync(join(folder, "go"), "");
  });

  it("delivers its result once, in the words of any result, and shows its state on the way", async () => {
    const manager = await jobs();
    const delivered: JobDelivery[] = [];
    manager.subscribe("agent-1", (batch) => void delivered.push(...batch));
    const { bash, folder } = scene(ASYNC, { asyncJobManager: manager });
    const updates: BashToolUpdate[] = [];
    await bash({ command: `${WAITS}; exit 5`, async: true }, { updates });
    await until(() => updates.some((update) => textOf(update).includes("begun")), "an update");

    writeFileSync(join(folder, "go"), "");

    await until(() => delivered.length > 0, "a delivery");
    expect(delivered).toHaveLength(1);
    expect(delivered[0]?.job).toMatchObject({ id: "bg_1", state: "failed", exitCode: 5 });
    expect(delivered[0]?.text).toMatch(/\n\nbegun\ndone\n\nWall time: .*\nCommand exited with code 5$/);
    expect(updates[0]?.details).toEqual({ async: { state: "running", jobId: "bg_1", type: "bash" } });
    expect(updates.at(-1)?.details).toEqual({ async: { state: "failed", jobId: "bg_1", type: "bash" } });
    expect(textOf(updates.at(-1) ?? { content: [] })).toMatch(/\nCommand exited with code 5$/);
  });

  it("has a limit, and says so", async () => {
    const { bash, folder } = scene(ASYNC, { asyncJobManager: await jobs({ maxJobs: 1 }) });
    await bash({ command: WAITS, async: true });

    const error = await thrown(bash({ command: "true", async: true }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toBe("Background job limit reached (1). Wait for running jobs to finish or cancel one.");
    writeFileSync(join(folder, "go"), "");
  });
});

describe("a call that takes long", () => {
  it("answers like any other when it ends in time, and leaves no job", async () => {
    const manager = await jobs();
    const { bash } = scene(auto(60_000), { asyncJobManager: manager });

    const result = await bash({ command: "seq 1 30 | tail -1; (exit 2)" });

    expect(textOf(result)).toMatch(/^30\n\n`\| tail -1` read 30 lines .*\nWall time: .*\nCommand exited with code 2$/);
    expect(result.details?.exitCode).toBe(2);
    expect(manager.list("agent-1")).toEqual([]);
  });

  // A busy machine may need longer than the first threshold to write a line.
  it("becomes a job after the threshold, with what it has shown so far", async () => {
    let shown = "";
    for (const thresholdMs of [1_000, 5_000, 20_000]) {
      const { bash, job, folder } = scene(auto(thresholdMs), { asyncJobManager: await jobs() });
      const updates: BashToolUpdate[] = [];

      const result = await bash({ command: WAITS }, { updates });

      shown = textOf(result);
      expect(result.details?.async).toEqual({ state: "running", jobId: "bg_1", type: "bash" });
      // The session is not held up by it.
      expect(textOf(await bash({ command: "echo next; export KEPT=yes; kept() { echo and $KEPT; }" }))).toMatch(
        /^next\n\nWall time/,
      );
      // Nor is what is set while it runs lost.
      expect(textOf(await bash({ command: "kept" }))).toMatch(/^and yes\n/);
      writeFileSync(join(folder, "go"), "");
      expect(textOf(await job({ poll: ["bg_1"] }))).toMatch(/\n\nbegun\ndone\n\nWall time/);
      if (!shown.startsWith("begun")) continue;
      expect(updates[0]).toEqual({ content: [{ type: "text", text: "begun\n" }], details: {} });
      break;
    }
    expect(shown).toMatch(/^begun\n\nBackground job bg_1 started: echo begun/);
  });

  it("goes to the background at the latest a second before its deadline", async () => {
    const { bash, folder } = scene(auto(60_000), { asyncJobManager: await jobs() });

    const result = await bash({ command: WAITS, timeout: 1 });

    expect(result.details?.async?.state).toBe("running");
    writeFileSync(join(folder, "go"), "");
  });

  it("is ended by an abort while it is in the foreground", async () => {
    const manager = await jobs();
    const { bash } = scene(auto(60_000), { asyncJobManager: manager });
    const controller = new AbortController();
    const updates: BashToolUpdate[] = [];
    const call = thrown(bash({ command: "echo begun; sleep 300" }, { signal: controller.signal, updates }));
    await until(() => updates.length > 0, "an update");

    controller.abort();

    const error = await call;
    expect(error).toBeInstanceOf(ToolAbortError);
    expect(error.message).toMatch(/^\[Command cancelled\]\nbegun\n/);
    expect(manager.list("agent-1")).toEqual([]);
  });

  it("is refused like any other when it cannot be started", async () => {
    const { bash } = scene(auto(60_000), { asyncJobManager: await jobs() });

    expect(await thrown(bash({ command: "a\0b" }))).toBeInstanceOf(ToolError);
  });
});

describe("the job tool", () => {
  it("lists, waits, and tells what was taken before", async () => {
    const { bash, job, folder } = scene(ASYNC, { asyncJobManager: await jobs() });
    expect(textOf(await job({}))).toBe("No background jobs.");
    await bash({ command: WAITS, async: true });
    const listed = await job({ list: true });
    expect(textOf(listed)).toMatch(/^bg_1 \[bash\] running .* — echo begun/);
    expect(listed.details.jobs).toMatchObject([{ id: "bg_1", state: "running" }]);
    const waiting = job({ poll: ["bg_1"] });

    writeFileSync(join(folder, "go"), "");

    expect(textOf(await waiting)).toMatch(/^Background job bg_1 completed \(exit code 0, .*\): echo begun/);
    expect(textOf(await job({ poll: ["bg_1"] }))).toMatch(/ completed .*\nIts result was taken before\.$/);
  });

  it("ends jobs, and says what it does not know", async () => {
    const { bash, job } = scene(ASYNC, { asyncJobManager: await jobs() });
    await bash({ command: "sleep 300", async: true });

    const result = await job({ cancel: ["bg_1", "bg_1", "bg_9"] });

    expect(textOf(result)).toBe("Cancelled background job bg_1.\n\nBackground job not found: bg_9");
    expect(result.isError).toBeUndefined();
    expect(await job({ poll: ["bg_9", "../x"] })).toMatchObject({
      isError: true,
      content: [{ text: "Background job not found: bg_9\n\nBackground job not found: ../x" }],
    });
  });

  it("has the facts as details: in its answer, and while it waits", async () => {
    const { bash, job, folder } = scene(ASYNC, { asyncJobManager: await jobs() });
    await bash({ command: `${WAITS}; exit 5`, async: true });
    const updates: JobToolUpdate[] = [];
    const waiting = job({ poll: ["bg_1", "bg_9", "bg_1"] }, undefined, (update) => updates.push(update));
    // The command writes once; the time goes on.
    await until(() => updates.filter((update) => textOf(update) === "bg_1: begun").length > 2, "three updates");

    writeFileSync(join(folder, "go"), "");

    const { details } = await waiting;
    const [first, , last] = updates.filter((update) => textOf(update) === "bg_1: begun");
    expect(first?.details.jobs).toMatchObject([{ id: "bg_1", state: "running", output: "begun\n" }]);
    expect(last?.details.jobs[0]?.elapsedMs).toBeGreaterThan((first?.details.jobs[0]?.elapsedMs ?? 0) + 1_000);
    expect(details.missingIds).toEqual(["bg_9"]);
    expect(details.jobs).toMatchObject([{ id: "bg_1", state: "failed", exitCode: 5 }]);
    expect(details.jobs[0]?.output).toMatch(/^begun\ndone\n\nWall time/);
    expect(JobDetails.parse(details).jobs).toHaveLength(1);
    expect((await job({ poll: ["bg_1"] })).details.jobs[0]).toMatchObject({ note: "Its result was taken before." });
    expect((await job({ cancel: ["bg_1"] })).details.jobs[0]).toMatchObject({
      note: "Background job bg_1 is already failed.",
    });
  });

  it("says that a job was ended at its deadline, also in the list", async () => {
    const { bash, job } = scene(ASYNC, { asyncJobManager: await jobs() });
    await bash({ command: "sleep 300", async: true, timeout: 1 });

    const polled = await job({ poll: ["bg_1"] });

    expect(polled.details.jobs).toMatchObject([{ state: "failed", stopped: "deadline" }]);
    expect((await job({})).details.jobs).toMatchObject([{ state: "failed", stopped: "deadline" }]);
  });

  it("ends the wait on an abort, not the job (JB-11)", async () => {
    const { bash, job, folder } = scene(ASYNC, { asyncJobManager: await jobs() });
    await bash({ command: WAITS, async: true });
    const controller = new AbortController();
    const waiting = thrown(job({ poll: ["bg_1"] }, controller.signal));

    controller.abort();

    expect((await waiting).message).toBe("Waiting was aborted; the jobs go on.");
    writeFileSync(join(folder, "go"), "");
    expect(textOf(await job({ poll: ["bg_1"] }))).toContain("begun\ndone");
  });

  it("sees the jobs of its own session only", async () => {
    const manager = await jobs();
    const { bash } = scene(ASYNC, { asyncJobManager: manager });
    await bash({ command: "true", async: true });
    const other = scene(ASYNC, { asyncJobManager: manager, getSessionId: () => "agent-2" });

    expect(textOf(await other.job({ poll: ["bg_1"] }))).toBe("Background job not found: bg_1");
    expect(textOf(await other.job({ list: true }))).toBe("No background jobs.");
  });

  it("answers within bounds whatever the jobs wrote (JB-13)", async () => {
    const { bash, job } = scene(ASYNC, { asyncJobManager: await jobs() });
    await bash({ command: "seq 1 2000000", async: true });

    const text = textOf(await job({ poll: ["bg_1"] }));

    expect(text.length).toBeLessThan(20_000);
    expect(text).toMatch(/\nFull output: artifact:\/\/[a-z0-9]+$/);
  });

  it("is refused without a manager, and with parameters that are none", async () => {
    expect((await thrown(scene().job({ list: true }))).message).toBe("Async job manager unavailable for this session.");
    expect((await thrown(scene().job({ poll: "bg_1" }))).message).toMatch(/^Invalid job parameters: `poll` is /);
  });
});
