/** Whole verdicts: what each way to a decision says beside `allow`, `ask` or `deny`. */
import { describe, expect, it } from "vitest";
import { decide, POLICY_MODES, type PolicyConfig, type PolicyRequest, type Verdict } from "../src/decide.ts";
import { aboutRequest } from "../src/finding.ts";
import { GIT_HARDENING } from "../src/git-hardening.ts";
import { loadRules, type RuleFile } from "../src/rules/rule-file.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me" };

function verdict(
  command: string,
  rules: RuleFile = {},
  more: Partial<PolicyRequest> = {},
  config: PolicyConfig = {},
): Verdict {
  return decide({ command, ...PLACE, ...more }, { ruleSets: [loadRules(rules, "user")], ...config });
}
const codes = (...given: Parameters<typeof verdict>): string[] => verdict(...given).reasons.map(({ code }) => code);
const messages = (...given: Parameters<typeof verdict>): string[] =>
  verdict(...given).reasons.map(({ message }) => message);

describe("a whole verdict", () => {
  it("about what reads", () => {
    expect(verdict("ls")).toStrictEqual({
      behavior: "allow",
      class: "readonly",
      concurrencySafe: true,
      reasons: [],
      matchedRules: [],
      suggestedRules: [],
      display: "ls",
      environment: {},
      reading: "unheld",
    });
  });

  it("about what a rule allows has the findings that it covers, and rests on no reading", () => {
    expect(verdict("make", { allow: ["Bash(make)"] })).toStrictEqual({
      behavior: "allow",
      class: "not-readonly",
      concurrencySafe: false,
      reasons: [
        {
          code: "runs-code",
          severity: "exec",
          message: "`make` runs code; only asking for its version is read-only",
          span: { start: 0, end: 4 },
          argv: ["make"],
        },
      ],
      matchedRules: [{ rule: "Bash(make)", behavior: "allow", source: "user" }],
      suggestedRules: [],
      display: "make",
      environment: {},
    });
  });

  it("about a hard block names no rule, whatever there is", () => {
    expect(verdict("rm -rf /etc", { allow: ["Bash"], deny: ["Bash(rm **)"] })).toStrictEqual({
      behavior: "deny",
      class: "blocked",
      concurrencySafe: false,
      reasons: [
        {
          code: "remove-system",
          severity: "block",
          message: "`rm -r` on the system folder `/etc`",
          span: { start: 0, end: 11 },
          argv: ["rm", "-rf", "/etc"],
        },
      ],
      matchedRules: [],
      suggestedRules: [],
      display: "rm -rf /etc",
      environment: {},
    });
  });

  it("about an error of the policy's own shows the command and allows nothing", () => {
    const broken = (thrown: unknown, more: Partial<PolicyRequest> = {}): Verdict =>
      decide(
        { command: "ls \u202e", ...more },
        {
          get ruleSets(): never {
            throw thrown;
          },
        },
      );

    expect(broken("a text")).toStrictEqual({
      behavior: "ask",
      class: "unparseable",
      concurrencySafe: false,
      reasons: [aboutRequest("policy-error", "unknown", "the policy failed: a text")],
      matchedRules: [],
      suggestedRules: [],
      display: "ls \\u{202e}",
      environment: {},
    });
    for (const mode of POLICY_MODES) {
      const expected = mode === "plan" || mode === "dontAsk" ? "deny" : "ask";
      expect(broken(new Error("x"), { mode, sandboxed: true }).behavior, mode).toBe(expected);
    }
  });
});

