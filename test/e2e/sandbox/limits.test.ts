/**
 * Limits: what a session may use at most, and that a result says which limit was met.
 */
import { type ResourceLimits, Shell, type ShellRunResult } from "@pi-bash/natives";
import { expect, it, onTestFinished, type TestContext } from "vitest";
import { scratchFolder } from "../../support/scratch.ts";

/** Time for a command that is meant to be ended by a limit; bash tries a refused fork for half a minute. */
const SLOW_MS = 120_000;

/** Runs commands of one session with limits; skips the test where the machine gives no control groups. */
async function limited(test: TestContext, limits: ResourceLimits, ...commands: string[]): Promise<ShellRunResult[]> {
  const shell = new Shell({ cwd: scratchFolder(), limits });
  onTestFinished(() => shell.close());
  const results: ShellRunResult[] = [];
  try {
    for (const command of commands) results.push(await shell.run({ command, timeoutMs: 50_000, sink: {} }));
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    if (code === "PI_LIMITS_UNAVAILABLE") test.skip(`no control groups for this user: ${message}`);
    throw error;
  }
  return results;
}

it("a fork bomb stays within the processes of its session, which goes on", { timeout: SLOW_MS }, async (test) => {
  // Nothing after it forks: bash tries a refused fork again for half a minute.
  const bomb = "mkfifo p; f() { f | f & }; f 2>/dev/null; read -t 2 <>p";
  const [during, after] = await limited(test, { sessionProcesses: 64 }, bomb, "echo alive");

  expect(during?.limitsMet).toEqual(["processes"]);
  expect(after?.output?.text).toContain("alive");
});

it("a command that takes too much memory is killed, and the result says for what", {
  timeout: SLOW_MS,
}, async (test) => {
  const [killed, after] = await limited(
    test,
    { sessionMemoryBytes: 64 * 1024 ** 2 },
    "x=; for i in {1..40}; do x=$x$(head -c 8000000 /dev/zero | tr '\\0' x); done; echo survived",
    "echo alive",
  );

  expect(killed?.limitsMet).toEqual(["memory"]);
  expect(killed?.output?.text).not.toContain("survived");
  expect(after?.output?.text).toContain("alive");
});

it("processor time and the size of files are limited, and reported", { timeout: SLOW_MS }, async (test) => {
  const [cpu] = await limited(test, { cpuSeconds: 1 }, "(while :; do :; done)");
  const [file] = await limited(
    test,
    { fileSizeBytes: 4096 },
    "head -c 100000 /dev/zero > big; exit_code=$?; wc -c < big; (exit $exit_code)",
  );

  expect(cpu).toMatchObject({ exitCode: 152, limitsMet: ["cpu-time"] });
  expect(file).toMatchObject({ exitCode: 153, limitsMet: ["file-size"] });
  expect(file?.output?.text).toMatch(/^4096$/m);
});

it("no core is dumped unless that is asked for, and a limit that is not met is not reported", async (test) => {
  const [result] = await limited(test, { openFiles: 256 }, "ulimit -c; ulimit -n");

  expect(result?.output?.text).toBe("0\n256\n");
  expect(result).not.toHaveProperty("limitsMet");
});
