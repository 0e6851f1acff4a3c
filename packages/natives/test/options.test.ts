/** Bad input: a typed error that names the thing, before anything is spawned, and the session stays usable. */
import { describe, expect, it } from "vitest";
import {
  executeShell,
  MAX_TIMEOUT_MS,
  minimizeOutput,
  OutputSink,
  Shell,
  ShellError,
  type ShellOptions,
  type ShellRunOptions,
} from "../src/index.ts";

/** Values that TypeScript refuses and JavaScript lets through. */
type Wrong = Record<string, unknown>;

const RUNS: [title: string, options: Wrong, code: string, named: string][] = [
  ["a command that is missing", {}, "PI_INVALID_OPTION", "`command`"],
  ["a command that is a number", { command: 7 }, "PI_INVALID_OPTION", "`command`"],
  ["a command with a NUL", { command: "echo a\0b" }, "PI_NUL_IN_COMMAND", "offset 6"],
  ["a timeout of NaN", { command: "x", timeoutMs: Number.NaN }, "PI_INVALID_OPTION", "`timeoutMs`"],
  ["a negative timeout", { command: "x", timeoutMs: -1 }, "PI_INVALID_OPTION", "`timeoutMs`"],
  ["an infinite timeout", { command: "x", timeoutMs: Number.POSITIVE_INFINITY }, "PI_INVALID_OPTION", "`timeoutMs`"],
  ["a huge timeout", { command: "x", timeoutMs: MAX_TIMEOUT_MS + 1 }, "PI_INVALID_OPTION", "`timeoutMs`"],
  ["a timeout that is text", { command: "x", timeoutMs: "5" }, "PI_INVALID_OPTION", "`timeoutMs`"],
  [
    "a directory that is missing",
    { command: "x", cwd: "/nope/nope" },
    "PI_MISSING_CWD",
    "Working directory does not exist: /nope/nope",
  ],
  ["a directory that is a file", { command: "x", cwd: "/etc/passwd" }, "PI_CWD_NOT_A_DIRECTORY", "/etc/passwd"],
  ["a directory with a NUL", { command: "x", cwd: "/tmp\0x" }, "PI_INVALID_OPTION", "`cwd`"],
  ["a variable that is not a name", { command: "x", env: { "A B": "1" } }, "PI_INVALID_ENV", "`A B`"],
  ["a variable without a name", { command: "x", env: { "": "1" } }, "PI_INVALID_ENV", "``"],
  ["a variable that is a number", { command: "x", env: { A: 1 } }, "PI_INVALID_ENV", "`A`"],
  ["a variable with a NUL", { command: "x", env: { A: "b\0c" } }, "PI_INVALID_ENV", "`A`"],
  ["an environment that is a list", { command: "x", env: ["A=1"] }, "PI_INVALID_OPTION", "`env`"],
  ["a signal that is none", { command: "x", signal: {} }, "PI_INVALID_OPTION", "`signal`"],
  ["an unknown concurrency", { command: "x", concurrency: "parallel" }, "PI_INVALID_OPTION", "`concurrency`"],
  ["a `readOnly` that is text", { command: "x", readOnly: "true" }, "PI_INVALID_OPTION", "`readOnly`"],
  ["a `usage` that is a number", { command: "x", usage: 1 }, "PI_INVALID_OPTION", "`usage`"],
  ["a window of NaN", { command: "x", sink: { maxBytes: Number.NaN } }, "PI_INVALID_OPTION", "`sink.maxBytes`"],
  ["a window of a fraction", { command: "x", sink: { maxBytes: 1.5 } }, "PI_INVALID_OPTION", "`sink.maxBytes`"],
  ["a negative head", { command: "x", sink: { headBytes: -1 } }, "PI_INVALID_OPTION", "`sink.headBytes`"],
  ["a window of a gigabyte", { command: "x", sink: { maxBytes: 2 ** 30 } }, "PI_INVALID_OPTION", "`sink.maxBytes`"],
  ["a relative spill file", { command: "x", sink: { spillPath: "out.log" } }, "PI_INVALID_OPTION", "`sink.spillPath`"],
  ["an update callback that is none", { command: "x", sink: { onUpdate: 1 } }, "PI_INVALID_OPTION", "`sink.onUpdate`"],
  ["a sink that is none", { command: "x", sink: "yes" }, "PI_INVALID_OPTION", "`sink`"],
];

