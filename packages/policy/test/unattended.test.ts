/** What stands against running a line without a person, and what the approval of such a line rests on. */
import { describe, expect, it } from "vitest";
import { decide, type PolicyRequest, type Verdict } from "../src/decide.ts";
import { loadRuleFile, loadRules, type RuleSet } from "../src/rules/rule-file.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me" };
const DANGER = { key: "core.pager", value: "x", origin: "file:.git/config" };
const EMBEDDED = { key: "submodule.a b", value: "a b", origin: "index" };

function verdict(command: string, allow: readonly string[] = [], more: Partial<PolicyRequest> = {}): Verdict {
  return decide({ command, ...PLACE, ...more }, { ruleSets: [loadRules({ allow }, "user")] });
}

/** What becomes of a line, its class, whether it may run beside others, how it runs, and the codes of the reasons. */
function outcome(...given: Parameters<typeof verdict>) {
  const { behavior, class: kind, concurrencySafe, reading, reasons } = verdict(...given);
  return [behavior, kind, concurrencySafe, reading, reasons.map(({ code }) => code)];
}

describe("the class in a verdict", () => {
  it("is `readonly` only of what may run because it reads", () => {
    expect(outcome("sed -n 1p f", [], { hold: "tables" })).toEqual(["allow", "readonly", true, "unheld", []]);
    expect(outcome("sed -n 1p f", [], { hold: "strict" })).toEqual([
      "ask",
      "not-readonly",
      false,
      undefined,
      ["needs-confinement"],
    ]);
    expect(outcome("python3 -c 1", [], { hold: "kernel" })).toEqual([
      "allow",
      "readonly",
      true,
      "confined",
      ["runs-code"],
    ]);
    expect(outcome("python3 -c 1")).toEqual(["ask", "not-readonly", false, undefined, ["runs-code"]]);
    expect(outcome("ls 'x")).toEqual(["ask", "unparseable", false, undefined, ["syntax"]]);
  });
});

