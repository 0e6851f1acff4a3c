/** CC-04: what a callback does never breaks a run, and a slow one slows its command down. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { HARD_TIMEOUT_GRACE_MS } from "@pi-bash/contract/internal";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { executeShell, Shell, type ShellRunResult } from "../src/index.ts";
import { until } from "./waiting.ts";

/** More than the pipe, the window and the pieces in JavaScript's hands can hold together. */
const FLOOD_BYTES = 16 * 1024 * 1024;

let warnings: NodeJS.ErrnoException[] = [];
let stray: unknown[] = [];
const onWarning = (warning: NodeJS.ErrnoException) => warnings.push(warning);
const onStray = (error: unknown) => stray.push(error);

beforeEach(() => {
  warnings = [];
  stray = [];
  process.on("warning", onWarning);
  process.on("unhandledRejection", onStray);
});

afterEach(async () => {
  // Both events come in a turn of their own.
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off("warning", onWarning);
  process.off("unhandledRejection", onStray);
  expect(stray).toEqual([]);
});

const failures = () => warnings.filter((warning) => warning.code === "PI_CALLBACK_FAILED");

describe("a callback", () => {
  it("CC-04 that throws is reported once, and the run ends as if it had not", async () => {
    let calls = 0;

    const result = await executeShell({ command: "for i in 1 2 3 4 5; do echo $i; sleep 0.02; done" }, () => {
      calls += 1;
      throw new Error("no room");
    });

    expect(result.exitCode).toBe(0);
    expect(calls).toBeGreaterThan(0);
    await vi.waitFor(() => expect(failures()).toHaveLength(1), 10_000);
  });

  it("CC-04 that returns a rejecting promise is reported once, and the run ends as if it had not", async () => {
    const result = await executeShell({ command: "echo a; exit 3" }, async () => {
      throw new Error("no room");
    });

    expect(result.exitCode).toBe(3);
    await vi.waitFor(() => expect(failures()).toHaveLength(1), 10_000);
  });

  it("gets all that an EXIT trap prints after `exit`, at the pace it takes it, as the sink does", async () => {
    await using shell = new Shell();
    let text = "";

    const result = await shell.run(
      { command: `echo before; trap 'head -c 1000000 /dev/zero | tr "\\0" x' EXIT; exit 7`, sink: {} },
      async (_error, chunk) => {
        text += chunk;
        await new Promise((resolve) => setTimeout(resolve, 1));
      },
    );

    expect([result.exitCode, result.output?.totalBytes]).toEqual([7, 1_000_007]);
    expect(text).toBe(`before\n${"x".repeat(1_000_000)}`);
  });

  it("CC-04 may abort its own session", async () => {
    await using shell = new Shell();

    const result = await shell.run({ command: "echo a; sleep 60" }, () => shell.abort());

    expect(result.cancelled).toBe(true);
    expect((await shell.run({ command: "exit 4" })).exitCode).toBe(4);
  });

  it("CC-04 may wait for another run of its own session", async () => {
    await using shell = new Shell();
    let inner: ShellRunResult | undefined;

    const outer = await shell.run({ command: "echo a" }, async () => {
      inner ??= await shell.run({ command: "exit 5" });
    });

    expect(outer.exitCode).toBe(0);
    expect(inner?.exitCode).toBe(5);
  });

  it("CC-04 may wait for another run of its own session in the middle of a flood", async () => {
    await using shell = new Shell();
    let inner: Promise<ShellRunResult> | undefined;
    let length = 0;

    const outer = await shell.run({ command: `head -c ${FLOOD_BYTES} /dev/zero` }, (_error, chunk) => {
      length += chunk.length;
      inner ??= shell.run({ command: "exit 6" });
      return inner;
    });

    expect(outer.exitCode).toBe(0);
    expect(length).toBe(FLOOD_BYTES);
    expect((await inner)?.exitCode).toBe(6);
  });

  it("that waits for its own run does not keep it from settling", async () => {
    await using shell = new Shell();

    const run: Promise<ShellRunResult> = shell.run({ command: "echo a" }, () => run);

    expect((await run).exitCode).toBe(0);
  });

  it("that never settles has less time where the run had a deadline, so that both fit into the grace", async () => {
    await using shell = new Shell();

    const begin = performance.now();
    await shell.run({ command: "echo a", timeoutMs: 100 }, () => new Promise(() => undefined));

    // Of five seconds, the core keeps half for itself.
    expect(performance.now() - begin).toBeLessThan(4_000);
  });

  it("that never settles does not keep a timed-out run from settling", async () => {
    await using shell = new Shell();

    const begin = performance.now();
    const result = await shell.run(
      // What it runs ends on the last rung only.
      { command: `trap '' INT TERM; head -c ${FLOOD_BYTES} /dev/zero; sleep 60`, timeoutMs: 500 },
      () => new Promise(() => undefined),
    );

    expect(result.timedOut).toBe(true);
    expect(performance.now() - begin).toBeLessThan(500 + HARD_TIMEOUT_GRACE_MS);
    expect((await shell.run({ command: "exit 4" })).exitCode).toBe(4);
  });

  it("that never settles does not keep a cancelled run from settling", async () => {
    await using shell = new Shell();
    const controller = new AbortController();

    const result = await shell.run(
      { command: `head -c ${FLOOD_BYTES} /dev/zero; sleep 60`, signal: controller.signal },
      () => {
        setTimeout(() => controller.abort(), 50);
        return new Promise(() => undefined);
      },
    );

    expect(result.cancelled).toBe(true);
  });

  it("is called again only when the promise of the call before has settled", async () => {
    let running = 0;
    let overlaps = 0;
    let length = 0;

    await executeShell({ command: `head -c ${4 * 1024 * 1024} /dev/zero` }, async (_error, chunk) => {
      if (running > 0) overlaps += 1;
      running += 1;
      await new Promise((resolve) => setImmediate(resolve));
      length += chunk.length;
      running -= 1;
    });

    expect(overlaps).toBe(0);
    expect(length).toBe(4 * 1024 * 1024);
  });

  it("holds the command back while its promise is pending", async () => {
    const done = join(scratchFolder(), "done");
    const { promise: gate, resolve: open } = deferred();
    let called = false;
    let length = 0;
    const run = executeShell({ command: `head -c ${FLOOD_BYTES} /dev/zero; touch '${done}'` }, (_error, chunk) => {
      length += chunk.length;
      called = true;
      return gate;
    });
    await until("the first piece", () => called);

    // Long enough for a command that is not held back to finish many times over.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const wasDone = existsSync(done);
    open();
    const result = await run;

    expect(wasDone).toBe(false);
    expect(existsSync(done)).toBe(true);
    expect(length).toBe(FLOOD_BYTES);
    expect(result.exitCode).toBe(0);
  });

  it("never runs after the promise of its run has settled", async () => {
    await using shell = new Shell();
    let settled = false;
    let late = 0;

    for (let round = 0; round < 20; round += 1) {
      settled = false;
      await shell.run({ command: "seq 1 20000", sink: { throttleMs: 0, onUpdate: () => settled && late++ } }, () => {
        if (settled) late += 1;
      });
      settled = true;
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(late).toBe(0);
  });

  it("runs in the async context of the call that started the run", async () => {
    const { AsyncLocalStorage } = await import("node:async_hooks");
    const storage = new AsyncLocalStorage<string>();
    const seen = new Set<string | undefined>();

    await storage.run("mine", () => executeShell({ command: "echo a" }, () => seen.add(storage.getStore())));

    expect([...seen]).toEqual(["mine"]);
  });

  it("is given all of a flood whose writes fill a read, although the command goes on in silence", async () => {
    let given = 0;
    const all = new AbortController();

    const command = "for i in 1 2 3 4 5; do dd if=/dev/zero bs=128K count=37 status=none; sleep 0.01; done; sleep 60";
    const result = await executeShell({ command, signal: all.signal, timeoutMs: 30_000 }, (_error, chunk) => {
      given += chunk.length;
      if (given === 5 * 37 * 128 * 1024) all.abort();
    });

    expect(given).toBe(5 * 37 * 128 * 1024);
    expect(result).toMatchObject({ cancelled: true, timedOut: false });
  });

  it("leaves the event loop its turns: no turn gets more than a megabyte", async () => {
    let inTurn = 0;
    let most = 0;
    let isOver = false;
    const nextTurn = () => {
      most = Math.max(most, inTurn);
      inTurn = 0;
      if (!isOver) setImmediate(nextTurn);
    };
    setImmediate(nextTurn);

    await executeShell({ command: `head -c ${8 * FLOOD_BYTES} /dev/zero` }, (_error, chunk) => {
      inTurn += chunk.length;
    });
    isOver = true;

    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(1024 * 1024);
  });
});

describe("an update callback", () => {
  it("gets the newest tail and the totals, and the result has the whole", async () => {
    const totals: number[] = [];

    const result = await executeShell({
      command: "for i in 1 2 3 4 5; do echo line $i; sleep 0.1; done",
      sink: { onUpdate: (_tail, { bytes }) => totals.push(bytes) },
    });

    expect(totals.length).toBeGreaterThan(0);
    expect(totals).toEqual([...totals].sort((a, b) => a - b));
    expect(result.output?.text).toBe("line 1\nline 2\nline 3\nline 4\nline 5\n");
  });

  it("that throws is reported once, and the run ends as if it had not", async () => {
    const result = await executeShell({
      command: "echo a; sleep 0.1; echo b",
      sink: {
        onUpdate: () => {
          throw new Error("no room");
        },
      },
    });

    expect(result.output?.text).toBe("a\nb\n");
    await vi.waitFor(() => expect(failures()).toHaveLength(1), 10_000);
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