describe("a restricting rule", () => {
  it.each<[string, RuleFile, string, string, string[]]>([
    ["make", { deny: ["Bash(make)"] }, "deny", "the command matches the rule `deny Bash(make)`", ["Bash(make)"]],
    ["make", { ask: ["Bash(make)"] }, "ask", "the command matches the rule `ask Bash(make)`", ["Bash(make)"]],
    [
      "make $x",
      { deny: ["Bash(make x)"] },
      "ask",
      "the command may match the rule `deny Bash(make x)`",
      ["Bash(make x)"],
    ],
    [
      "make $x",
      { ask: ["Bash(make x)"] },
      "ask",
      "the command may match the rule `ask Bash(make x)`",
      ["Bash(make x)"],
    ],
    [
      "make",
      { ask: [{ rule: "Bash(make)", reason: "it is slow" }] },
      "ask",
      "the command matches the rule `ask Bash(make)`: it is slow",
      ["Bash(make)"],
    ],
    // A denial that is sure counts before what comes first in the list.
    [
      "make $x; rm a",
      { deny: ["Bash(make x)", "Bash(rm **)"], ask: ["Bash(rm *)"] },
      "deny",
      "the command matches the rule `deny Bash(rm **)`",
      ["Bash(make x)", "Bash(rm **)", "Bash(rm *)"],
    ],
    // Of those that may match and those that ask, the first one is named.
    [
      "make $x; rm a",
      { deny: ["Bash(make x)"], ask: ["Bash(rm *)"] },
      "ask",
      "the command may match the rule `deny Bash(make x)`",
      ["Bash(make x)", "Bash(rm *)"],
    ],
  ])("for %s %j", (command, rules, behavior, message, matched) => {
    const found = verdict(command, rules);

    expect(found.behavior).toBe(behavior);
    expect(found.reasons.map((each) => each.message)).toEqual([message]);
    expect(found.matchedRules.map(({ rule }) => rule)).toEqual(matched);
    expect(found.suggestedRules).toEqual([]);
  });

  it("has a code by what it does, and its reason among the matched rules", () => {
    const rules = { deny: [{ rule: "Bash(make)", reason: "no" }] };

    expect(codes("make", rules)).toEqual(["rule-deny"]);
    expect(codes("make", { ask: ["Bash(make)"] })).toEqual(["rule-ask"]);
    expect(verdict("make", rules).matchedRules).toStrictEqual([
      { rule: "Bash(make)", behavior: "deny", source: "user", reason: "no" },
    ]);
  });

  it("counts for the text that the command was made of, in the folder of that text", () => {
    const original = { command: "cd /srv && make", cwd: "/proj" };
    const moved = { cwd: "/srv", original };

    expect(verdict("make", { deny: ["Bash(cd **)"] }, moved).behavior).toBe("deny");
    expect(verdict("make", { deny: ["Bash(cd **)"] }, { cwd: "/srv" }).behavior).toBe("ask");
    expect(verdict("make", { allow: ["Bash(make)"] }, { ...moved, workspace: "/srv" }).behavior).toBe("allow");
    const write = { deny: ["Write(/proj/out)"] };
    expect(verdict("make", write, { cwd: "/srv", original: { command: "make > out", cwd: "/proj" } }).behavior).toBe(
      "deny",
    );
    expect(verdict("make", write, { cwd: "/srv", original: { command: "make > out", cwd: "/a" } }).behavior).toBe(
      "ask",
    );
  });

  it("about a variable counts for those that the call sets", () => {
    const rules = { deny: ["Env(CI)"] };

    expect(verdict("ls", rules, { env: { CI: "1" } }).behavior).toBe("deny");
    expect(verdict("ls", rules, { env: { LANG: "C" } }).behavior).toBe("allow");
    expect(verdict("ls", rules).behavior).toBe("allow");
  });

  it("of a project counts in a folder that is not trusted, an allowing one does not", () => {
    const project = (rules: RuleFile, trusted?: boolean): string =>
      decide(
        { command: "make", ...PLACE, ...(trusted === undefined ? {} : { trusted }) },
        { ruleSets: [loadRules(rules, "project")] },
      ).behavior;

    for (const trusted of [undefined, false, true]) {
      expect(project({ deny: ["Bash(make)"] }, trusted)).toBe("deny");
      expect(project({ allow: ["Bash(make)"] }, trusted)).toBe(trusted === true ? "allow" : "ask");
    }
  });
});

