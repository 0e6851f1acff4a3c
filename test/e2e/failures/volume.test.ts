/**
 * Theme F of the failure cases: much output, little memory, and a spill file in bad company.
 *
 * VO-12 is about background jobs and is not here.
 */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createExecutor } from "@pi-bash/executor";
import { executeShell } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Report } from "../../programs/run-commands.ts";
import { startHost } from "../../support/host.ts";
import { until, within } from "../../support/patience.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { one, openSession } from "../../support/session.ts";

/** What the sink keeps by default, in bytes. */
const WINDOW_BYTES = 51_200;

describe("much output", () => {
  it("VO-01 of a command that prints for ever stops at the timeout, in bounded memory and a bounded file", async () => {
    const spillPath = join(scratchFolder(), "output");
    const spillMaxBytes = 5_000_000;
    const before = process.memoryUsage.rss();

    const result = await executeShell({ command: "yes", timeoutMs: 2_000, sink: { spillPath, spillMaxBytes } });

    expect(result).toMatchObject({ timedOut: true, output: { truncated: true } });
    expect(result.output?.totalBytes).toBeGreaterThan(spillMaxBytes);
    expect(statSync(spillPath).size).toBeLessThanOrEqual(spillMaxBytes + 200);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 2 ** 20);
  });

  it("VO-04 in tiny writes comes to an agent in few pieces, and none is lost", async () => {
    const executor = createExecutor({}, { usesSnapshot: false });
    onTestFinished(() => executor.dispose());
    const chunks: string[] = [];

    const result = await executor.executeBash("for i in $(seq 20000); do printf x; done", {
      onChunk: (chunk) => void chunks.push(chunk),
    });

    expect(result.totalBytes).toBe(20_000);
    expect(chunks.join("")).toBe("x".repeat(20_000));
    expect(chunks.length).toBeLessThanOrEqual(200);
  });

  it("VO-08 of exactly the window is whole and has no file", async () => {
    const spillPath = join(scratchFolder(), "output");

    const result = await executeShell({ command: bytes(WINDOW_BYTES), sink: { spillPath } });

    expect(result.output).toMatchObject({ truncated: false, totalBytes: WINDOW_BYTES, spilled: false });
    expect(existsSync(spillPath)).toBe(false);
  });

  it("VO-08 of one byte more is truncated, and the file has it from the first byte", async () => {
    const spillPath = join(scratchFolder(), "output");

    const result = await executeShell({ command: `printf A; ${bytes(WINDOW_BYTES)}`, sink: { spillPath } });

    expect(result.output).toMatchObject({ truncated: true, totalBytes: WINDOW_BYTES + 1, spilled: true });
    expect(readFileSync(spillPath, "utf8")).toBe(`A${"z".repeat(WINDOW_BYTES)}`);
  });

  it("VO-08 of the window that ends inside a character is whole", async () => {
    const command = `${bytes(WINDOW_BYTES - 2)}; printf '\\xf0\\x9f'`;

    const result = await executeShell({ command, sink: {} });

    expect(result.output).toMatchObject({ totalBytes: WINDOW_BYTES });
    expect(result.output?.text.endsWith("z\uFFFD")).toBe(true);
  });

  it("VO-11 of many commands leaves memory and descriptors as they were", async () => {
    const command = "head -c 1000000 /dev/zero | tr '\\0' z";
    const run = async () => {
      const { totalBytes } = await one(command);
      expect(totalBytes).toBe(1_000_000);
    };
    for (let round = 0; round < 30; round += 1) await run();
    const before = { resident: process.memoryUsage.rss(), descriptors: readdirSync("/proc/self/fd").length };

    for (let round = 0; round < 200; round += 1) await run();

    // The runner's own descriptors come and go by a few.
    await until("the descriptors", () => readdirSync("/proc/self/fd").length <= before.descriptors + 10);
    expect(process.memoryUsage.rss() - before.resident).toBeLessThan(60 * 2 ** 20);
  });

  it("that is slow to read does not cost a session the command's status", async () => {
    const { run } = openSession();
    const sink = { plainText: true };

    for (let round = 0; round < 4; round += 1) {
      const result = await run("head -c 60M /dev/zero; (exit 3)", { sink });
      expect(result).toMatchObject({ exitCode: 3, sessionReset: false, totalBytes: 60 * 2 ** 20 });
    }
  });

  it("VO-14 on standard error is in the same window", async () => {
    const result = await one("seq 1 500000 >&2; echo out");

    expect(result).toMatchObject({ exitCode: 0, truncated: true, totalBytes: 3_388_895 + "out\n".length });
    expect(result.text.endsWith("500000\nout\n")).toBe(true);
  });
});

