/** What can hold a call that only reads, and how often such a call runs: once, or once more where that was approved. */
import type { ReadOnlyEnforced, SettingsInput } from "@pi-bash/contract";
import { Settings } from "@pi-bash/contract";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { CallPermit, PreparedCall } from "../../src/prepared-call.ts";
import { holdOf } from "../../src/read-only/call-reading.ts";
import { readOnlyOutcome, withFirstOutput } from "../../src/read-only/read-only-notice.ts";
import { runHeld } from "../../src/read-only/run-held.ts";
import type { BashToolSession } from "../../src/session.ts";
import { ToolError } from "../../src/tool-error.ts";
import { callOf, resultOf } from "../support/facts.ts";
import { thrown } from "../support/session.ts";

const REFUSALS: ReadOnlyEnforced["refusals"] = [{ kind: "read-only-path", path: "x", evidence: "…" }];
const HELD: ReadOnlyEnforced = { enforced: true, degraded: [], stateDropped: false, refusals: [] };
const REFUSED = { ...HELD, refusals: REFUSALS };
const ASK: SettingsInput = { "readOnly.onRefusal": "ask" };
const PERMIT: CallPermit = { env: { A: "b" }, mayOverlap: false, reading: undefined };

/** A confined call, and what is judged of it. */
function confined(judge: PreparedCall["judge"], settings = ASK): PreparedCall {
  return callOf({ command: "cat x", reading: { kind: "confined" }, judge }, settings);
}

/** Runs a call whose runs come to these results in turn; an error is thrown. */
async function held(call: PreparedCall, ...ends: (Parameters<typeof resultOf>[1] | Error)[]) {
  const runs: PreparedCall[] = [];
  const ended = await runHeld(call, async (once) => {
    runs.push(once);
    const end = ends[runs.length - 1];
    if (end instanceof Error) throw end;
    return { kind: "ended" as const, run: { call: once, result: resultOf("out", end), backend: "executor" as const } };
  });
  return { runs, run: ended.run, result: ended.run.result };
}

const unasked: PreparedCall["judge"] = () => Promise.reject(new Error("it was asked about"));

/** A question whose answer is a refusal. */
const refuses = (by: "approval" | "policy"): PreparedCall["judge"] => {
  const refusal = { by, class: "not-readonly" as const, reasons: [], suggestedRules: [], display: "" };
  return () => Promise.reject(new ToolError("no", { details: { refusal } }));
};

describe("a call that is not held", () => {
  it.each([undefined, { kind: "unheld", reason: "x" }, { kind: "approved", first: REFUSED }] as const)(
    "runs once, whatever it was refused: %j",
    async (reading) => {
      const { runs } = await held(callOf({ reading, judge: unasked }, ASK), { readOnly: REFUSED });
      expect(runs).toHaveLength(1);
    },
  );
});

