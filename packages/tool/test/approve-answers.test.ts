/** Answers about a call: what an approved one may do, what a refused one says, and what holds without a policy. */
import { Settings } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import type { AskingOptions } from "../src/approvals.ts";
import { onlyReads } from "../src/read-judge.ts";
import type { BashToolSession } from "../src/session.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { ALLOWS } from "./support/allowing.ts";
import { asking, CALL, DOUBT } from "./support/asking.ts";
import { recordedPolicy } from "./support/preparing.ts";
import { thrown } from "./support/session.ts";

const UNHELD = { available: false, reason: "it is played" } as const;

describe("the answer of a policy", () => {
  it("says what the call may do, and is noted before it runs", async () => {
    const verdict = { ...ALLOWS, concurrencySafe: true, environment: { A: "b" } };
    const { policy, observed } = recordedPolicy(() => ({ verdict }));
    const { ask, session } = asking({ policy });
    expect(await ask()).toStrictEqual({ env: { A: "b" }, mayOverlap: true, reading: undefined });
    expect(observed).toEqual([["agent-1", "touch x"]]);
    await ask({ isAsync: true });
    expect(observed).toHaveLength(1);
    for (const getSessionId of [() => undefined, undefined]) {
      Object.assign(session, { getSessionId });
      await ask();
    }
    expect(observed.slice(1)).toEqual([
      ["", "touch x"],
      ["", "touch x"],
    ]);
  });

  it("lets a reader run confined where the kernel can hold it, and nowhere else", async () => {
    const { policy } = recordedPolicy(() => ({ verdict: { ...ALLOWS, reading: "confined" } }));
    const reads = { command: "awk 1 f" };
    expect((await asking({ policy }).ask(reads)).reading).toStrictEqual({ kind: "confined" });
    const nothing = asking({ policy }, {}, UNHELD);
    expect((await thrown(nothing.ask(reads))).message).toBe(
      "The policy allows this command only where it runs confined, and nothing confines it here",
    );
    const tables = asking({ policy }, { "readOnly.enforce": "off" });
    expect(await thrown(tables.ask(reads))).toBeInstanceOf(ToolError);
  });

  it("that does not confine lets a call run where nothing could", async () => {
    const { policy } = recordedPolicy();
    const nothing = asking({ policy }, {}, UNHELD);
    expect((await nothing.ask({ command: "awk 1 f" })).reading).toBeUndefined();
  });

  it("holds a reader by the policy's word alone, and not by a person's", async () => {
    const by = (who: "policy" | "approval") =>
      asking(
        { policy: recordedPolicy(() => ({ by: who, verdict: { ...ALLOWS, reading: "unheld" } })).policy },
        {},
        UNHELD,
      ).ask({ command: "awk 1 f" });
    expect((await by("policy")).reading).toStrictEqual({ kind: "unheld", reason: "it is played" });
    expect((await by("approval")).reading).toBeUndefined();
  });

  it("does not count where the call was given up meanwhile", async () => {
    for (const behavior of ["allow", "deny"] as const) {
      const controller = new AbortController();
      const { policy, observed } = recordedPolicy(() => {
        controller.abort();
        return { behavior };
      });
      expect(await thrown(asking({ policy }).ask({}, { signal: controller.signal }))).toBeInstanceOf(ToolAbortError);
      expect(observed).toEqual([]);
    }
    const { policy } = recordedPolicy(() => ({ behavior: "deny", message: "no" }));
    const { signal } = new AbortController();
    expect((await thrown(asking({ policy }).ask({}, { signal }))).message).toBe("no");
  });

  it("that refuses has a report with its reasons, ten at most, and the rules that would allow it", async () => {
    const reasons = Array.from({ length: 11 }, (_, at) => ({
      ...DOUBT,
      code: `d${at}`,
      ...(at === 0 ? { argv: ["touch", "x"], needsKernel: true as const } : {}),
    }));
    const verdict = { ...ALLOWS, class: "not-readonly" as const, reasons, suggestedRules: ["Bash(touch **)"] };
    const { policy } = recordedPolicy(() => ({ behavior: "deny", by: "approval", verdict, message: "not today" }));
    const error = await thrown(asking({ policy }).ask({ command: "touch \u202ex" }));
    expect(error.message).toBe("not today");
    const plain = (at: number) => ({ ...DOUBT, code: `d${at}` });
    expect(error.details).toStrictEqual({
      refusal: {
        by: "approval",
        class: "not-readonly",
        reasons: [{ ...plain(0), argv: ["touch", "x"] }, ...Array.from({ length: 9 }, (_, at) => plain(at + 1))],
        suggestedRules: ["Bash(touch **)"],
        display: expect.stringMatching(/^touch .*202e.*x$/i),
      },
    });
  });
});