const SESSIONS: [title: string, options: Wrong, code: string, named: string][] = [
  ["a shell that is a number", { shell: 1 }, "PI_INVALID_OPTION", "`shell`"],
  ["a session variable that is not a name", { sessionEnv: { "1A": "" } }, "PI_INVALID_ENV", "`1A`"],
  ["a limit of NaN", { limits: { openFiles: Number.NaN } }, "PI_INVALID_OPTION", "`limits.openFiles`"],
  ["a negative limit", { limits: { cpuSeconds: -1 } }, "PI_INVALID_OPTION", "`limits.cpuSeconds`"],
];

const SHELLS: [title: string, path: string][] = [
  ["missing", "/nope/bash"],
  ["a folder", "/tmp"],
  ["not executable", "/etc/passwd"],
  ["no shell at all", "/bin/true"],
];

async function errorOf(promise: Promise<unknown>): Promise<ShellError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ShellError) return error;
  throw new Error(`no ShellError but ${String(error)}`);
}

describe("bad input", () => {
  it("is refused by a session with a typed error that names it, and the session goes on", async () => {
    await using shell = new Shell();
    for (const [title, options, code, named] of RUNS) {
      const error = await errorOf(shell.run(options as unknown as ShellRunOptions));

      expect(error.code, title).toBe(code);
      expect(error.message, title).toContain(named);
    }

    expect((await shell.run({ command: "true" })).exitCode).toBe(0);
  });

  it.each(RUNS)("is refused by a one-shot: %s", async (_, options, code, named) => {
    const error = await errorOf(executeShell(options as unknown as ShellRunOptions));

    expect(error.code).toBe(code);
    expect(error.message).toContain(named);
  });

  it.each(SESSIONS)("is refused when a session is made or first used: %s", async (_, options, code, named) => {
    const make = async () => {
      await using shell = new Shell(options as ShellOptions);
      await shell.run({ command: "true" });
    };

    const error = await errorOf(make());

    expect(error.code).toBe(code);
    expect(error.message).toContain(named);
  });

  it.each(SHELLS)("RS-04 a shell that is %s is named", async (_, path) => {
    const error = await errorOf(executeShell({ shell: path, command: "true" }));

    expect(error.code).toBe("PI_UNUSABLE_SHELL");
    expect(error.message).toContain(path);
  });

  it("refuses a callback that is not a function", async () => {
    const error = await errorOf(executeShell({ command: "true" }, "print" as unknown as () => void));

    expect(error.message).toContain("`onChunk`");
  });

  it("takes a timeout of 0 for the shortest there is, not for none", async () => {
    const result = await executeShell({ command: "sleep 30", timeoutMs: 0 });

    expect(result.timedOut).toBe(true);
    expect(result.exitCode).toBeUndefined();
  });

  it("takes an empty command for one that does nothing", async () => {
    expect((await executeShell({ command: "" })).exitCode).toBe(0);
  });

  it("takes a command of 300 KB", async () => {
    const word = "x".repeat(300_000);

    const result = await executeShell({ command: `printf '%s' '${word}' | wc -c`, sink: {} });

    expect(result.output?.text.trim()).toBe("300000");
  });

  it("is refused by a sink and by the minimizer as well", () => {
    expect(() => new OutputSink({ maxBytes: -1 })).toThrow(/`maxBytes`/);
    expect(() => new OutputSink().push(7 as unknown as string)).toThrow(/`chunk`/);
    expect(() => minimizeOutput("ls", 7 as unknown as string, 0)).toThrow(/`output`/);
    expect(() => minimizeOutput("ls", "", Number.NaN)).toThrow(/`exitCode`/);
    expect(() => minimizeOutput("ls", "", 0, { only: "git" as unknown as string[] })).toThrow(/`only`/);
  });
});
