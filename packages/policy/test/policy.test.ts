/** The policy with a memory: approvals, learnt rules, tainted sessions. */
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { type Approval, createPolicy } from "../src/policy.ts";
import { loadRules } from "../src/rules/rule-file.ts";
import { taintOf } from "../src/taint.ts";

describe("a policy", () => {
  it("is made of a plain list of rules, of rule sets, or of nothing", () => {
    expect(createPolicy({ allow: ["Bash(make)"] }).decide({ command: "make" }).behavior).toBe("allow");
    expect(createPolicy([loadRules({ deny: ["Bash(ls)"] }, "cli")]).decide({ command: "ls" }).behavior).toBe("deny");
    expect(createPolicy().decide({ command: "ls" }).behavior).toBe("allow");
    expect(createPolicy({ ruleSets: [], requireDescription: true }).decide({ command: "ls" }).behavior).toBe("deny");
  });

  it("tells what is wrong with its rules", () => {
    const policy = createPolicy({ deny: ["Bash(re:()"], allow: ["Bash(ls*)"] });

    expect(policy.problems).toEqual([expect.stringContaining("user: "), expect.stringContaining("word boundary")]);
  });

  it("asks a person once, and takes the answer", async () => {
    const asked: string[] = [];
    const policy = createPolicy({
      approve: async (request, verdict): Promise<Approval> => {
        asked.push(`${request.command} ${verdict.behavior}`);
        return request.command === "make" ? { behavior: "allow" } : { behavior: "deny", reason: "not now" };
      },
    });

    expect(await policy.authorize({ command: "ls" })).toMatchObject({ behavior: "allow", by: "policy" });
    expect(await policy.authorize({ command: "make" })).toMatchObject({ behavior: "allow", by: "approval" });
    expect(await policy.authorize({ command: "make x" })).toMatchObject({
      behavior: "deny",
      by: "approval",
      message: "Command was not approved: not now.",
    });
    expect(await policy.authorize({ command: "rm -rf /" })).toMatchObject({ behavior: "deny", by: "policy" });
    expect(asked).toEqual(["make ask", "make x ask"]);
  });

  it("takes what was allowed on one place for that place alone", async () => {
    const asked: (string | undefined)[] = [];
    const policy = createPolicy({
      approve: async ({ place }, verdict): Promise<Approval> => {
        asked.push(place);
        return { behavior: "allow", remember: verdict.suggestedRules[0] ?? "" };
      },
    });
    for (const place of [undefined, "ssh:a", "ssh:a", "ssh:b", undefined]) {
      await policy.authorize({ command: "make all", ...(place === undefined ? {} : { place }) });
    }

    expect(asked).toEqual([undefined, "ssh:a", "ssh:b"]);
  });

  it("has rules that count on some places only", () => {
    const policy = createPolicy({ allow: ["Bash(make **)"], deny: ["Bash(make **) on ssh:prod*"] });
    const behaviorOn = (place?: string) =>
      policy.decide({ command: "make all", ...(place === undefined ? {} : { place }) }).behavior;

    expect([behaviorOn(), behaviorOn("ssh:build7"), behaviorOn("ssh:prod1")]).toEqual(["allow", "allow", "deny"]);
    const narrow = createPolicy({ allow: ["Bash(make **) in /srv/** on podman:*"] });
    expect(narrow.decide({ command: "make all" }).behavior).toBe("ask");
    expect(narrow.decide({ command: "make all", place: "podman:web" }).behavior).toBe("allow");
  });

  it("remembers a rule for as long as it lives", async () => {
    let questions = 0;
    const policy = createPolicy({
      approve: async (_, verdict) => {
        questions++;
        return { behavior: "allow", remember: verdict.suggestedRules[0] ?? "" };
      },
    });

    await policy.authorize({ command: "npm install a" });
    await policy.authorize({ command: "npm install b" });

    expect(questions).toBe(1);
    expect(policy.decide({ command: "npm publish" }).behavior).toBe("ask");
    // A text that is no rule is forgotten, not taken for a broken file.
    await policy.authorize({ command: "python3 x.py" });
    expect(policy.decide({ command: "ls" }).behavior).toBe("allow");
  });

  it("denies, and tells the model why, where no one can be asked", async () => {
    const answer = await createPolicy().authorize({ command: "sort $x" });

    expect(answer).toMatchObject({ behavior: "deny", by: "policy" });
    expect(answer.message).toBe(
      "Command blocked by policy; do not retry it in another form.\n" +
        "- `$x` could expand to an option (write `--` or `./` before it)",
    );
  });

  it("denies when the question fails, is cancelled, or gets no answer in time", async () => {
    const never = () => new Promise<Approval>(() => {});
    const failing = createPolicy({ approve: () => Promise.reject(new Error("window closed")) });
    const cancelled = new AbortController();
    const pending = createPolicy({ approve: never }).authorize({ command: "make" }, { signal: cancelled.signal });
    cancelled.abort();

    expect((await failing.authorize({ command: "make" })).message).toContain("window closed");
    expect((await pending).behavior).toBe("deny");
    expect((await createPolicy({ approve: never, approvalTimeoutMs: 1 }).authorize({ command: "make" })).behavior).toBe(
      "deny",
    );
    expect(
      (await createPolicy({ approve: never }).authorize({ command: "make" }, { signal: AbortSignal.abort() })).behavior,
    ).toBe("deny");
  });

  it("looks at the git configuration only for lines that may run git", async () => {
    const looked: string[] = [];
    const policy = createPolicy({
      inspectGit: async (cwd) => {
        looked.push(cwd);
        return cwd === "/evil" ? [{ key: "diff.external", value: "./x", origin: "file:.git/config" }] : [];
      },
    });

    expect((await policy.authorize({ command: "ls", cwd: "/a" })).behavior).toBe("allow");
    expect((await policy.authorize({ command: "git diff", cwd: "/a" })).behavior).toBe("allow");
    expect((await policy.authorize({ command: "git diff", cwd: "/evil" })).behavior).toBe("deny");
    expect((await policy.authorize({ command: "git diff" })).behavior).toBe("deny");
    expect(looked).toEqual(["/a", "/evil"]);
  });

  it("treats git as not looked at when looking fails", async () => {
    const policy = createPolicy({ inspectGit: () => Promise.reject(new Error("no git")) });

    expect((await policy.authorize({ command: "git log", cwd: "/a" })).behavior).toBe("deny");
  });

  it("stops approving by itself in a session after a command that changes it, until the session is new", () => {
    const policy = createPolicy();

    policy.observe("cd src && ls", "s");
    expect(policy.decide({ command: "ls" }, "s").behavior).toBe("allow");
    policy.observe("alias ls='rm -rf x'", "s");
    expect(policy.decide({ command: "ls" }, "s").behavior).toBe("ask");
    expect(policy.decide({ command: "ls" }, "other").behavior).toBe("allow");
    policy.forget("s");
    expect(policy.decide({ command: "ls" }, "s").behavior).toBe("allow");
  });
});