describe("a held call", () => {
  it.each<[string, SettingsInput, Parameters<typeof resultOf>[1]]>([
    ["that was refused nothing", ASK, { readOnly: HELD }],
    ["that nothing held after all", ASK, { readOnly: { enforced: false, reason: "x" } }],
    ["of which nothing is known", ASK, {}],
    ["that was ended", ASK, { readOnly: REFUSED, cancelled: true }],
    ["whose settings ask for a report", {}, { readOnly: REFUSED }],
  ])("%s runs once, and no one is asked", async (_, settings, end) => {
    const { runs, result } = await held(confined(unasked, settings), end);
    expect(runs).toHaveLength(1);
    expect(result.readOnly).toEqual(end?.readOnly);
  });

  it("that goes on in the background is not asked about", async () => {
    const end = { kind: "backgrounded" as const };
    expect(await runHeld<typeof end>(confined(unasked), async () => end)).toBe(end);
  });

  it("that is approved runs again where it can write, and has its first run beside it", async () => {
    const asked: unknown[] = [];
    const call = confined(async (question) => {
      asked.push(question);
      return PERMIT;
    });
    const { runs, result, run } = await held(
      call,
      { readOnly: REFUSED, exitCode: 1, output: "é".repeat(3_000) },
      { exitCode: 0 },
    );
    expect(asked).toStrictEqual([
      {
        unconfined: true,
        doubts: [
          {
            code: "refused-read-only",
            severity: "write",
            message: "it ran read-only, and by what it printed it was refused: writing (`x`)",
            span: { start: 0, end: 0 },
          },
        ],
      },
    ]);
    const first = { ...REFUSED, answer: "approved", firstRun: { exitCode: 1, output: "é".repeat(2_048) } };
    expect(runs[1]).toMatchObject({ ...PERMIT, reading: { kind: "approved", first } });
    expect(run.call.rewriteNotices).toStrictEqual([
      "It ran read-only first and was refused: writing (`x`). It was approved, and ran again where it can write.",
    ]);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result).not.toHaveProperty("survivors");
  });

  it("reports what its first run has left and still runs, before what the second one left", async () => {
    const process_ = (pid: number) => ({ pid, command: "x", startedAtMs: 1 });
    const alive = process_(process.pid);
    // No system gives such a number to a process.
    const gone = process_(2 ** 30);
    const call = confined(async () => PERMIT);
    const both = await held(call, { readOnly: REFUSED, survivors: [gone, alive] }, { survivors: [process_(7)] });
    expect(both.result.survivors).toEqual([alive, process_(7)]);
    const one = await held(call, { readOnly: REFUSED, survivors: [alive] }, {});
    expect(one.result.survivors).toEqual([alive]);
    const none = await held(call, { readOnly: REFUSED, survivors: [gone] }, {});
    expect(none.result).not.toHaveProperty("survivors");
  });

  it("reports what its first run has left as another user's, which cannot be asked for", async () => {
    const kill = vi.spyOn(process, "kill");
    onTestFinished(() => kill.mockRestore());
    const left = { pid: 2 ** 30, command: "x", startedAtMs: 1 };
    for (const [code, isReported] of [
      ["EPERM", true],
      ["ESRCH", false],
    ] as const) {
      kill.mockImplementationOnce(() => {
        throw Object.assign(new Error(code), { code });
      });
      const { result } = await held(
        confined(async () => PERMIT),
        { readOnly: REFUSED, survivors: [left] },
        {},
      );
      expect(result.survivors ?? []).toEqual(isReported ? [left] : []);
    }
  });

  it("that goes on in the background when it runs again is not waited for", async () => {
    const backgrounded = { kind: "backgrounded" as const };
    const run = { call: callOf(), result: resultOf("", { readOnly: REFUSED }), backend: "executor" as const };
    const ends = [{ kind: "ended" as const, run }, backgrounded];
    expect(
      await runHeld(
        confined(async () => PERMIT),
        async () => ends.shift() ?? backgrounded,
      ),
    ).toBe(backgrounded);
  });

  it("has no status of its first run where that had none", async () => {
    const unknown = { readOnly: REFUSED, exitCode: undefined } as unknown as Parameters<typeof resultOf>[1];
    const { runs } = await held(
      confined(async () => PERMIT),
      unknown,
      {},
    );
    expect(runs[1]?.reading).toMatchObject({ first: { firstRun: { output: "out" } } });
    expect(runs[1]?.reading?.kind === "approved" && Object.keys(runs[1].reading.first.firstRun ?? {})).toEqual([
      "output",
    ]);
  });

  it("that is not approved keeps its result, which says so", async () => {
    const { runs, result, run } = await held(confined(refuses("approval")), { readOnly: REFUSED });
    expect(runs).toHaveLength(1);
    expect(result.readOnly).toStrictEqual({ ...REFUSED, answer: "denied" });
    expect(run.call.rewriteNotices).toEqual([]);
  });

  it("keeps its result as it is where no one was asked", async () => {
    const keepsReading = async (): Promise<CallPermit> => ({ ...PERMIT, reading: { kind: "confined" } });
    for (const judge of [refuses("policy"), keepsReading]) {
      const { runs, result } = await held(confined(judge), { readOnly: REFUSED });
      expect(runs).toHaveLength(1);
      expect(result.readOnly).toEqual(REFUSED);
    }
  });

  it("whose question fails otherwise fails", async () => {
    const aborted = () => Promise.reject(new ToolError("aborted"));
    expect((await thrown(held(confined(aborted), { readOnly: REFUSED }))).message).toBe("aborted");
    const broken = () => Promise.reject(new Error("broken"));
    await expect(held(confined(broken), { readOnly: REFUSED })).rejects.toThrow("broken");
  });

  it("that cannot be confined is judged again without a word on it, and runs as it may", async () => {
    const cause = Object.assign(new Error("no"), { code: "PI_READ_ONLY_UNAVAILABLE" });
    for (const error of [cause, new ToolError("no", { cause })]) {
      const asked: unknown[] = [];
      const call = confined(async (question) => {
        asked.push(question);
        return PERMIT;
      });
      const { runs } = await held(call, error, {});
      expect(asked).toStrictEqual([{}]);
      expect(runs).toHaveLength(2);
      expect(runs[1]).toMatchObject(PERMIT);
    }
  });

  it("that fails for another reason fails", async () => {
    const errors = [new ToolError("x"), new Error("x"), Object.assign(new Error("x"), { code: "PI_MISSING_CWD" })];
    for (const error of errors) await expect(held(confined(unasked), error)).rejects.toBe(error);
  });
});