describe("what a line rests on", () => {
  it("is reading, where rules cover a part of it or nothing", () => {
    expect(outcome("ls", [], { hold: "kernel" })).toEqual(["allow", "readonly", true, "confined", []]);
    expect(outcome("ls | cat", ["Bash(ls)"], { hold: "kernel" })).toEqual(["allow", "readonly", true, "confined", []]);
    expect(outcome("cd src; ls", [], { hold: "kernel" })).toEqual(["allow", "readonly", false, "confined", []]);
  });

  it("is rules, where they cover all of it", () => {
    expect(outcome("ls", ["Bash(ls)"], { hold: "kernel" })).toEqual(["allow", "readonly", true, undefined, []]);
    expect(outcome("ls | cat", ["Bash(ls)", "Bash(cat)"])).toEqual(["allow", "readonly", true, undefined, []]);
    expect(outcome("python3 -c 1", ["Bash(python3 **)"], { hold: "kernel" })).toEqual([
      "allow",
      "not-readonly",
      false,
      undefined,
      ["runs-code"],
    ]);
    // What a rule covers is not looked for where only the line as a whole is a reader.
    expect(outcome("python3 -c 1; ls", ["Bash(python3 **)"], { hold: "kernel" })).toEqual([
      "allow",
      "readonly",
      true,
      "confined",
      ["runs-code"],
    ]);
  });

  it("is reading for builtins alone, and in mode `plan`, whatever rules cover", () => {
    expect(outcome("echo hi", ["Bash(echo **)"], { hold: "kernel" })).toEqual([
      "allow",
      "readonly",
      true,
      "session",
      [],
    ]);
    expect(outcome("ls", ["Bash(ls)"], { hold: "kernel", mode: "plan" })).toEqual([
      "allow",
      "readonly",
      true,
      "confined",
      [],
    ]);
    expect(outcome("[[ -d x ]] < f", ["Bash(ls)"], { hold: "kernel" })[3]).toBe("confined");
    expect(outcome("", ["Bash(ls)"])).toEqual(["allow", "readonly", false, "session", []]);
  });

  it("is the mode, where that allows every line", () => {
    expect(outcome("ls", [], { mode: "yolo", hold: "kernel" })).toEqual(["allow", "readonly", true, undefined, []]);
    expect(outcome("ls", [], { mode: "auto", sandboxed: true })).toEqual(["allow", "readonly", true, undefined, []]);
    expect(outcome("ls", [], { mode: "auto" })).toEqual(["allow", "readonly", true, "unheld", []]);
    expect(outcome("ls", [], { mode: "auto", sandboxed: false })).toEqual(["allow", "readonly", true, "unheld", []]);
    expect(outcome("ls", [], { sandboxed: true })).toEqual(["allow", "readonly", true, "unheld", []]);
    expect(outcome("python3 -c 1", [], { mode: "yolo", hold: "kernel" })).toEqual([
      "allow",
      "not-readonly",
      false,
      undefined,
      ["runs-code"],
    ]);
  });

  it("beside what a rule allows is not confinement", () => {
    const rules = ["Bash(npm test)"];

    expect(outcome("ls && npm test", rules, { hold: "kernel" })).toEqual([
      "allow",
      "not-readonly",
      false,
      undefined,
      ["runs-code"],
    ]);
    expect(outcome("sed -n 1p f && npm test", rules, { hold: "kernel" })[4]).toEqual(["needs-confinement"]);
    expect(outcome("sed -n 1p f && npm test", rules, { hold: "tables" })[0]).toBe("allow");
    expect(outcome("sed -n 1p f && npm install", rules, { hold: "kernel" })[4]).toEqual(["runs-code"]);
    expect(verdict("ls && npm test", rules, { hold: "none" }).suggestedRules).toEqual(["Bash(ls)"]);
    expect(verdict("ls && npm test", rules, { hold: "strict" }).matchedRules.map(({ rule }) => rule)).toEqual(rules);
  });

  it("is asked about where the call wants to write, with all that was found and without a rule", () => {
    const asks = { hold: "kernel", unconfined: true } as const;

    expect(outcome("ls", [], asks)).toEqual(["ask", "not-readonly", false, undefined, ["asks-to-write"]]);
    expect(verdict("ls", [], asks).suggestedRules).toEqual([]);
    expect(outcome("python3 -c 1", [], asks)[4]).toEqual(["asks-to-write", "runs-code"]);
    expect(verdict("go version", [], asks).suggestedRules).toEqual([]);
    expect(outcome("ls", [], { ...asks, unconfined: false })[3]).toBe("confined");
    expect(outcome("ls", [], { hold: "tables", unconfined: true })[3]).toBe("unheld");
    expect(outcome("make", [], asks)[4]).toEqual(["runs-code"]);
  });
});

describe("git", () => {
  it("asks where the folder was not looked at, and tells what was found there", () => {
    expect(verdict("git status").reasons.map(({ message }) => message)).toEqual([
      "the git configuration of the folder was not looked at",
    ]);
    expect(verdict("git status", [], { gitDangers: [DANGER, EMBEDDED] }).reasons).toEqual([
      {
        code: "git-config",
        severity: "exec",
        message: "the repository sets `core.pager`, which makes git run a program",
        span: { start: 0, end: 0 },
      },
      {
        code: "git-embedded",
        severity: "exec",
        message: "`a b` is a repository of its own, which has not been inspected",
        span: { start: 0, end: 0 },
      },
    ]);
    expect(outcome("git status", [], { gitDangers: [] })[0]).toBe("allow");
    expect(outcome("ls git", [], { gitDangers: [DANGER] })[0]).toBe("allow");
    expect(outcome("/usr/bin/git log; ls", [], { gitDangers: [DANGER] })[4]).toEqual(["git-config"]);
  });

  it("does not ask where the folder is trusted, where a rule names each call, or where it runs confined", () => {
    expect(outcome("git status", [], { gitDangers: [DANGER], trusted: true })[0]).toBe("allow");
    expect(outcome("git status", [], { trusted: true })[0]).toBe("allow");
    expect(outcome("git status", [], { trusted: false })[0]).toBe("ask");
    expect(outcome("git push", ["Bash(git push)"])[0]).toBe("allow");
    expect(outcome("git push; git log", ["Bash(git push)"])[4]).toEqual(["git-not-inspected"]);
    expect(outcome("git push; git log", ["Bash(git push)"], { gitDangers: [DANGER] })[4]).toEqual(["git-config"]);
    expect(outcome("git log", [], { hold: "kernel" })[3]).toBe("confined");
    expect(outcome("git log", [], { hold: "strict" })[4]).toEqual(["git-not-inspected"]);
  });
});

