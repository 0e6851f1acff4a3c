/** What an answer says of how its command ended, and what its details have: only what there is to say. */
import type { BashDetails, ReadOnlyOutcome, SandboxOutcome, SettingsInput } from "@pi-bash/contract";
import type { CommandResult } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import { describeJob, describeResult, type FinishedRun, timeoutDetails } from "../src/describe-result.ts";
import { clampTimeout } from "../src/timeout.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { callOf, resultOf } from "./support/facts.ts";
import { textOf } from "./support/session.ts";

interface Made {
  result?: Partial<CommandResult>;
  call?: Parameters<typeof callOf>[0];
  settings?: SettingsInput;
  run?: Partial<FinishedRun>;
}

function runOf(output: string, { result, call, settings, run }: Made = {}): FinishedRun {
  return { backend: "executor", call: callOf(call, settings), result: resultOf(output, result), ...run };
}

/** The answer's text. */
const said = (output: string, made?: Made): string => textOf(describeResult(runOf(output, made), undefined));

const details = (made: Made): BashDetails | undefined => describeResult(runOf("", made), undefined).details;

/** What is thrown for a run; fails where nothing is. */
function thrownBy(run: FinishedRun, signal?: AbortSignal): ToolError | ToolAbortError {
  try {
    describeResult(run, signal);
  } catch (error) {
    if (error instanceof ToolError || error instanceof ToolAbortError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

const SANDBOX: SandboxOutcome = { mode: "read-only", backend: "bubblewrap", network: false, degraded: [] };
const HELD: ReadOnlyOutcome = { enforced: true, degraded: [], stateDropped: false, refusals: [] };

describe("the text of an answer", () => {
  it("leaves control characters as the command wrote them", () => {
    expect(said("a\u0007b\n")).toBe("a\u0007b");
  });

  it("is the output and nothing else where there is nothing to say", () => {
    expect(said("a\nb\n\n")).toBe("a\nb");
    expect(said("")).toBe("(no output)");
  });

  it("has the status last, and the signal before it", () => {
    expect(said("a\n", { result: { exitCode: 3 } })).toBe("a\n\nCommand exited with code 3");
    expect(said("a\n", { result: { exitCode: 137, signal: "SIGKILL" } })).toBe(
      "a\n\nKilled by SIGKILL\nCommand exited with code 137",
    );
    expect(said("a\n", { result: { exitCode: 0, signal: "SIGKILL" } })).toBe("a");
  });

  it("has the notes in their order", () => {
    const made: Made = {
      call: { rewriteNotices: ["rewritten"], timeout: clampTimeout(99_999) },
      run: { keptNotice: "kept", isClientTruncated: true },
      result: { limitsMet: ["memory"], usage: { userMs: 10, systemMs: 0 }, wallTimeMs: 1_500, exitCode: 1 },
    };
    expect(said("a\n", made).split("\n")).toEqual([
      "…a",
      "",
      "rewritten",
      "kept",
      "(output truncated)",
      "killed: memory limit",
      "Wall time: 1.50 seconds",
      "Used: 0.01 s of processor time",
      "Timeout clamped to 3600s (requested 99999s; allowed range 1-3600s).",
      "Command exited with code 1",
    ]);
  });

  it("has no mark of a cut where a client kept nothing at all", () => {
    expect(said("", { run: { isClientTruncated: true } })).toBe("(no output)\n\n(output truncated)");
  });

  it("has the hint at a question only where no one could answer it", () => {
    const asking = { result: { exitCode: 1 } };
    expect(said("Proceed? (y/N) ", asking)).toContain("It seems to have asked for input");
    for (const backend of ["pty", "client-terminal"] as const)
      expect(said("Proceed? (y/N) ", { ...asking, run: { backend } })).not.toContain("It seems to have asked");
  });

  it("says that a command ran in a copy, but not of one that may run in one", () => {
    const result = { isIsolated: true };
    expect(said("a", { result })).toContain("Another command has the shell, so this one ran in a copy");
    expect(said("a", { result, call: { mayOverlap: true } })).toBe("a");
  });

  it.each<[string, Made, string]>([
    [
      "a folder that it left",
      { result: { workingDir: "/x" } },
      "a\n\nThe command ended in /x; pass `cwd` to run the next one there.",
    ],
    ["the folder that it began in", { result: { workingDir: "/" } }, "a"],
    [
      "a folder that lasts, and was the session's",
      { result: { workingDir: "/x" }, settings: { "bash.directoryPersists": true } },
      "a",
    ],
    [
      "a folder of its own",
      { result: { workingDir: "/x" }, settings: { "bash.directoryPersists": true }, call: { hasOwnFolder: true } },
      "a\n\nThe command ended in /x; pass `cwd` to run the next one there.",
    ],
    [
      "a folder that the session is in now",
      { run: { movedTo: "/x" }, result: { workingDir: "/x" } },
      "a\n\nNow in /x.",
    ],
  ])("says what there is to say of %s", (_, made, text) => {
    expect(said("a", made)).toBe(text);
  });

  it("fits its budget to the byte, and keeps the end of the output", () => {
    const settings = { "bash.outputMaxBytes": 2_000 };
    const short = said(`${"x".repeat(9_000)}end`, { settings });
    expect(Buffer.byteLength(short)).toBe(2_000 + 2_048 - 2);
    expect(short.endsWith("end")).toBe(true);
    const noted = said(`${"x".repeat(9_000)}end`, { settings, result: { wallTimeMs: 10 } });
    expect(Buffer.byteLength(noted)).toBe(2_000 + 2_048);
    expect(noted.endsWith("end\n\nWall time: 0.01 seconds")).toBe(true);
  });
});

describe("the details of an answer", () => {
  it("have nothing that is not known", () => {
    expect(details({})).toStrictEqual({ timeoutSeconds: 60 });
    expect(details({ result: { exitCode: 2 } })).toStrictEqual({ timeoutSeconds: 60, exitCode: 2 });
  });

  it("say whether it is an error by its status", () => {
    expect(describeResult(runOf(""), undefined)).not.toHaveProperty("isError");
    expect(describeResult(runOf("", { result: { exitCode: 1 } }), undefined).isError).toBe(true);
  });

  it.each<[string, Made, BashDetails]>([
    ["the time", { result: { wallTimeMs: 5 } }, { wallTimeMs: 5 }],
    ["the client's terminal", { run: { terminalId: "t" } }, { terminalId: "t" }],
    ["the signal", { result: { signal: "SIGTERM" } }, { signal: "SIGTERM" }],
    ["the place", { result: { place: "ssh:x" } }, { place: "ssh:x" }],
    ["the new shell", { result: { sessionReset: true } }, { sessionReset: true }],
    ["what went with the shell", { result: { lostWithShell: ["jobs"] } }, { lostWithShell: ["jobs"] }],
    ["the folder", { result: { workingDir: "/" } }, { workingDir: "/" }],
    ["limits", { result: { limitsMet: ["memory"] } }, { limitsMet: ["memory"] }],
    ["what it used", { result: { usage: { userMs: 1, systemMs: 2 } } }, { usage: { userMs: 1, systemMs: 2 } }],
    ["the artifact", { result: { artifactId: "abc" } }, { artifactId: "abc" }],
    ["rewrites", { call: { applied: ["x"] } }, { applied: ["x"] }],
    ["withheld names", { result: { withheldNames: ["A"] } }, { withheldNames: ["A"] }],
    ["masked secrets", { result: { masked: { count: 1, names: ["A"] } } }, { masked: { count: 1, names: ["A"] } }],
    ["why nothing is kept", { result: { artifactError: "full" } }, { meta: { artifactError: "full" } }],
    ["a loss", { result: { lost: true } }, { lost: true }],
    ["the sandbox", { result: { sandbox: SANDBOX } }, { sandbox: SANDBOX }],
    ["that it only read", { result: { readOnly: HELD } }, { readOnly: HELD }],
  ])("have %s where it is known, and nothing beside it", (_, made, more) => {
    expect(details(made)).toStrictEqual({ timeoutSeconds: 60, ...more });
  });

  it("have what a text leaves out, beside why the rest is not kept", () => {
    const found = details({ result: { truncated: true, artifactError: "full" } });
    expect(found?.meta).toMatchObject({ truncation: { direction: "tail" }, artifactError: "full" });
    expect(Object.keys(details({ result: { truncated: true } })?.meta ?? {})).toEqual(["truncation"]);
    expect(Object.keys(details({ result: { artifactError: "full" } })?.meta ?? {})).toEqual(["artifactError"]);
  });

  it("have fifty processes that are left at most", () => {
    const survivors = Array.from({ length: 60 }, (_, at) => ({ pid: at + 1, command: "x", startedAtMs: 1 }));
    expect(details({ result: { survivors } })?.survivors).toHaveLength(50);
  });

  it("have what a program asks that waits, where it asks", () => {
    const inputWanted = { pid: 1, program: "x", ended: false };
    const of = (output: string) => describeResult(runOf(output, { result: { inputWanted } }), undefined).details;
    expect(of("Name: ")?.inputWanted).toEqual({ ...inputWanted, prompt: "Name:" });
    expect(of("Name\n")?.inputWanted).toStrictEqual(inputWanted);
  });

  it("have the deadline that was asked for only where another one holds", () => {
    expect(timeoutDetails(callOf())).toStrictEqual({ timeoutSeconds: 60 });
    expect(timeoutDetails(callOf({ timeout: clampTimeout(0) }))).toEqual({
      timeoutSeconds: 1,
      requestedTimeoutSeconds: 0,
    });
  });
});

describe("a command that did not end by itself", () => {
  const aborted = AbortSignal.abort();
  const late = { result: { cancelled: true, timedOut: true } };
  const ended = { result: { cancelled: true } };

  it("is an error for the model, and an abort only where its caller aborted it", () => {
    expect(thrownBy(runOf("a\n", ended))).toBeInstanceOf(ToolError);
    expect(thrownBy(runOf("a\n", ended), new AbortController().signal)).toBeInstanceOf(ToolError);
    expect(thrownBy(runOf("a\n", ended), aborted)).toBeInstanceOf(ToolAbortError);
    expect(thrownBy(runOf("a\n", late), aborted)).toBeInstanceOf(ToolAbortError);
  });

  it("says in its details why, and that an abort wins over a deadline", () => {
    expect(thrownBy(runOf("a\n", ended)).details).toMatchObject({ stopped: "cancelled" });
    expect(thrownBy(runOf("a\n", late)).details).toMatchObject({ stopped: "deadline" });
    expect(thrownBy(runOf("a\n", late), aborted).details).toMatchObject({ stopped: "cancelled" });
    expect(thrownBy(runOf("a\n", { result: { timedOut: true } })).details).toMatchObject({ stopped: "deadline" });
  });

  it.each<[string, Made, AbortSignal | undefined, string]>([
    ["by the executor, whose text says it", late, undefined, "a"],
    [
      "in a terminal at its deadline",
      { ...late, run: { backend: "pty" } },
      undefined,
      "a\n\nCommand timed out after 60 seconds",
    ],
    [
      "in a terminal after a second",
      { ...late, run: { backend: "pty" }, call: { timeout: clampTimeout(1) } },
      undefined,
      "a\n\nCommand timed out after 1 second",
    ],
    ["in a terminal by its caller", { ...ended, run: { backend: "pty" } }, aborted, "a\n\n[Command aborted]"],
    [
      "in a terminal by its caller at its deadline",
      { ...late, run: { backend: "pty" } },
      aborted,
      "a\n\n[Command aborted]",
    ],
    ["with its connection", { run: { backend: "pty" }, result: { ...late.result, lost: true } }, undefined, "a"],
  ])("%s has its output in the message", (_, made, signal, message) => {
    expect(thrownBy(runOf("a\n", made), signal).message).toBe(message);
  });

  it("in a terminal without output says only that it was aborted", () => {
    expect(thrownBy(runOf("", { ...ended, run: { backend: "pty" } })).message).toBe("Command aborted");
    expect(thrownBy(runOf("", { ...late, run: { backend: "pty" } })).message).toContain("(no output)\n\nCommand timed");
  });

  it("and of which nothing is known is an error with what it wrote", () => {
    const { exitCode: _, ...unknown } = runOf("a\n").result;
    const error = thrownBy({ ...runOf("a\n"), result: unknown });
    expect(error.message).toBe("a\n\nCommand failed: missing exit status");
    expect(error.details).toEqual({ timeoutSeconds: 60 });
    const full = "x".repeat(2_000 + 2_048);
    const long = thrownBy({
      ...runOf(full, { settings: { "bash.outputMaxBytes": 2_000 } }),
      result: { ...unknown, output: full },
    });
    expect(long.message).toBe(`${full.slice(2)}\n\nCommand failed: missing exit status`);
  });

  it("and was stopped in a terminal has the most output that settings allow, and its facts", () => {
    const settings = { "bash.outputMaxBytes": 200_000 };
    const output = "x".repeat(150_000);
    for (const [made, signal] of [
      [ended, aborted],
      [ended, undefined],
      [late, undefined],
    ] as const) {
      const error = thrownBy(runOf(output, { ...made, settings, run: { backend: "pty" } }), signal);
      expect(error.message.startsWith(output)).toBe(true);
      expect(error.details).toMatchObject({ timeoutSeconds: 60 });
    }
    const silent = thrownBy(runOf("", { ...ended, run: { backend: "pty" } }));
    expect(silent.details).toEqual({ timeoutSeconds: 60, stopped: "cancelled" });
  });
});

describe("the text of a job", () => {
  it("has a status only where the command ended by itself", () => {
    expect(describeJob(runOf("a\n", { result: { exitCode: 2 } }))).toBe("a\n\nCommand exited with code 2");
    expect(describeJob(runOf("a\n", { result: { exitCode: 2, cancelled: true } }))).toBe("a");
    expect(describeJob(runOf("a\n", { result: { exitCode: 2, timedOut: true } }))).toBe("a");
    const { exitCode: _, ...unknown } = runOf("a\n").result;
    expect(describeJob({ ...runOf("a\n"), result: unknown })).toBe("a");
  });
});
