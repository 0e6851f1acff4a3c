/** That a contender which loses, changes, adds or forgets is found out, and one which does not is not. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { childProcess } from "../src/adapters/pipes.ts";
import { type Contender, type Runner, stateless } from "../src/contender.ts";
import { background } from "../src/measures/background.ts";
import { DelayWatch } from "../src/measures/delay-watch.ts";
import { latency } from "../src/measures/latency.ts";
import { many } from "../src/measures/many.ts";
import { processesWith, rest } from "../src/measures/processes.ts";
import { stop } from "../src/measures/stop.ts";
import { stream } from "../src/measures/stream.ts";
import { numbersAndExit, oneByteAtATime, printing, streamed } from "../src/workload.ts";

const folder = mkdtempSync(join(tmpdir(), "pi-bash-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A contender that delivers a changed text. */
function changing(change: (text: string) => string): Contender {
  const honest = childProcess().open();
  return stateless(async (command, options) => {
    let text = "";
    const ended = await honest.run(command, {
      ...options,
      take: (piece) => {
        text += piece;
        return undefined;
      },
    });
    await options.take(change(text));
    return ended;
  });
}

function once(runner: Runner, isTimed: boolean) {
  const workload = streamed(folder, "colour", { mib: 1 });
  return stream(runner, workload, { isTimed, watchesLoop: false });
}

describe("a stream", () => {
  it.each([
    ["lines", streamed(folder, "lines", { mib: 2 })],
    ["colour", streamed(folder, "colour", { mib: 1 })],
    ["blocks", streamed(folder, "blocks", { mib: 1 })],
    ["bytes", oneByteAtATime(folder, 2_000)],
    ["numbers and a status", numbersAndExit(false)],
  ])("of %s is what the workload says, to the last character", async (_name, workload) => {
    for (const isTimed of [true, false]) {
      const { faults } = await stream(childProcess().open(), workload, { isTimed, watchesLoop: false });

      expect(faults).toEqual([]);
    }
  });

  it("is measured when it is timed, and not when every character is compared", async () => {
    const timed = await once(childProcess().open(), true);

    expect(timed.samples["cpu"]?.[0]).toBeGreaterThan(0);
    expect(timed.samples["wall"]?.[0]).toBeGreaterThan(0);
    expect((await once(childProcess().open(), false)).samples).toEqual({});
  });

  it.each([
    ["loses its end", (text: string) => text.slice(0, -7), { kind: "lost", amount: 7 }],
    ["adds something", (text: string) => `${text}\r\n`, { kind: "added", amount: 2 }],
    ["changes its end", (text: string) => `${text.slice(0, -1)}x`, { kind: "altered", amount: 1 }],
  ])("of a contender that %s is a fault", async (_name, change, fault) => {
    expect((await once(changing(change).open(), true)).faults).toEqual([fault]);
  });

  it("that was changed in the middle is a fault where every character is compared", async () => {
    const changed = changing((text) => text.replace("漢", "?"));

    expect((await once(changed.open(), false)).faults).toEqual([{ kind: "altered", amount: 1 }]);
  });
});

describe("many at once", () => {
  it("count the answers that are wrong", async () => {
    const right = await many(childProcess(), 3);
    const wrong = await many(
      changing((text) => text.replace("number 1", "number 2")),
      3,
    );

    expect(right.faults).toEqual([]);
    expect(wrong.faults).toEqual([{ kind: "answers", amount: 1 }]);
  });
});

describe("latency", () => {
  it("has a sample for each command, and a fault for another status", async () => {
    const { samples, faults } = await latency(childProcess().open(), printing("echo hi; exit 3", "hi\n"), 2, 0);

    expect(samples["micros"]?.length).toBe(2);
    expect(faults).toEqual([
      { kind: "status", amount: 3 },
      { kind: "status", amount: 3 },
    ]);
  });

  it("goes on after its count until its time has passed", async () => {
    const begun = performance.now();
    const { samples } = await latency(childProcess().open(), printing("echo hi", "hi\n"), 1, 200);

    expect(performance.now() - begun).toBeGreaterThanOrEqual(200);
    expect(samples["micros"]?.length).toBeGreaterThan(1);
  });
});

// Processes are found by their environment in `/proc`.
describe.skipIf(process.platform !== "linux")("a tree (skipped where there is no /proc)", () => {
  it("that lives on is counted, killed, and the promise that waited for it settles", async () => {
    const { faults, isSpent } = await stop(childProcess().open(), folder);

    // `spawn` signals the shell alone and waits for its pipes.
    expect(faults).toEqual([
      { kind: "unsettled", amount: 5_000 },
      { kind: "alive", amount: expect.any(Number) },
    ]);
    expect(isSpent).toBe(false);
    expect(await rest(`PI_BENCH_TREE_${process.pid}_`, 10_000)).toEqual([]);
  });
});

describe.skipIf(process.platform !== "linux")("a background child (skipped where there is no /proc)", () => {
  it("is counted and killed when the promise does not wait for it", async () => {
    const quick = stateless(async (command, { take }) => {
      let isDone = false;
      const seen: typeof take = (...piece) => {
        isDone = true;
        return take(...piece);
      };
      const honest = childProcess().open().run(command, { take: seen });
      honest.catch(() => undefined);
      for (const end = performance.now() + 10_000; performance.now() < end; ) {
        // While the shell lives, or a child has not yet become its program, there are two.
        if (isDone && processesWith(`PI_BENCH_CHILD_${process.pid}_`).length === 1) break;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return { exitCode: 0, totalBytes: 5 };
    });
    const { samples, faults } = await background(quick.open(), printing("", "done\n"));

    expect(samples["alive"]).toEqual([1]);
    expect(faults).toEqual([]);
    // A process that was sent SIGKILL is still there until it next runs.
    expect(await rest(`PI_BENCH_CHILD_${process.pid}_`, 10_000)).toEqual([]);
  });
});

describe("the watch of the event loop", () => {
  it("sees how long the thread was blocked", () => {
    const watch = new DelayWatch();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    const { max } = watch.stop();

    expect(max[0]).toBeGreaterThan(50);
  });
});
