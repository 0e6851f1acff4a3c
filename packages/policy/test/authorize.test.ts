/** Who decides a request, what is asked and remembered, and what a question that goes wrong ends in. */
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../src/decide.ts";
import { type Approval, type Approve, createPolicy } from "../src/policy.ts";
import { loadRules } from "../src/rules/rule-file.ts";

const ALLOW: Approve = async () => ({ behavior: "allow" });
const never: Approve = () => new Promise<Approval>(() => {});

describe("an authorization", () => {
  it("by the policy alone has no message where it allows, and one where it denies", async () => {
    const policy = createPolicy({ approve: ALLOW });
    const verdict = policy.decide({ command: "ls" });

    expect(await policy.authorize({ command: "ls" })).toEqual({ behavior: "allow", verdict, by: "policy" });
    expect(await policy.authorize({ command: "rm -rf /" })).toEqual({
      behavior: "deny",
      verdict: policy.decide({ command: "rm -rf /" }),
      by: "policy",
      message: "Command blocked by policy; do not retry it in another form.\n- `rm -r` on the root folder `/`",
    });
  });

  it("by a person has the verdict that was asked about, and a message where they refuse", async () => {
    const answers: Approval[] = [
      { behavior: "allow", reason: "fine" },
      { behavior: "deny" },
      { behavior: "deny", reason: "not today" },
    ];
    const policy = createPolicy({ approve: async () => answers.shift() ?? { behavior: "deny" } });
    const verdict = policy.decide({ command: "make" });
    expect(verdict.behavior).toBe("ask");

    expect(await policy.authorize({ command: "make" })).toEqual({ behavior: "allow", verdict, by: "approval" });
    expect(await policy.authorize({ command: "make" })).toEqual({
      behavior: "deny",
      verdict,
      by: "approval",
      message: "Command was not approved.",
    });
    expect((await policy.authorize({ command: "make" })).message).toBe("Command was not approved: not today.");
  });

  it("hands the request, the verdict and a signal to the question", async () => {
    const asked: unknown[] = [];
    const policy = createPolicy({
      inspectGit: async () => [{ key: "core.pager", value: "x", origin: "file:.git/config" }],
      approve: async (request, verdict, signal) => {
        asked.push(
          request,
          verdict.reasons.map(({ code }) => code),
          signal instanceof AbortSignal,
          signal.aborted,
        );
        return { behavior: "allow" };
      },
    });
    policy.observe("alias a=b", "s");

    await policy.authorize({ command: "git log", cwd: "/w" }, { sessionKey: "s" });

    expect(asked).toEqual([
      {
        command: "git log",
        cwd: "/w",
        gitDangers: [{ key: "core.pager", value: "x", origin: "file:.git/config" }],
        taint: "`alias`",
      },
      ["tainted-session", "git-config"],
      true,
      false,
    ]);
  });

  it("asks by the way of the call before the policy's own", async () => {
    const asked: string[] = [];
    const asker =
      (name: string): Approve =>
      async () => {
        asked.push(name);
        return { behavior: "allow" };
      };
    const policy = createPolicy({ approve: asker("policy") });

    await policy.authorize({ command: "make" });
    await policy.authorize({ command: "make" }, { approve: asker("call") });
    await createPolicy().authorize({ command: "make" }, { approve: asker("call alone") });

    expect(asked).toEqual(["policy", "call", "call alone"]);
  });
});

