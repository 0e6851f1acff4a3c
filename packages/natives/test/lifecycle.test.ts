/**
 * The host's life and the run's: workers, `process.exit`, garbage collection, stopped clocks. Each in a process of its
 * own, whose end is part of what is tested.
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { capabilities } from "../src/index.ts";
import { type ChildBundle, createChildBundle } from "./child-bundle.ts";
import { processesWith, until } from "./waiting.ts";

let bundle: ChildBundle;

beforeAll(() => {
  bundle = createChildBundle();
});

afterAll(() => bundle.dispose());

/** A name in the environment of everything that a child starts. */
function mark(): { name: string; env: Record<string, string> } {
  const name = `PI_TEST_${randomUUID().replaceAll("-", "")}`;
  return { name, env: { [name]: "1" } };
}

describe("a host", () => {
  it("ends by itself when its sessions are idle, and takes their bash along", async () => {
    const { name, env } = mark();
    const program = bundle.program(
      "idle",
      `const shell = new natives.Shell();
       const { output } = await shell.run({ command: "echo $BASHPID", sink: {} });
       console.log(Number(output.text) > 0);`,
    );

    const end = await bundle.run(program, { env });

    expect(end).toMatchObject({ code: 0, signal: null, stdout: "true\n", stderr: "" });
    await until("its bash is gone", () => processesWith(name).length === 0);
  });

  it.for([
    ["ends by itself", "", { code: 0, signal: null }],
    ["calls process.exit", "process.exit(7);", { code: 7, signal: null }],
    ["is interrupted", `process.kill(process.pid, "SIGINT");`, { code: null, signal: "SIGINT" }],
    ["is killed", `process.kill(process.pid, "SIGKILL");`, { code: null, signal: "SIGKILL" }],
  ] as const)("leaves no private folder where it %s without closing", async ([name, last, expected]) => {
    // What a read-only command writes is in that folder, and it may bar its owner from it.
    const writes = capabilities().readOnly.available
      ? `await shell.run({ command: "umask 777; mkdir $TMPDIR/barred", readOnly: true });`
      : "";
    const program = bundle.program(
      `folder-${name.replaceAll(" ", "-")}`,
      `const shell = new natives.Shell();
       ${writes}
       const { output } = await shell.run({ command: "ps -ww -o args= -p $PPID", sink: {} });
       process.stdout.write(output.text, () => { ${last} });`,
    );

    const end = await bundle.run(program);

    expect(end).toMatchObject({ ...expected, stderr: "" });
    const folder = /\/[^ ]*\/pi-bash-\d+-[0-9a-f]{16}$/m.exec(end.stdout)?.[0] ?? "";
    expect(folder).not.toBe("");
    await until("its folder is gone", () => !existsSync(folder));
  });

  it("stays alive while a run is in progress, though nothing else keeps it", async () => {
    const program = bundle.program(
      "busy",
      `natives.executeShell({ command: "sleep 0.5; echo ok", sink: {} }).then(({ output }) => process.stdout.write(output.text));`,
    );

    expect(await bundle.run(program)).toMatchObject({ code: 0, signal: null, stdout: "ok\n", stderr: "" });
  });

  it("may call process.exit in mid-stream: it ends at once with its code, and nothing is left", async () => {
    const { name, env } = mark();
    const program = bundle.program(
      "exit",
      `let pieces = 0;
       const shell = new natives.Shell();
       void shell.run({ command: "yes" }, () => { if (++pieces === 20) process.exit(7); });
       void natives.executeShell({ command: "yes", sink: { onUpdate: () => undefined } });`,
    );

    const end = await bundle.run(program, { env });

    expect(end).toMatchObject({ code: 7, signal: null, stderr: "" });
    await until("what it started is gone", () => processesWith(name).length === 0);
  });

  it("may throw out of everything in mid-stream: it ends with the error's status, and nothing is left", async () => {
    const { name, env } = mark();
    const program = bundle.program(
      "throw",
      `void natives.executeShell({ command: "yes" }, () => setImmediate(() => { throw new Error("unrelated"); }));`,
    );

    const end = await bundle.run(program, { env });

    expect(end).toMatchObject({ code: 1, signal: null });
    expect(end.stderr).toContain("unrelated");
    await until("what it started is gone", () => processesWith(name).length === 0);
  });

  it("CC-08 may lose every reference to a session that runs: the run ends as it should, then the bash is gone", async () => {
    const program = bundle.program(
      "collect",
      `import { existsSync } from "node:fs";
       const turn = () => { globalThis.gc(); return new Promise((resolve) => setTimeout(resolve, 20)); };
       const run = (() => new natives.Shell().run({ command: "echo $BASHPID; sleep 0.5; echo x", sink: {} }))();
       for (let i = 0; i < 20; i++) await turn();
       const { exitCode, output } = await run;
       const [pid, word] = output.text.split("\\n");
       const deadline = performance.now() + 20000;
       while (existsSync("/proc/" + pid) && performance.now() < deadline) await turn();
       console.log(JSON.stringify([exitCode, word, existsSync("/proc/" + pid)]));`,
    );

    const end = await bundle.run(program, { flags: ["--expose-gc"] });

    expect(end).toMatchObject({ code: 0, signal: null, stdout: '[0,"x",false]\n', stderr: "" });
  });

  it("CC-10 may have its clock set: times and deadlines are those of a clock that no one sets", async () => {
    const program = bundle.program(
      "clock",
      `const real = Date.now;
       const run = natives.executeShell({ command: "sleep 1; echo ok", timeoutMs: 30000, sink: {} });
       Date.now = () => real() + 3600000;
       setTimeout(() => { Date.now = () => real() - 3600000; }, 300);
       const { exitCode, timedOut, wallTimeMs, output } = await run;
       console.log(JSON.stringify([exitCode, timedOut, wallTimeMs >= 900 && wallTimeMs < 25000, output.text]));`,
    );

    expect(await bundle.run(program)).toMatchObject({ code: 0, stdout: '[0,false,true,"ok\\n"]\n', stderr: "" });
  });

  it("may fake the timers of its whole process: runs go on", async () => {
    const program = bundle.program(
      "timers",
      `for (const name of ["setTimeout", "setImmediate", "setInterval", "queueMicrotask"]) globalThis[name] = () => 0;
       let length = 0;
       const { exitCode } = await natives.executeShell({ command: "head -c 3000000 /dev/zero" }, (_, chunk) => { length += chunk.length; });
       console.log(exitCode, length);`,
    );

    expect(await bundle.run(program)).toMatchObject({ code: 0, stdout: "0 3000000\n", stderr: "" });
  });

  it("CC-11 that is stopped past a deadline finds the command that finished in time successful", async () => {
    const program = bundle.program(
      "stopped",
      `import { spawn } from "node:child_process";
       const self = process.pid;
       // A process that is not below the supervisor, so that nothing of ours could be what wakes the host.
       spawn("/bin/sh", ["-c", "sleep 0.3; kill -STOP " + self + "; sleep 9; kill -CONT " + self], { stdio: "ignore" });
       const { exitCode, timedOut, output } = await natives.executeShell({ command: "sleep 1; seq 1 100000", timeoutMs: 8000, sink: {} });
       console.log(JSON.stringify([exitCode, timedOut, output.totalBytes]));`,
    );

    expect(await bundle.run(program)).toMatchObject({ code: 0, stdout: "[0,false,588895]\n", stderr: "" });
  });
});

