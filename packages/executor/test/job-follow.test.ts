/**
 * Reading a job's output while it runs: each reader gets each line once, and nothing is lost on the way (seed 004, 1.3).
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bashWork } from "../src/jobs/bash-work.ts";
import { newEntry } from "../src/jobs/job-entry.ts";
import { followScene, LONG_MS, waitFor } from "./support/follow.ts";
import { receive } from "./support/jobs.ts";
import { until } from "./support/waiting.ts";

describe("following a job", () => {
  it("gives new output each time, the end with the rest, and nothing twice", async () => {
    const { start, next, touch, written } = await followScene();
    const id = start(`echo one; echo two >&2; ${waitFor("a")}; echo three; ${waitFor("b")}; echo four; exit 3`);
    await written(id, "two");

    expect((await next(id)).output.text).toBe("one\ntwo\n");
    const waiting = next(id);
    touch("a");
    expect((await waiting).output).toEqual({ text: "three\n", isIncomplete: false });
    touch("b");
    await until(async () => (await next(id, { timeoutMs: 0, reader: "other" })).job.state === "failed", "the end");
    const last = await next(id);

    expect(last.output.text).toBe("four\n");
    expect(last.job).toMatchObject({ state: "failed", exitCode: 3 });
    expect((await next(id)).output.text).toBe("");
  });

  it("holds an unfinished line back until it is finished or the command has ended", async () => {
    const { start, next, touch, written } = await followScene();
    const id = start(`printf 'whole\\nhal'; ${waitFor("a")}; printf 'f\\nres'; ${waitFor("b")}; printf t`);
    await written(id, "hal");

    expect((await next(id)).output.text).toBe("whole\n");
    expect((await next(id, { timeoutMs: 0 })).output.text).toBe("");
    touch("a");
    expect((await next(id)).output.text).toBe("half\n");
    touch("b");
    const last = await next(id);
    expect([last.output.text, last.job.state]).toEqual(["rest", "completed"]);
  });

  it("gives every reader everything, each at its own pace", async () => {
    const { start, next, touch } = await followScene();
    const id = start(`echo one; ${waitFor("a")}; echo two; ${waitFor("b")}`);

    expect((await next(id, { reader: "x" })).output.text).toBe("one\n");
    touch("a");
    expect((await next(id, { reader: "x" })).output.text).toBe("two\n");
    expect((await next(id, { reader: "y" })).output.text).toBe("one\ntwo\n");
    touch("b");
  });

  it("gives a line to one of two calls of the same reader, never to both", async () => {
    const { start, manager, touch } = await followScene();
    const id = start(`echo one; ${waitFor("a")}; echo two; ${waitFor("b")}`);
    const options = { reader: "x", timeoutMs: LONG_MS, wakesOnOutput: true, maxBytes: 1_000 };
    const first = await manager.follow(id, options);
    const second = manager.follow(id, options);
    touch("a");
    first?.commit();

    expect([first?.output.text, (await second)?.output.text]).toEqual(["one\n", "two\n"]);
    (await second)?.release();
    touch("b");
  });

  it("gives again what did not reach the one who asked", async () => {
    const { start, next, manager, touch } = await followScene();
    const { got } = receive(manager, "one");
    const id = start(`echo one; ${waitFor("a")}`);
    const options = { reader: "one", timeoutMs: LONG_MS, wakesOnOutput: true, maxBytes: 1_000 };

    const lost = await manager.follow(id, options);
    lost?.release();
    lost?.commit();

    expect(lost?.output.text).toBe("one\n");
    expect((await next(id)).output.text).toBe("one\n");
    const held = manager.follow(id, { ...options, wakesOnOutput: false });
    touch("a");
    (await held)?.release();
    await until(() => got.length === 1, "the result to be delivered, which no one took");
  });

  it("takes the result, so that it is not delivered as well, and gives it again to a late reader", async () => {
    const { start, next, manager } = await followScene();
    const { got } = receive(manager, "one");
    const id = start("echo out");
    const other = start("echo other");

    const ended = await next(id, { wakesOnOutput: false });
    await until(() => got.length === 1, "the delivery of the other one");

    expect(ended).toMatchObject({ text: "out\n", job: { state: "completed", exitCode: 0 } });
    expect(got.map(({ job }) => job.id)).toEqual([other]);
    const late = await next(id, { timeoutMs: 0, reader: "late" });
    expect([late.text, late.output.text]).toEqual(["out\n", "out\n"]);
  });

  it("waits for the end alone where output is not to wake it", async () => {
    const { start, next, touch, written } = await followScene();
    const id = start(`echo one; ${waitFor("a")}; echo two`);
    const waiting = next(id, { wakesOnOutput: false });
    await written(id, "one");

    touch("a");

    const { output, job } = await waiting;
    expect([output.text, job.state]).toEqual(["one\ntwo\n", "completed"]);
  });

  it("answers at once without time, and when it is asked to stop", async () => {
    const { start, next, touch } = await followScene();
    const id = start(waitFor("a"));
    const stop = new AbortController();

    expect((await next(id, { timeoutMs: 0 })).job.state).toBe("running");
    const waiting = next(id, { stop: stop.signal });
    stop.abort();
    expect((await waiting).job.state).toBe("running");
    expect((await next(id, { stop: stop.signal })).job.state).toBe("running");
    touch("a");
  });

  it("has in the file what background children write after the end", async () => {
    const { start, next, touch } = await followScene();
    const id = start(`echo begun; { ${waitFor("a")}; echo late; } & true`);
    expect((await next(id, { wakesOnOutput: false })).output.text).toBe("begun\n");

    touch("a");

    let late = "";
    await until(async () => {
      late += (await next(id, { timeoutMs: 0 })).output.text;
      return late === "late\n";
    }, "the late line");
  });

  it("is the same text that a result has: plain, and of a progress line what a terminal shows", async () => {
    const { start, next } = await followScene();
    const id = start("printf '\\033[31mred\\033[0m\\n10 %%\\r100 %%\\n\\xff\\n'");

    expect((await next(id, { wakesOnOutput: false })).output.text).toBe("red\n100 %\n\u{fffd}\n");
  });

  it("ends with the manager", async () => {
    const { start, manager, processes } = await followScene();
    const id = start("echo out; sleep 300");
    const options = { reader: "one", timeoutMs: LONG_MS, wakesOnOutput: false, maxBytes: 1_000 };
    const waiting = manager.follow(id, options);

    await manager.dispose();

    expect((await waiting)?.job.state).toBe("cancelled");
    (await waiting)?.commit();
    await until(() => !processes().some((line) => line.startsWith("sleep 300")), "the command to be gone");
  });
});

describe("much output", () => {
  it("shows the end and says which lines are left out and where they are", async () => {
    const { start, next, manager } = await followScene();
    const id = start("seq 1 300000");

    const { output } = await next(id, { maxBytes: 1_000, wakesOnOutput: false });

    const shown = output.text.trimEnd().split("\n");
    const first = Number(shown.find((line) => /^\d{6}$/.test(line)));
    expect(shown.at(-1)).toBe("300000");
    expect(output).toMatchObject({ isIncomplete: true, leftOut: { startLine: 1 } });
    expect(output.leftOut?.endLine).toBeGreaterThanOrEqual(first - 2);
    expect(output.leftOut?.endLine).toBeLessThanOrEqual(first - 1);
    expect(Buffer.byteLength(output.text)).toBeLessThanOrEqual(1_000);
    expect(manager.read(id, "one")?.job.artifactId).toBeDefined();
  });

  it("counts on from the lines that were given out before", async () => {
    const { start, next, touch } = await followScene();
    const id = start(`seq 1 1000; ${waitFor("a")}; seq 1001 9000`);
    let line = 0;
    while (line < 1_000) line = Number((await next(id)).output.text.trimEnd().split("\n").at(-1));
    touch("a");

    const { output } = await next(id, { maxBytes: 500, wakesOnOutput: false });

    expect(output.leftOut?.startLine).toBe(1_001);
    expect(output.text.endsWith("9000\n")).toBe(true);
  });

  it.each([
    ["is shown cut in the middle", 500_000, /^x+.*bytes.*x+\nlast\n$/s],
    ["is left out where it is longer than what is read", 3_000_000, /^last\n$/],
  ])("of one line without an end %s, once it has ended", async (_, bytes, shown) => {
    const { start, next, touch } = await followScene();
    const id = start(`head -c ${bytes} /dev/zero | tr '\\0' x; ${waitFor("a")}; echo; echo last`);
    expect((await next(id, { timeoutMs: 0 })).output.text).toBe("");
    const waiting = next(id, { wakesOnOutput: false });
    touch("a");

    const { output } = await waiting;

    expect(output.text).toMatch(shown);
    expect(output.isIncomplete).toBe(true);
    expect(output.text.length).toBeLessThan(6_000);
  });
});

describe("where there is no file", () => {
  it("the newest output is given, and the reason", async () => {
    const { start, next, executor, touch, written, manager } = await followScene();
    const id = start(`echo one; ${waitFor("a")}; echo two`);
    await written(id, "one");
    const artifact = manager.read(id, "one")?.job.artifactId ?? "";
    await executor.artifacts.settle(artifact, "discard");

    const first = await next(id);
    touch("a");
    const last = await next(id, { wakesOnOutput: false });

    expect(first.output.text).toBe("one\n");
    expect(first.problem).toMatch(/ENOENT/);
    expect(last.text).toMatch(/one\ntwo\n/);
  });

  it("a work that names none is read by its tail", async () => {
    const entry = newEntry({ command: "a", work: async () => ({ text: "" }) }, 0);
    const context = entry.context({ onArtifact: () => undefined, onWaiting: () => undefined });

    context.update("one\ntw", { bytes: 6, lines: 2 });

    expect([entry.tail, entry.log.totals]).toEqual(["one\ntw", { bytes: 6, lines: 2 }]);
    expect(entry.log.path).toBeUndefined();
  });
});

describe("a job's file", () => {
  it("is not kept for a command that ended in the foreground and was shown whole", async () => {
    const { executor, manager, folder } = await followScene();
    let artifactId: string | undefined;

    const ended = await manager.runForeground({
      command: "echo out",
      thresholdMs: LONG_MS,
      work: async (context) => {
        const work = bashWork(executor, "echo out", { session: "shared", cwd: folder });
        const setArtifact = (id: string, path?: string): void => {
          artifactId = id;
          context.setArtifact(id, path);
        };
        return work({ ...context, setArtifact });
      },
    });

    expect(ended).toMatchObject({ kind: "ended", end: { text: "out\n" } });
    expect(ended).not.toHaveProperty("end.artifactId");
    expect(artifactId).toBeDefined();
    expect((await executor.artifacts.list()).map(({ id }) => id)).not.toContain(artifactId);
  });

  it("has every byte of a job, also of a short one", async () => {
    const { start, next, executor, manager } = await followScene();
    const id = start("printf 'a\\0b'");
    await next(id, { wakesOnOutput: false });

    const artifact = await executor.artifacts.get(manager.read(id, "one")?.job.artifactId ?? "");
    expect(readFileSync(artifact?.path ?? "", "latin1")).toBe("a\0b");
  });
});