describe("what is known of how a call was held", () => {
  it("is what its run says, unless it was not held, or held before", () => {
    expect(readOnlyOutcome({ readOnly: HELD }, undefined)).toBe(HELD);
    expect(readOnlyOutcome({ readOnly: HELD }, { kind: "confined" })).toBe(HELD);
    expect(readOnlyOutcome({}, { kind: "unheld", reason: "x" })).toStrictEqual({ enforced: false, reason: "x" });
    expect(readOnlyOutcome({}, { kind: "approved", first: REFUSED })).toBe(REFUSED);
  });

  it("has the output of the first run before the other, where it wrote anything", () => {
    const reading = (output: string) => ({ kind: "approved", first: { ...REFUSED, firstRun: { output } } }) as const;
    expect(withFirstOutput("b", reading("a\n\n"))).toBe("[Read-only run]\na\n[Approved run]\nb");
    expect(withFirstOutput("b", reading("a\n\nc\u0007\n"))).toBe("[Read-only run]\na\n\nc\u0007\n[Approved run]\nb");
    expect(withFirstOutput("b", reading(""))).toBe("b");
    expect(withFirstOutput("b", { kind: "approved", first: REFUSED })).toBe("b");
    expect(withFirstOutput("b", { kind: "confined" })).toBe("b");
    expect(withFirstOutput("b", undefined)).toBe("b");
  });
});