describe("the host's environment", () => {
  it("is taken when a session is made, and a worker's is its own", async () => {
    const worker = bundle.program(
      "own-environment",
      `import { parentPort } from "node:worker_threads";
       const { output } = await natives.executeShell({ command: "echo $WHOSE", sink: {} });
       parentPort.postMessage(output.text);`,
    );
    const program = bundle.program(
      "environments",
      `import { once } from "node:events";
       import { Worker } from "node:worker_threads";
       process.env.WHOSE = "before";
       const shell = new natives.Shell();
       process.env.WHOSE = "after";
       const session = await shell.run({ command: "echo $WHOSE", sink: {} });
       const oneShot = await natives.executeShell({ command: "echo $WHOSE", sink: {} });
       const [theirs] = await once(new Worker(${JSON.stringify(worker)}, { env: { ...process.env, WHOSE: "worker" } }), "message");
       console.log(JSON.stringify([session.output.text, oneShot.output.text, theirs]));`,
    );

    expect(await bundle.run(program)).toMatchObject({
      code: 0,
      stdout: '["before\\n","after\\n","worker\\n"]\n',
      stderr: "",
    });
  });
});

describe("a worker", () => {
  it("has sessions of its own, beside those of the main thread", async () => {
    const worker = bundle.program(
      "worker",
      `import { parentPort, isMainThread } from "node:worker_threads";
       const shell = new natives.Shell();
       await shell.run({ command: "A=worker" });
       let text = "";
       await shell.run({ command: "echo $A" }, (_, chunk) => { text += chunk; });
       parentPort.postMessage([isMainThread, text]);`,
    );
    const program = bundle.program(
      "with-workers",
      `import { Worker } from "node:worker_threads";
       const shell = new natives.Shell();
       await shell.run({ command: "A=main" });
       const messages = await Promise.all([1, 2, 3].map(() => new Promise((resolve, reject) => {
         new Worker(${JSON.stringify(worker)}).on("message", resolve).on("error", reject);
       })));
       const { output } = await shell.run({ command: "echo $A", sink: {} });
       console.log(JSON.stringify([messages, output.text]));`,
    );

    const end = await bundle.run(program);

    const one = [false, "worker\n"];
    expect(end).toMatchObject({ code: 0, signal: null, stderr: "" });
    expect(JSON.parse(end.stdout)).toEqual([[one, one, one], "main\n"]);
  });

  it("may be terminated in mid-stream: the host goes on, and what the worker started is gone", async () => {
    const { name, env } = mark();
    const worker = bundle.program(
      "endless",
      `import { parentPort } from "node:worker_threads";
       let streams = false;
       void new natives.Shell().run({ command: "yes" }, () => { if (!streams) { streams = true; parentPort.postMessage("streams"); } });
       void natives.executeShell({ command: "sleep 600", env: { ${name}: "1" } });`,
    );
    const program = bundle.program(
      "terminates",
      `import { once } from "node:events";
       import { Worker } from "node:worker_threads";
       import { readdirSync, readFileSync } from "node:fs";
       const read = (pid) => { try { return readFileSync("/proc/" + pid + "/cmdline", "latin1"); } catch { return ""; } };
       const left = () => readdirSync("/proc").filter((pid) => /^\\d+$/.test(pid) && /^yes\\0/.test(read(pid)) && readFileSync("/proc/" + pid + "/environ", "latin1").includes("${name}"));
       for (let round = 0; round < 3; round++) {
         const worker = new Worker(${JSON.stringify(worker)});
         await once(worker, "message");
         await worker.terminate();
       }
       const deadline = performance.now() + 20000;
       const safely = () => { try { return left().length; } catch { return -1; } };
       while (safely() !== 0 && performance.now() < deadline) await new Promise((r) => setTimeout(r, 20));
       const { output } = await natives.executeShell({ command: "echo alive", sink: {} });
       console.log(JSON.stringify([safely(), output.text]));`,
    );

    const end = await bundle.run(program, { env });

    expect(end).toMatchObject({ code: 0, signal: null, stdout: '[0,"alive\\n"]\n', stderr: "" });
    await until("everything is gone", () => processesWith(name).length === 0);
  });
});
