/** What is wrong with a file of rules, with its place, field by field. */
import { describe, expect, it } from "vitest";
import { loadRuleFile, loadRules } from "../../src/rules/rule-file.ts";

describe("a file of rules that is broken", () => {
  it.each([
    ["[]", "line 1, column 1: the rule file is not an object with `allow`, `ask` and `deny`"],
    ["null", "line 1, column 1: the rule file is not an object with `allow`, `ask` and `deny`"],
    ['{"alow":[]}', "line 1, column 9: `alow`: unknown key; the nearest is `allow`"],
    ['{"allow":"x"}', "line 1, column 10: `allow`: is not a list of rules"],
    ['{"deny":[1]}', "line 1, column 10: `deny[0]`: is neither a rule nor `{ rule, reason, match, notMatch }`"],
    ['{"deny":[[]]}', "line 1, column 10: `deny[0]`: is neither a rule nor `{ rule, reason, match, notMatch }`"],
    ['{"deny":[{}]}', "line 1, column 10: `deny[0]`: has no `rule`"],
    ['{"deny":[{"rule":1}]}', "line 1, column 18: `deny[0].rule`: is not a string"],
    ['{"deny":[{"rule":"Bash(x)","reason":2}]}', "line 1, column 37: `deny[0].reason`: is not a string"],
    [
      '{"deny":[{"rule":"Bash(x)","reasn":"x"}]}',
      "line 1, column 36: `deny[0].reasn`: unknown key; the nearest is `reason`",
    ],
    ['{"allow":[{"rule":"Bash(x)","match":"x"}]}', "line 1, column 37: `allow[0].match`: is not a list of commands"],
    [
      '{"allow":[{"rule":"Bash(x)","notMatch":{}}]}',
      "line 1, column 40: `allow[0].notMatch`: is not a list of commands",
    ],
    [
      '{"allow":[{"rule":"Bash(x)","match":["x",1]}]}',
      "line 1, column 42: `allow[0].match[1]`: is not a command in quotes",
    ],
    [
      '{"ask":["Bash(y)",{"rule":"Bash(x)","match":["x","y"]}]}',
      "line 1, column 50: `ask[1].match[1]`: `Bash(x)` does not match `y`",
    ],
    ['{"ask":[{"rule":"Bash(x)","notMatch":["x"]}]}', "line 1, column 39: `ask[0].notMatch[0]`: `Bash(x)` matches `x`"],
    [
      '{"deny":[{"rule":"Bash("}]}',
      "line 1, column 18: `deny[0].rule`: `Bash(` is not a rule: expected `Bash(…)`, `Write(…)` or `Env(…)`",
    ],
    [
      ' {\n "allow": [\n  "oops" ] }',
      "line 3, column 3: `allow[0]`: `oops` is not a rule: expected `Bash(…)`, `Write(…)` or `Env(…)`",
    ],
  ])("as %s is says: %s", (text, problem) => {
    expect(loadRuleFile(text, "user")).toMatchObject({ source: "user", problems: [problem], warnings: [] });
  });

  it("is named where its name is known", () => {
    expect(loadRuleFile('{"allow":"x"}', "user", "/a/rules.json").problems).toEqual([
      "/a/rules.json:1:10: `allow`: is not a list of rules",
    ]);
  });

  it("names all that is wrong, and gives no rule of a wrong shape", () => {
    const { problems, rules } = loadRuleFile('{"deny":[1,{"match":1}],"x":[]}', "user");

    expect(problems.map((each) => each.replace(/^.*?: /, ""))).toEqual([
      "`deny[0]`: is neither a rule nor `{ rule, reason, match, notMatch }`",
      "`deny[1].match`: is not a list of commands",
      "`deny[1]`: has no `rule`",
      expect.stringContaining("`x`: unknown key"),
    ]);
    expect(rules).toEqual([]);
  });
});

describe("a file of rules that is good", () => {
  it("gives its rules, the strictest first, and its warnings", () => {
    const set = loadRuleFile(
      '{"allow":["Bash(l*)"],"ask":["Bash(b)"],"deny":[{"rule":"Bash(c)","reason":"no"}]}',
      "cli",
    );

    expect(set.problems).toEqual([]);
    expect(set.rules.map(({ text, behavior, source, reason }) => [text, behavior, source, reason])).toEqual([
      ["Bash(c)", "deny", "cli", "no"],
      ["Bash(b)", "ask", "cli", undefined],
      ["Bash(l*)", "allow", "cli", undefined],
    ]);
    expect(set.warnings).toEqual([
      "line 1, column 11: `allow[0]`: `l*` matches every program that begins so; `l *` has a word boundary",
    ]);
  });

  it("has examples that an allowing rule covers as a whole, and a restricting one concerns", () => {
    const problems = (behavior: "allow" | "deny", rule: string, match: string[], notMatch: string[]): number =>
      loadRules({ [behavior]: [{ rule, match, notMatch }] }, "user").problems.length;

    expect(
      problems("allow", "Bash(make)", ["make", "timeout 5 make"], ["make x", "make; ls", "make 'x", "", "$x"]),
    ).toBe(0);
    expect(problems("deny", "Bash(make)", ["make", "ls; make", "sudo make", "$x"], ["make x", "ls", ""])).toBe(0);
    expect(problems("allow", "Write(out/**)", ["ls > out/a"], ["ls > b", "ls"])).toBe(0);
    expect(problems("deny", "Write(/out/**)", ["ls > /out/a", "ls > $x"], ["ls > b", "ls < /out/a"])).toBe(0);
    // A copy of a descriptor writes to no file of that name.
    expect(
      problems("deny", "Write(**)", ["ls > a", "ls >& a"], ["ls 2>&1", "ls >&2", "ls >&-", "ls 1>&2-", "ls <&0"]),
    ).toBe(0);
    expect(problems("allow", "Env(CI_*)", ["CI_A", "CI_"], ["CI", "XCI_A"])).toBe(0);
    expect(problems("deny", "Env(CI)", ["CI"], ["CI_A", "ci"])).toBe(0);
  });
});
