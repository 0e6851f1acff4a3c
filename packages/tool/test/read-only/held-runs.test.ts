/** How often a call that only reads runs: once, or once more where that was approved. */
import type { ReadOnlyEnforced, SettingsInput } from "@pi-bash/contract";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { CallPermit, PreparedCall } from "../../src/prepared-call.ts";
import { readOnlyOutcome, withFirstOutput } from "../../src/read-only/read-only-notice.ts";
import { runHeld } from "../../src/read-only/run-held.ts";
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