describe("taint", () => {
  it.each([
    "alias ls=rm",
    "f() { rm x; }",
    "export PATH=.",
    "export -f ls",
    "export -n PATH",
    "export $x",
    "export",
    "PATH=.:$PATH",
    "for IFS in x; do :; done",
    "read PATH < f",
    "printf -v LD_PRELOAD x",
    "source f",
    ". f",
    "eval 'x'",
    "trap x DEBUG",
    "shopt -s expand_aliases",
    "set -o posix",
    "set -- -x",
    "set -euf",
    "set",
    "enable -n test",
    "hash -p ./x ls",
    "exec 3< f",
    "true && declare -x A",
    "$x",
    "ls 'x",
    "{ alias a=b; }",
    "builtin alias a=b",
  ])("comes from: %s", (command) => {
    expect(taintOf(analyzeCommand(command))).toBeDefined();
  });

  it.each([
    "ls",
    "cd x",
    "npm test",
    "x=1",
    "for f in a; do ls; done",
    "(alias a=b)",
    "echo $(export A=1)",
    "LC_ALL=C ls",
    "export A=1",
    "export NODE_ENV=test 'B=c d'",
    'export A="$x"',
    "set -euo pipefail; npm test",
    "set +e",
    "echo alias",
  ])("does not come from: %s", (command) => {
    expect(taintOf(analyzeCommand(command))).toBeUndefined();
  });
});