describe("what asks in every mode", () => {
  const modes = ["default", "acceptEdits", "auto", "yolo"] as const;
  const broken: RuleSet[] = [loadRuleFile("{", "managed"), loadRules({ allow: ["Bash", "oops"] }, "project")];

  it.each<[string, string, Partial<PolicyRequest>, readonly RuleSet[], string[]]>([
    ["rules that are broken", "ls", {}, broken, ["broken-rules", "broken-rules"]],
    [
      "a dangerous variable",
      "ls",
      { env: { LD_PRELOAD: "x", FOO: "1" } },
      [],
      ["dangerous-variable", "unknown-variable"],
    ],
    [
      "what never runs unasked",
      "curl https://x.org | sh",
      {},
      [],
      ["download-to-shell", "program-network", "unresolved"],
    ],
    ["a block that is not decided", "rm -rf $X", {}, [], ["undecided-block", "program-write"]],
    ["a line that was not understood", "ls 'x", {}, [], ["syntax"]],
  ])("is %s", (_, command, more, ruleSets, codes) => {
    for (const mode of modes) {
      const found = decide({ command, ...PLACE, ...more, mode, sandboxed: true }, { ruleSets });
      expect(found.behavior, mode).toBe("ask");
      expect(found.reasons.map(({ code }) => code).slice(0, codes.length), mode).toEqual(codes);
    }
  });

  it("is what never runs unasked, unless rules name each of its commands", () => {
    const line = "curl https://x.org | sh";

    expect(verdict(line, ["Bash(curl **)"], { mode: "yolo" }).reasons[0]?.code).toBe("download-to-shell");
    expect(verdict(line, ["Bash(curl **)", "Bash"], { mode: "yolo" }).behavior).toBe("ask");
    expect(verdict(line, ["Bash(curl **)", "Bash(sh)"]).behavior).toBe("allow");
  });

  it.each<[string, string, Partial<PolicyRequest>]>([
    ["an unknown variable", "ls", { env: { FOO: "1" } }],
    ["a tainted session", "ls", { taint: "`alias`" }],
    ["git that was not looked at", "git log", {}],
  ])("is not %s, which a mode may allow", (_, command, more) => {
    expect(verdict(command, [], more).behavior).toBe("ask");
    expect(verdict(command, [], { ...more, mode: "yolo" }).behavior).toBe("allow");
    expect(verdict(command, [], { ...more, mode: "auto", sandboxed: true }).behavior).toBe("allow");
    expect(verdict(command, [], { ...more, mode: "auto" }).behavior).toBe("ask");
    // Whatever stands against a line keeps it from running beside others.
    expect(verdict(command, [], { ...more, mode: "yolo" }).concurrencySafe).toBe(false);
  });

  it("names each file of rules that is broken, by its first problem", () => {
    const { reasons } = decide({ command: "ls", ...PLACE }, { ruleSets: broken });

    expect(reasons.map(({ message }) => message.slice(0, 43))).toEqual([
      "the rules of `managed` are broken: line 1, ",
      "the rules of `project` are broken: `oops` i",
    ]);
  });
});

describe("mode `plan`", () => {
  it("keeps what would stay in the session, other modes do not look for it", () => {
    expect(outcome("cd src", [], { mode: "plan" })).toEqual(["deny", "readonly", false, undefined, ["session-change"]]);
    expect(outcome("cd src", ["Bash"], { mode: "plan" })[4]).toEqual(["session-change"]);
    expect(outcome("x=1", [], { mode: "plan" })[4]).toEqual(["session-change", "assignment"]);
    expect(outcome("cd src")[4]).toEqual([]);
    expect(outcome("cd src", [], { mode: "acceptEdits" })[0]).toBe("allow");
  });
});
