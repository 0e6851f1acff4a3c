/**
 * Runs that the JavaScript thread begins in the call and ends in the turn of the event loop in which bash reported. What
 * a caller sees of them may not differ from any other run. Outside of Node on Linux all runs are the runtime's, and the
 * same holds of them.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { Shell, type ShellOptions } from "../src/index.ts";
import { type ChildBundle, createChildBundle } from "./child-bundle.ts";

/** Longest that a test holds the event loop up, in milliseconds; reached only by a defect. */
const PATIENCE_MS = 20_000;

let bundle: ChildBundle;
beforeAll(() => {
  bundle = createChildBundle();
});
afterAll(() => bundle.dispose());

function open(options?: ShellOptions): Shell {
  const shell = new Shell(options);
  onTestFinished(() => shell.close());
  return shell;
}

/** Holds the event loop up until `condition` is true. */
function standStillUntil(condition: () => boolean): boolean {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) if (condition()) return true;
  return false;
}

describe("a run that is polled inline", () => {
  it("calls back when its call has returned, and never from within it", async () => {
    for (const spinMicroseconds of [0, 1_000]) {
      const shell = open({ spinMicroseconds });
      for (let turn = 0; turn < 50; turn++) {
        let isInCall = true;
        const seen: boolean[] = [];
        const running = shell.run({ command: "echo hi" }, () => seen.push(isInCall));
        isInCall = false;
        await running;
        expect(seen).toEqual([false]);
      }
    }
  });

  it("settles in the order of the calls, whatever each of them takes", async () => {
    const shell = open();
    const order: number[] = [];
    const commands = Array.from({ length: 30 }, (_, at) => [":", "/bin/true", "read -t 0.003 <> <(:)"][at % 3] ?? "");
    await Promise.all(commands.map((command, at) => shell.run({ command }).then(() => order.push(at))));

    expect(order).toEqual(commands.map((_, at) => at));
  });

  it("is ended by its deadline while the event loop stands still", async () => {
    const shell = open();
    const mark = join(scratchFolder(), "over");
    await shell.run({ command: "x=kept" });
    // What runs after the stop shows that it came.
    const running = shell.run({ command: `trap ': >${mark}' EXIT; while :; do :; done`, timeoutMs: 100 });

    expect(standStillUntil(() => existsSync(mark))).toBe(true);
    expect(await running).toMatchObject({ timedOut: true, sessionReset: false });
    expect(await shell.run({ command: "echo $x", sink: {} })).toMatchObject({ output: { text: "kept\n" } });
  });

  it("goes on with what no pipe holds while the event loop stands still", async () => {
    const shell = open();
    const mark = join(scratchFolder(), "written");
    await shell.run({ command: ":" });
    const running = shell.run({ command: `printf '%0500000d' 1; : >${mark}`, sink: {} });

    expect(standStillUntil(() => existsSync(mark))).toBe(true);
    expect((await running).output?.totalBytes).toBe(500_000);
  });

  it("leaves the event loop to others: timers and immediates run between many runs at once", async () => {
    const shells = Array.from({ length: 8 }, () => open());
    await Promise.all(shells.map((shell) => shell.run({ command: ":" })));
    let immediates = 0;
    let isOver = false;
    const count = () => {
      immediates++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(
      shells.map(async (shell) => {
        for (let turn = 0; turn < 100; turn++) await shell.run({ command: "echo hi" }, () => undefined);
      }),
    );
    isOver = true;

    expect(immediates).toBeGreaterThan(10);
  });

  it("reports a callback that throws as any other run does, and goes on", async () => {
    const program = bundle.program(
      "throws",
      `process.on("warning", ({ code }) => console.log(code));
       const shell = new natives.Shell();
       await shell.run({ command: ":" });
       const { exitCode } = await shell.run({ command: "echo hi; exit 3" }, () => { throw new Error("mine"); });
       await shell.close();
       console.log(exitCode);`,
    );

    expect(await bundle.run(program)).toMatchObject({ code: 0, stdout: "PI_CALLBACK_FAILED\n3\n" });
  });

  it("lets a rejection that its caller does not handle reach the process, as any promise does", async () => {
    const program = bundle.program(
      "unhandled",
      `process.on("unhandledRejection", (error) => { console.log(error.message); process.exit(0); });
       const shell = new natives.Shell();
       await shell.run({ command: ":" });
       shell.run({ command: ":" }).then(() => { throw new Error("mine"); });
       setInterval(() => undefined, 1000);`,
    );

    expect(await bundle.run(program)).toMatchObject({ code: 0, stdout: "mine\n" });
  });

  it("ends with its worker: terminated in mid-run, many times over", async () => {
    const program = bundle.program(
      "terminated",
      `import { Worker, isMainThread, parentPort } from "node:worker_threads";
       import { fileURLToPath } from "node:url";
       if (isMainThread) {
         for (let turn = 0; turn < 8; turn++) {
           const worker = new Worker(fileURLToPath(import.meta.url));
           await new Promise((resolve) => worker.once("message", resolve));
           await worker.terminate();
         }
         console.log("over");
       } else {
         const shell = new natives.Shell();
         for (;;) await shell.run({ command: "echo hi" }, () => parentPort.postMessage("ran"));
       }`,
    );

    expect(await bundle.run(program)).toMatchObject({ code: 0, signal: null, stdout: "over\n", stderr: "" });
  });
});

describe("option `spinMicroseconds`", () => {
  it("has results that are those of a session without it", async () => {
    const shell = open({ spinMicroseconds: 200 });
    for (const [command, text, exitCode] of [
      ["x=1; echo $x", "1\n", 0],
      ["/bin/echo $x; exit 4", "1\n", 4],
      ["seq 3 | tail -1", "3\n", 0],
    ] as const) {
      expect(await shell.run({ command, sink: {} })).toMatchObject({ exitCode, output: { text } });
    }
  });

  it("leaves the event loop its turns, however many runs end in their calls", async () => {
    const shell = open({ spinMicroseconds: 1_000 });
    await shell.run({ command: ":" });
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    for (let run = 0; run < 3_000; run++) await shell.run({ command: ":" });
    isOver = true;

    expect(turns).toBeGreaterThan(10);
  });

  it.each([-1, 1.5, 1_001, Number.NaN, "40"])("refuses %s", (spinMicroseconds) => {
    expect(() => new Shell({ spinMicroseconds: spinMicroseconds as number })).toThrow(/spinMicroseconds/);
  });
});