describe("a doubt of the caller's", () => {
  const doubts = [aboutRequest("doubt", "unknown", "who knows")];

  it("asks in every mode that asks, before what rules allow, and behind what they forbid", () => {
    const asked = { allow: ["Bash"] };

    for (const mode of POLICY_MODES) {
      const expected = mode === "plan" || mode === "dontAsk" ? "deny" : "ask";
      expect(verdict("ls", asked, { doubts, mode, sandboxed: true }).behavior, mode).toBe(expected);
      expect(codes("ls", asked, { doubts, mode }), mode).toEqual(["doubt"]);
    }
    expect(codes("ls", { ask: ["Bash(ls)"] }, { doubts })).toEqual(["rule-ask"]);
    expect(verdict("ls", {}, { doubts: [] }).behavior).toBe("allow");
  });

  it("stands behind the policy's own", () => {
    expect(codes("$x apply", {}, { doubts }, { blockedCommands: ["terraform apply"] })).toEqual([
      "blocked-command-doubt",
      "doubt",
    ]);
  });
});

describe("a block that the text does not decide", () => {
  const line = 'rm -rf "$X"';

  it("asks in every mode, unless the policy or the request has switched that off", () => {
    expect(codes(line, { allow: ["Bash"] }, { mode: "yolo" })).toEqual(["undecided-block"]);
    expect(verdict(line, {}, { mode: "yolo" }, { askUndecidedBlocks: true }).behavior).toBe("ask");
    expect(verdict(line, {}, { mode: "yolo", askUndecidedBlocks: true }).behavior).toBe("ask");
    expect(verdict(line, {}, { mode: "yolo" }, { askUndecidedBlocks: false }).behavior).toBe("allow");
    expect(verdict(line, {}, { mode: "yolo", askUndecidedBlocks: false }).behavior).toBe("allow");
    expect(verdict(line, {}, { mode: "yolo", askUndecidedBlocks: false }, { askUndecidedBlocks: true }).behavior).toBe(
      "allow",
    );
  });
});

describe("rules that would allow a command", () => {
  it.each<[Partial<PolicyRequest>, string, string[]]>([
    [{}, "ask", ["Bash(make)"]],
    [{ mode: "acceptEdits" }, "ask", ["Bash(make)"]],
    [{ mode: "auto" }, "ask", ["Bash(make)"]],
    [{ sandboxed: true }, "ask", ["Bash(make)"]],
    [{ mode: "acceptEdits", sandboxed: true }, "ask", ["Bash(make)"]],
    [{ mode: "dontAsk" }, "deny", ["Bash(make)"]],
    [{ interactive: false }, "deny", ["Bash(make)"]],
    [{ interactive: true }, "ask", ["Bash(make)"]],
    // There no rule would.
    [{ mode: "plan" }, "deny", []],
    [{ mode: "yolo" }, "allow", []],
    [{ mode: "auto", sandboxed: true }, "allow", []],
  ])("are suggested where a person would have been asked: %j", (more, behavior, suggestedRules) => {
    expect(verdict("make", {}, more)).toMatchObject({ behavior, suggestedRules });
  });
});

describe("the variables of a verdict", () => {
  it("harden git that reads, whatever becomes of it", () => {
    expect(verdict("git status", {}, { gitDangers: [] })).toMatchObject({
      behavior: "allow",
      environment: GIT_HARDENING,
    });
    expect(verdict("ls; /usr/bin/git log", {}, { gitDangers: [] }).environment).toEqual(GIT_HARDENING);
    expect(verdict("git status")).toMatchObject({ behavior: "ask", environment: GIT_HARDENING });
    expect(verdict("git push", {}, { gitDangers: [] }).environment).toEqual({});
    expect(verdict("git push; git log", { allow: ["Bash"] }, { gitDangers: [] }).environment).toEqual({});
    expect(verdict("ls git", {}, { gitDangers: [] }).environment).toEqual({});
  });
});

describe("a mode that only looks", () => {
  it("refuses what would ask, and says why", () => {
    const plan = { mode: "plan" } as const;

    expect(verdict("ls", {}, plan)).toMatchObject({ behavior: "allow", class: "readonly" });
    expect(messages("ls", {}, { ...plan, taint: "`alias`" })).toEqual([
      "`alias` changed this session earlier, so the text no longer tells what runs",
    ]);
    expect(verdict("ls", {}, { ...plan, taint: "`alias`" }).behavior).toBe("deny");
    expect(verdict("ls", { ask: ["Bash(ls)"] }, plan).behavior).toBe("deny");
    expect(codes("ls &", {}, plan)).toEqual(["session-change"]);
    expect(codes("ls &")).toEqual([]);
  });
});