describe("a spill file", () => {
  it.each([
    ["in a folder that is missing", (folder: string) => join(folder, "missing", "output")],
    [
      "in a folder that is a file",
      (folder: string) => {
        writeFileSync(join(folder, "file"), "");
        return join(folder, "file", "output");
      },
    ],
    // Root writes into every folder, but not into `/proc`.
    ["in a folder that takes none", () => "/proc/self/output"],
  ])("VO-06 %s costs the file and not the run", async (_where, place) => {
    const spillPath = place(scratchFolder());

    const result = await executeShell({ command: "seq 1 50000; echo end", sink: { spillPath } });

    expect(result).toMatchObject({ exitCode: 0, output: { truncated: true, spilled: false } });
    expect(result.output?.spillError).toBeTypeOf("string");
    expect(result.output?.text.endsWith("end\n")).toBe(true);
  });

  it("VO-06 whose folder is removed in mid-run costs the file at most", async () => {
    const folder = join(scratchFolder(), "artifacts");
    mkdirSync(folder);
    const spillPath = join(folder, "output");
    const go = join(scratchFolder(), "go");
    const command = `seq 1 50000; until [ -e ${go} ]; do sleep 0.02; done; seq 1 50000; echo end`;

    const running = executeShell({ command, sink: { spillPath } });
    await until("the file", () => existsSync(spillPath));
    rmSync(folder, { recursive: true });
    writeFileSync(go, "");
    const result = await within("the run", running);

    expect(result).toMatchObject({ exitCode: 0, output: { truncated: true } });
    expect(result.output?.text.endsWith("end\n")).toBe(true);
  });

  it("VO-13 on a disk that does not take the bytes holds the command back, not the bytes", async () => {
    const folder = scratchFolder();
    const gate = join(folder, "gate");
    // A FIFO is the slowest disk there is. The runtime may refuse it or wait for it; it may not collect.
    spawnSync("mkfifo", [gate]);
    // One process, so that its end leaves none.
    const reader = spawn("sh", ["-c", `sleep 1; exec cat ${gate} >/dev/null`], { stdio: "ignore" });
    onTestFinished(() => void reader.kill("SIGKILL"));
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 20);

    const result = await executeShell({
      command: "head -c 300M /dev/zero",
      sink: { spillPath: gate, plainText: false },
    });
    clearInterval(watch);

    expect(result).toMatchObject({ exitCode: 0, output: { truncated: true, totalBytes: 300 * 2 ** 20 } });
    expect(most - before).toBeLessThan(100 * 2 ** 20);
  });

  // A file system of a given size needs a mount namespace, which not every container allows.
  it.skipIf(spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status !== 0)(
    "VO-07 has no part in running a command when the temporary folder is full (needs unshare -m)",
    async () => {
      const temporary = scratchFolder();
      chmodSync(temporary, 0o777);
      const command = "df $TMPDIR | tail -1 | grep -o '100%'; echo ok";
      const script = `mount -t tmpfs -o size=64k tmpfs ${temporary} && (cat /dev/zero > ${temporary}/full 2>/dev/null; exec "$@")`;

      const host = startHost("run-commands", {
        args: ["session", JSON.stringify([{ command, sink: {} }])],
        wrapper: ["unshare", "-m", "sh", "-c", script, "sh"],
        env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", TMPDIR: temporary },
      });
      await host.ended();

      const [report] = JSON.parse(host.stdout().slice(host.stdout().indexOf("["))) as Report[];
      expect(report).toMatchObject({ exitCode: 0, output: { text: "100%\nok\n" } });
    },
  );
});

/** A command that prints `count` letters. */
function bytes(count: number): string {
  return `head -c ${count} /dev/zero | tr '\\0' z`;
}
