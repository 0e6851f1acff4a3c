/**
 * Watching a command that runs: woken by its output, with the newest lines and the totals (seed 003, progress).
 */
import { describe, expect, it } from "vitest";
import { type BashProgress, type BashProgressEnd, PROGRESS_LINES, runWithProgress } from "../src/progress.ts";
import { followScene, LONG_MS, waitFor } from "./support/follow.ts";
import { until } from "./support/waiting.ts";

/** Takes everything. */
async function take(looks: AsyncGenerator<BashProgress, BashProgressEnd, void>) {
  const seen: BashProgress[] = [];
  for (;;) {
    const next = await looks.next();
    if (next.done) return { seen, end: next.value };
    seen.push(next.value);
  }
}

describe("the progress of a command", () => {
  it("is a look for each news, and the result at the end", async () => {
    const { executor, folder, touch } = await followScene();
    const looks = runWithProgress(executor, `echo one; ${waitFor("a")}; echo two; ${waitFor("b")}; exit 3`, {
      cwd: folder,
      timeoutMs: LONG_MS,
    });

    const first = await looks.next();
    touch("a");
    const second = await looks.next();
    touch("b");
    const { end } = await take(looks);

    expect(first).toMatchObject({
      done: false,
      value: { type: "progress", output: "one\n", fullOutput: "one\n", totalLines: 1, totalBytes: 4 },
    });
    expect(second.value).toMatchObject({ output: "one\ntwo\n", totalLines: 2, totalBytes: 8, isIncomplete: false });
    expect((second.value as BashProgress).elapsedTimeSeconds).toBeGreaterThan(0);
    expect(end).toMatchObject({ code: 3, stdout: "one\ntwo\n", interrupted: false });
  });

  it("has the last lines, and says when the window is not all of it", async () => {
    const { executor, folder, touch } = await followScene();
    const looks = runWithProgress(executor, `seq 1 50000; : > wrote; ${waitFor("go")}; echo end`, { cwd: folder });
    let look: BashProgress | undefined;
    while (look === undefined || look.totalLines < 50_000) {
      const next = await looks.next();
      if (next.done) throw new Error("it has ended");
      look = next.value;
    }

    touch("go");
    const { end } = await take(looks);

    expect(look.output).toBe("49996\n49997\n49998\n49999\n50000\n");
    expect(look.output.trimEnd().split("\n")).toHaveLength(PROGRESS_LINES);
    expect(look).toMatchObject({ isIncomplete: true, totalLines: 50_000, totalBytes: 288_894 });
    expect(Buffer.byteLength(look.fullOutput)).toBeLessThanOrEqual(51_200);
    expect(end.result.truncated).toBe(true);
  });

  it("is silent while the command is: nothing is polled", async () => {
    const { executor, folder } = await followScene();

    const { seen, end } = await take(runWithProgress(executor, "sleep 0.5", { cwd: folder }));

    expect([seen, end.code]).toEqual([[], 0]);
  });

  it("misses older looks where its reader is slow, and never the newest", async () => {
    const { executor, folder, touch } = await followScene();
    let updates = 0;
    const looks = runWithProgress(executor, `for i in {1..20}; do echo $i; sleep 0.06; done; ${waitFor("go")}`, {
      cwd: folder,
      onUpdate: () => {
        updates += 1;
      },
    });
    await looks.next();
    await until(() => updates >= 5, "some updates");
    const seen = updates;

    const next = await looks.next();

    expect((next.value as BashProgress).totalLines).toBeGreaterThanOrEqual(seen - 1);
    touch("go");
    expect((await take(looks)).end.code).toBe(0);
  });

  it("ends the command when its reader leaves", async () => {
    const { executor, folder, processes } = await followScene();

    for await (const look of runWithProgress(executor, "echo begun; sleep 300", { cwd: folder })) {
      expect(look.output).toBe("begun\n");
      break;
    }

    await until(() => !processes().includes("sleep 300"), "the command to be gone");
    expect((await executor.executeBash("echo next", { cwd: folder })).output).toBe("next\n");
  });

  it("says that the command was interrupted, and rejects for one that never ran", async () => {
    const { executor, folder } = await followScene();
    const stop = new AbortController();
    const looks = runWithProgress(executor, "echo begun; sleep 300", { cwd: folder, signal: stop.signal });
    await looks.next();
    stop.abort();

    expect((await take(looks)).end).toMatchObject({ code: undefined, interrupted: true });
    await expect(take(runWithProgress(executor, "true", { cwd: `${folder}/nowhere` }))).rejects.toThrowError(/nowhere/);
  });
});
