/** What a host can do to programs on terminals, and they to it: processes of their own, because a test is none. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, describe, expect, it } from "vitest";
import { createChildBundle } from "./child-bundle.ts";
import { processesWith, until } from "./waiting.ts";

const bundle = createChildBundle();
afterAll(() => bundle.dispose());

/** Longest life of a host, in milliseconds. */
const HOST_MS = 45_000;

/** Gives the rest of its command line a `/dev/pts` with room for one terminal; no one else sees it. */
const ONE_TERMINAL = `mount -t devpts -o newinstance,ptmxmode=0666,max=1 devpts /dev/pts &&
  mount --bind /dev/pts/ptmx /dev/ptmx && exec "$0" "$@"`;

/** Mounting takes a privilege that a container may not give, and Linux. */
const canMount =
  process.platform === "linux" &&
  spawnSync("unshare", ["-m", "sh", "-c", ONE_TERMINAL, "true"], { stdio: "ignore" }).status === 0;

/** Runs a program of the bundle behind other words. */
async function runBehind(words: [string, ...string[]], path: string): Promise<{ code: number | null; stdout: string }> {
  const [first, ...rest] = words;
  const child = spawn(first, [...rest, process.execPath, path], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: HOST_MS,
    killSignal: "SIGKILL",
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout };
}

describe("a host", () => {
  it("PY-04 that ignores SIGINT starts programs that do not", async () => {
    const program = bundle.program(
      "ignored-interrupt",
      `const session = new natives.PtySession();
       let text = "";
       const end = session.start({ command: "echo ready; exec sleep 300" }, (_error, chunk) => {
         if (!text.includes("ready") && (text += chunk).includes("ready")) session.write("\\x03");
       });
       const { exitCode, signal } = await end;
       console.log(exitCode, signal);`,
    );

    expect(await runBehind(["sh", "-c", `trap '' INT; exec "$0" "$@"`], program)).toEqual({
      code: 0,
      stdout: "130 SIGINT\n",
    });
  });

  // Elsewhere there is no instance of the terminals of one's own, and the machine's must not be used up.
  it.skipIf(!canMount)("PY-09 without a free terminal gets an error that says so, and works again", async () => {
    const program = bundle.program(
      "no-terminal",
      `const first = new natives.PtySession();
       const second = new natives.PtySession();
       let isUp;
       const up = new Promise((resolve) => { isUp = resolve; });
       const end = first.start({ command: "echo up; sleep 300" }, () => isUp());
       await up;
       const refused = await second.start({ command: "true" }).catch((error) => error);
       first.kill();
       await end;
       const { exitCode } = await second.start({ command: "true" });
       console.log(JSON.stringify([refused.code, refused.message, exitCode]));`,
    );
    const { code, stdout } = await runBehind(["unshare", "-m", "sh", "-c", ONE_TERMINAL], program);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(["PI_PTY_OPEN", "Failed to open PTY: No space left on device (os error 28)", 0]);
  });

  it("that is killed takes its programs along", async () => {
    const program = bundle.program(
      "killed",
      `const session = new natives.PtySession();
       const env = { MARK: "pty-host-killed" };
       await session.start({ command: "trap '' HUP; setsid sleep 300 & echo up; sleep 300", env }, () => {
         process.kill(process.pid, "SIGKILL");
       });`,
    );

    expect((await bundle.run(program)).signal).toBe("SIGKILL");
    await until("no program left", () => processesWith("MARK=pty-host-killed").length === 0);
  });

  it("is reported once of callbacks that fail, and gets the rest of the output", async () => {
    const program = bundle.program(
      "failing-callbacks",
      `process.on("warning", ({ code }) => console.log(code));
       let length = 0;
       const { exitCode } = await new natives.PtySession().start({ command: "seq 1 20000" }, (_error, chunk) => {
         length += chunk.length;
         throw new Error("a listener's own");
       }, () => { throw new Error("another's"); });
       console.log(exitCode, length);`,
    );
    const { code, stdout } = await bundle.run(program);

    expect(code).toBe(0);
    expect(stdout.split("\n").sort()).toEqual(["", "0 128894", "PI_CALLBACK_FAILED", "PI_CALLBACK_FAILED"]);
  });

  it("ends when its program has, and not before", async () => {
    const program = bundle.program(
      "alive",
      `void new natives.PtySession().start({ command: "sleep 0.3; echo late" }, (_error, chunk) => process.stdout.write(chunk));`,
    );

    expect(await bundle.run(program)).toMatchObject({ code: 0, stdout: "late\r\n" });
  });
});

describe("a worker", () => {
  it("that is terminated takes its programs along", async () => {
    const worker = bundle.program(
      "worker",
      `import { parentPort } from "node:worker_threads";
       const env = { MARK: "pty-worker" };
       void new natives.PtySession().start({ command: "echo up; sleep 300", env }, () => parentPort.postMessage("up"));`,
    );
    const program = bundle.program(
      "terminates",
      `import { once } from "node:events";
       import { Worker } from "node:worker_threads";
       const worker = new Worker(${JSON.stringify(worker)});
       await once(worker, "message");
       await worker.terminate();
       console.log((await new natives.PtySession().start({ command: "exit 5" })).exitCode);`,
    );

    expect(await bundle.run(program)).toMatchObject({ code: 0, stdout: "5\n", stderr: "" });
    await until("no program left", () => processesWith("MARK=pty-worker").length === 0);
  });
});