describe("what can hold a call", () => {
  const CALL = { isAsync: false, wantsPty: false };
  const NO_KERNEL = { available: false, reason: "an old kernel" } as const;

  interface Ports {
    confinement?: { available: true } | typeof NO_KERNEL;
    sandbox?: object;
    path?: string;
    more?: Partial<BashToolSession>;
  }

  /** A session of which only what is asked for here is there. */
  function sessionOf({ confinement = { available: true }, sandbox, path = "/usr/bin", more = {} }: Ports) {
    const executor = {
      confinement: async () => confinement,
      environment: () => ({ env: path === "" ? {} : { PATH: path } }),
      sandbox,
    };
    return { cwd: "/w", executor, ...more } as unknown as BashToolSession;
  }

  const hold = (call: Parameters<typeof holdOf>[0], ports: Ports = {}, enforce = "available", grade = "tables") =>
    holdOf(call, grade as Parameters<typeof holdOf>[1], {
      session: sessionOf(ports),
      settings: Settings.parse({ "readOnly.enforce": enforce }),
    });

  const client = {
    getClientBridge: () => ({ capabilities: { terminal: true }, createTerminal: () => Promise.reject(new Error("x")) }),
  };
  const pty = { pty: { run: () => Promise.reject(new Error("not used")) } };

  it("is the kernel, which then confines it", async () => {
    const found = await hold(CALL);
    expect(found.hold).toBe("kernel");
    expect(found.readingOf("confined")).toStrictEqual({ kind: "confined" });
    expect(found.readingOf("unheld")).toBeUndefined();
    expect(found.readingOf("session")).toBeUndefined();
    expect(found.readingOf(undefined)).toBeUndefined();
  });

  it("is nothing on a terminal, and the tables where nothing is enforced", async () => {
    const typed = await hold({ ...CALL, isTerminal: true });
    expect([typed.hold, typed.readingOf("confined")]).toEqual(["none", undefined]);
    expect((await hold({ ...CALL, isTerminal: true }, {}, "off")).hold).toBe("none");
    const off = await hold(CALL, {}, "off");
    expect([off.hold, off.readingOf("confined")]).toEqual(["tables", undefined]);
  });

  it("is not looked for where a line needs none", async () => {
    const ports = { confinement: NO_KERNEL };
    for (const grade of ["session", undefined])
      expect(
        (await holdOf(CALL, grade as "session", { session: sessionOf(ports), settings: Settings.parse({}) })).hold,
      ).toBe("kernel");
  });

  it("is the strict half of the tables where nothing can confine it, and says why", async () => {
    const found = await hold(CALL, { confinement: NO_KERNEL });
    expect(found.hold).toBe("strict");
    expect(found.readingOf("unheld")).toStrictEqual({ kind: "unheld", reason: "an old kernel" });
    expect(found.readingOf("confined")).toBeUndefined();
    expect((await hold(CALL, { confinement: NO_KERNEL, path: "" })).hold).toBe("strict");
  });

  it("is nothing there where it is required, or the search path leads into the workspace", async () => {
    const ports = { confinement: NO_KERNEL };
    expect((await hold(CALL, ports, "required")).hold).toBe("none");
    expect((await hold(CALL, { ...ports, path: "/w/bin:/usr/bin" })).hold).toBe("none");
    expect((await hold(CALL, {}, "required")).hold).toBe("kernel");
  });

  it.each<[string, Parameters<typeof holdOf>[0], Ports, string | undefined]>([
    ["a console", { ...CALL, wantsPty: true }, { more: pty }, "a console runs it"],
    ["no console", { ...CALL, wantsPty: true }, {}, undefined],
    ["a console in a job", { isAsync: true, wantsPty: true }, { more: pty }, undefined],
    ["a console beside a sandbox", { ...CALL, wantsPty: true }, { more: pty, sandbox: {} }, undefined],
    ["the client's terminal", CALL, { more: client }, "the client's terminal runs it"],
    ["the client's terminal in a job", { ...CALL, isAsync: true }, { more: client }, undefined],
    ["the client's terminal beside a sandbox", CALL, { more: client, sandbox: {} }, undefined],
    ["a client for a call that wants a console", { ...CALL, wantsPty: true }, { more: client }, undefined],
    ["a client without terminals", CALL, { more: { getClientBridge: () => ({ capabilities: {} }) } }, undefined],
    [
      "a client that cannot make one",
      CALL,
      { more: { getClientBridge: () => ({ capabilities: { terminal: true } }) } },
      undefined,
    ],
  ])("is the kernel unless another program runs it: %s", async (_, call, ports, reason) => {
    const found = await hold(call, ports);
    expect(found.hold).toBe(reason === undefined ? "kernel" : "strict");
    expect(found.readingOf("unheld")).toEqual(reason === undefined ? undefined : { kind: "unheld", reason });
  });
});
