/** A program on a task's terminal, by the executor: its result, and what became of its files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { OpenTerminalOptions } from "../src/tty/open-terminal.ts";
import { real } from "./support/real.ts";

function scene(more: Parameters<typeof real>[0] = {}) {
  const { executor, folder } = real({ usesSnapshot: false, ...more });
  const run = (command: string, options: Partial<OpenTerminalOptions> = {}) =>
    executor.runOnTerminal(command, {
      cwd: folder,
      timeoutMs: 30_000,
      signal: new AbortController().signal,
      maxBytes: 1_000,
      onUpdate: () => undefined,
      onOpen: () => undefined,
      ...options,
    });
  return { run, folder, executor };
}

describe.skipIf(process.platform === "win32")("a program on a task's terminal (needs pseudoterminals)", () => {
  it("answers with its screen, its exit code and the addresses of its files", async () => {
    const { run, folder } = scene();
    const [artifact, record] = [
      { id: "a", path: join(folder, "a.log") },
      { id: "r", path: join(folder, "r.cast") },
    ];

    const result = await run(String.raw`test -t 0 && printf '10%%\r100%%\n'; exit 4`, { artifact, record });

    expect(result).toMatchObject({ output: "100%\n", exitCode: 4, cancelled: false, truncated: false, recordId: "r" });
    expect(result).toMatchObject({ artifactId: "a", totalLines: 1, totalBytes: 5 });
    for (const absent of ["recordError", "artifactError"]) expect(result).not.toHaveProperty(absent);
    expect(readFileSync(artifact.path, "utf8")).toBe("10%\r100%\r\n");
    expect(readFileSync(record.path, "utf8")).toContain('"o"');
  });

  it("says why its files could not be written, and runs all the same", async () => {
    const { run, folder } = scene();
    const [artifact, record] = [
      { id: "a", path: join(folder, "missing", "a.log") },
      { id: "r", path: join(folder, "missing", "r.cast") },
    ];

    const result = await run("echo ran", { artifact, record });

    expect(result).toMatchObject({ output: "ran\n", exitCode: 0, recordId: "r" });
    expect(result.recordError).toContain("r.cast");
    expect(result.artifactError).toContain("a.log");
    expect(result).not.toHaveProperty("artifactId");
  });

  it("names no files where none are wanted", async () => {
    const result = await scene().run("echo ran");

    for (const absent of ["recordId", "recordError", "artifactId", "artifactError"]) {
      expect(result).not.toHaveProperty(absent);
    }
  });

  it("gives the end of what was on the screen within the bound, and says how much there was", async () => {
    const result = await scene().run("seq 1 500", { maxBytes: 100 });

    expect(result).toMatchObject({ truncated: true, totalLines: 500, totalBytes: 1_892 });
    expect(result.output.endsWith("\n499\n500\n")).toBe(true);
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(100);
    expect(result.outputBytes).toBe(Buffer.byteLength(result.output));
  });

  it("is not started where the executor is disposed of or limits are set", async () => {
    const limited = scene({ settings: { limits: { openFiles: 100 } } });
    await expect(limited.run("echo ran")).rejects.toMatchObject({ code: "PI_TERMINAL_UNAVAILABLE" });

    const { run, executor } = scene();
    await executor.dispose();
    await expect(run("echo ran")).rejects.toThrow("executor is disposed");
  });
});