describe("a task on a terminal", () => {
  const PLAN = () => ({ mode: "plan" as const });
  const ask = (ports: Partial<BashToolSession>, isTerminal?: boolean) =>
    asking(ports).ask(isTerminal === undefined ? {} : { isTerminal });

  it("is refused in mode `plan`, and in no other", async () => {
    const { policy, asked } = recordedPolicy();
    expect((await thrown(ask({ policy, policyContext: PLAN }, true))).message).toMatch(/^`tty` is refused while only/);
    expect(asked).toEqual([]);
    await ask({ policy, policyContext: PLAN }, false);
    await ask({ policy, policyContext: PLAN });
    await ask({ policy, policyContext: () => ({ mode: "yolo" }) }, true);
    await ask({ policy }, true);
    // A session without a policy has no mode.
    await ask({ policyContext: PLAN }, true);
    await ask({}, true);
    expect(asked.map(({ request }) => request.hold)).toEqual(["kernel", "kernel", "none", "none"]);
  });
});

describe("without a policy", () => {
  const OPEN = { command: "chmod -R 777 open" };

  it("whatever is not forbidden may run, and beside others where it only reads", async () => {
    const { ask, order } = asking();
    expect(await ask()).toStrictEqual({ env: {}, mayOverlap: false });
    expect(await ask({ command: "ls" })).toStrictEqual({ env: {}, mayOverlap: true });
    expect(order).toEqual([]);
  });

  it("what is forbidden is refused with its reasons, and what may be, too", async () => {
    const error = await thrown(asking({}, { requireDescription: true }).ask());
    expect(error.details?.refusal).toMatchObject({
      by: "policy",
      class: "not-readonly",
      reasons: [{ code: "description-required" }],
      suggestedRules: [],
      display: "touch x",
    });
    expect(error.message).toBe(
      "Command blocked by policy; do not retry it in another form.\n- a description of what the command does is required (say in `description` what the command does)",
    );
    const doubt = await thrown(asking({}, { blockedCommands: ["touch x"] }).ask({ command: 't=touch; "$t" x' }));
    expect(doubt.details?.refusal?.reasons.map(({ code }) => code)).toEqual(["blocked-command-doubt"]);
  });

  it("what never runs unasked is asked about, by the way of the call before that of the session", async () => {
    const way = (name: string, behavior: "allow" | "deny") => async () => {
      made.order.push(name);
      return { behavior };
    };
    const made = asking({});
    expect((await thrown(made.ask(OPEN))).details?.refusal?.by).toBe("policy");
    expect(made.order).toEqual([]);
    Object.assign(made.session, { approve: way("session", "deny") });
    const denied = await thrown(made.ask(OPEN));
    expect(denied.details?.refusal).toMatchObject({ by: "approval", reasons: [{ code: "open-modes" }] });
    expect(await made.ask(OPEN, { approve: way("call", "allow") })).toStrictEqual({ env: {}, mayOverlap: false });
    expect(made.order).toEqual(["wait", "session", "wait", "call"]);
  });

  it("a question ends with the call", async () => {
    const controller = new AbortController();
    const approve = async () => {
      controller.abort();
      return { behavior: "allow" as const };
    };
    const { ask } = asking();
    expect(await thrown(ask(OPEN, { approve, signal: controller.signal }))).toBeInstanceOf(ToolAbortError);
    expect(await thrown(ask(CALL, { signal: controller.signal }))).toBeInstanceOf(ToolAbortError);
    expect((await thrown(ask(OPEN, { approve: () => new Promise(() => undefined), ...soon() }))).message).toContain(
      "no one answered",
    );
  });
});

/** Settings by which a question is over at once. */
function soon(): Pick<AskingOptions, "settings"> {
  return { settings: Settings.parse({ "bash.approvalTimeoutMs": 1 }) };
}

describe("whether a call only reads", () => {
  const first = {} as BashToolSession["executor"];
  const reads = (command: string, sessionKey?: string, executor = first) =>
    onlyReads({ command, cwd: "/w", workspace: "/w" }, { executor, sessionKey });

  it("is known by the line, and by what the session's shell was made to call by its names", () => {
    expect([reads("ls", "a"), reads("touch x", "a"), reads("git status", "a")]).toEqual([true, false, false]);
    expect(reads("alias ls='touch x'", "a")).toBe(false);
    expect([reads("ls", "a"), reads("ls", "b"), reads("ls")]).toEqual([false, true, true]);
    expect(reads("ls", "a", {} as BashToolSession["executor"])).toBe(true);
  });

  it("is not changed by what runs in a shell of its own", () => {
    const executor = {} as BashToolSession["executor"];
    reads("alias ls='touch x'", undefined, executor);
    expect([reads("ls", undefined, executor), reads("ls", "", executor)]).toEqual([true, true]);
  });
});