describe("a question that goes wrong", () => {
  const failing: [string, Approve, string][] = [
    ["rejects", () => Promise.reject(new Error("window closed")), "the question failed: window closed"],
    [
      "throws at once",
      () => {
        throw new Error("no window");
      },
      "the question failed: no window",
    ],
    ["rejects with what is not an error", () => Promise.reject("gone"), "the question failed: gone"],
  ];

  it.each(failing)("denies when it %s", async (_, approve, reason) => {
    expect(await createPolicy({ approve }).authorize({ command: "make" })).toMatchObject({
      behavior: "deny",
      by: "approval",
      message: `Command was not approved: ${reason}.`,
    });
  });

  it("denies when the time of the policy is over, or that of the call", async () => {
    const message = "Command was not approved: no one answered.";
    const impatient = createPolicy({ approve: never, approvalTimeoutMs: 1 });
    const patient = createPolicy({ approve: never, approvalTimeoutMs: 600_000 });

    expect(await impatient.authorize({ command: "make" })).toMatchObject({ behavior: "deny", message });
    expect(await patient.authorize({ command: "make" }, { timeoutMs: 1 })).toMatchObject({ behavior: "deny", message });
    expect(await createPolicy({ approve: never }).authorize({ command: "make" }, { timeoutMs: 1 })).toMatchObject({
      message,
    });
  });

  it("denies when it is cancelled, and says whether it was asked at all", async () => {
    let questions = 0;
    const approve: Approve = (...given) => {
      questions++;
      return never(...given);
    };
    const policy = createPolicy({ approve });
    const cancel = new AbortController();
    const pending = policy.authorize({ command: "make" }, { signal: cancel.signal });
    await expect.poll(() => questions, { timeout: 10_000 }).toBe(1);
    cancel.abort();

    expect((await pending).message).toBe("Command was not approved: no one answered.");
    expect((await policy.authorize({ command: "make" }, { signal: AbortSignal.abort() })).message).toBe(
      "Command was not approved: the question was cancelled.",
    );
    expect(questions).toBe(1);
  });

  it("ends the signal that the question was given", async () => {
    let given: AbortSignal | undefined;
    const cancel = new AbortController();
    const policy = createPolicy({
      approve: (_, __, signal) => {
        given = signal;
        return new Promise<Approval>(() => {});
      },
    });
    const pending = policy.authorize({ command: "make" }, { signal: cancel.signal });
    await expect.poll(() => given?.aborted, { timeout: 10_000 }).toBe(false);
    cancel.abort();
    await pending;

    expect(given?.aborted).toBe(true);
  });

  it("leaves nothing at the signal of the call, however it ends", async () => {
    const { signal } = new AbortController();
    const answers = [ALLOW, () => Promise.reject(new Error("gone")), never];
    for (const approve of answers) {
      await createPolicy({ approve }).authorize({ command: "make" }, { signal, timeoutMs: 50 });
      expect(getEventListeners(signal, "abort")).toEqual([]);
    }
  });
});

describe("what a person answered", () => {
  async function afterwards(approval: Approval, command = "make"): Promise<string> {
    const policy = createPolicy({ approve: async () => approval });
    await policy.authorize({ command });
    return policy.decide({ command }).behavior;
  }

  it("is remembered only with an approval and a rule", async () => {
    expect(await afterwards({ behavior: "allow", remember: "Bash(make)" })).toBe("allow");
    expect(await afterwards({ behavior: "allow" })).toBe("ask");
    expect(await afterwards({ behavior: "deny", remember: "Bash(make)" })).toBe("ask");
    expect(await afterwards({ behavior: "allow", remember: "make" })).toBe("ask");
    expect(await afterwards({ behavior: "allow", remember: "" })).toBe("ask");
    expect(await afterwards({ behavior: "allow", remember: "Bash(make" })).toBe("ask");
  });

  it("is a rule of the session beside the rules that were given", async () => {
    const policy = createPolicy({
      ruleSets: [loadRules({ allow: ["Bash(npm test)"] }, "user")],
      approve: async () => ({ behavior: "allow", remember: "Bash(make)" }),
    });
    await policy.authorize({ command: "make" });

    expect(policy.decide({ command: "make && npm test" })).toMatchObject({
      behavior: "allow",
      matchedRules: [
        { rule: "Bash(make)", behavior: "allow", source: "session" },
        { rule: "Bash(npm test)", behavior: "allow", source: "user" },
      ],
    });
  });

  it("on another place does not count here", async () => {
    const policy = createPolicy({ approve: async () => ({ behavior: "allow", remember: "Bash(make)" }) });
    await policy.authorize({ command: "make", place: "ssh:a" });

    expect(policy.decide({ command: "make", place: "ssh:a" }).behavior).toBe("allow");
    expect(policy.decide({ command: "make", place: "ssh:b" }).behavior).toBe("ask");
    expect(policy.decide({ command: "make" }).behavior).toBe("ask");
  });
});

describe("the taint of a session", () => {
  const reasonOf = ({ reasons }: Verdict): string | undefined => reasons[0]?.message.split(" changed")[0];

  it("is the first that was seen, and what a request says of it counts before", () => {
    const policy = createPolicy();
    policy.observe("ls", "s");
    policy.observe("alias a=b", "s");
    policy.observe("eval x", "s");

    expect(reasonOf(policy.decide({ command: "ls" }, "s"))).toBe("`alias`");
    expect(reasonOf(policy.decide({ command: "ls", taint: "mine" }, "s"))).toBe("mine");
    expect(policy.decide({ command: "ls" }).behavior).toBe("allow");
    policy.forget("other");
    expect(policy.decide({ command: "ls" }, "s").behavior).toBe("ask");
    policy.forget("s");
    policy.observe("eval x", "s");
    expect(reasonOf(policy.decide({ command: "ls" }, "s"))).toBe("`eval`");
  });

  it("that came while git was looked at counts", async () => {
    const policy = createPolicy({
      inspectGit: async () => {
        policy.observe("alias git=rm", "s");
        return [];
      },
    });
    const place = { cwd: "/w" };

    expect((await policy.authorize({ command: "git status", ...place })).behavior).toBe("allow");
    expect((await policy.authorize({ command: "git status", ...place }, { sessionKey: "s" })).behavior).toBe("deny");
  });
});
