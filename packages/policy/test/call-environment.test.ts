/** What the variables of a call mean for its decision, and which rules answer for them. */
import { describe, expect, it } from "vitest";
import { environmentFindings } from "../src/call-environment.ts";
import { loadRules, type RuleFile } from "../src/rules/rule-file.ts";

function findings(env: Readonly<Record<string, string>> | undefined, rules: RuleFile = {}) {
  return environmentFindings(env, loadRules(rules, "user").rules);
}

/** The names that are dangerous and those that are not known, in their order. */
function names(...given: Parameters<typeof findings>): [string[], string[]] {
  const { dangerous, unknown } = findings(...given);
  const name = ({ message }: { readonly message: string }): string => /`(.*)`/.exec(message)?.[1] ?? "";
  return [dangerous.map(name), unknown.map(name)];
}

describe("the variables of a call", () => {
  it("are dangerous, not known, or harmless with their values", () => {
    expect(findings({ LD_PRELOAD: "x", FOO: "1", LANG: "C", PAGER: "cat" })).toEqual({
      dangerous: [
        {
          code: "dangerous-variable",
          severity: "exec",
          message: "setting `LD_PRELOAD` can make programs run other code",
          span: { start: 0, end: 0 },
        },
      ],
      unknown: [
        {
          code: "unknown-variable",
          severity: "exec",
          message: "setting `FOO` may change what programs do; it is not known to be harmless",
          span: { start: 0, end: 0 },
        },
      ],
      suggestedRules: ["Env(FOO)"],
    });
    expect(findings(undefined)).toEqual({ dangerous: [], unknown: [], suggestedRules: [] });
    expect(names({ PAGER: "less", LANG: "/x" })).toEqual([["PAGER"], ["LANG"]]);
  });

  it("are named in the order of their names", () => {
    expect(names({ B: "1", PATH: "x", C: "1", HOME: "x", A: "1", ENV: "x" })).toEqual([
      ["ENV", "HOME", "PATH"],
      ["A", "B", "C"],
    ]);
  });

  it("have a rule suggested only where one could name them", () => {
    expect(findings({ A_1: "x", _b: "x", "a-b": "x", "1a": "x", "a b": "x", "": "x" }).suggestedRules).toEqual([
      "Env(A_1)",
      "Env(_b)",
    ]);
    expect(names({ "a-b": "x", "": "x" })[1]).toEqual(["", "a-b"]);
  });
});

describe("an allow rule", () => {
  it.each<[RuleFile, [string[], string[]]]>([
    [{}, [["PATH"], ["FOO", "FOO_A"]]],
    [{ allow: ["Env(FOO)"] }, [["PATH"], ["FOO_A"]]],
    [{ allow: ["Env(FOO*)"] }, [["PATH"], []]],
    [{ allow: ["Env(FOO_*)"] }, [["PATH"], ["FOO"]]],
    [{ allow: ["Env(PATH)"] }, [[], ["FOO", "FOO_A"]]],
    // A dangerous one has to be named in full.
    [{ allow: ["Env(PAT*)"] }, [["PATH"], ["FOO", "FOO_A"]]],
    [{ allow: ["Bash"] }, [["PATH"], []]],
    [{ allow: ["Bash", "Env(PATH)"] }, [[], []]],
    [{ allow: ["Bash(FOO)", "Write(FOO)"] }, [["PATH"], ["FOO", "FOO_A"]]],
    // Rules that restrict answer for nothing.
    [{ deny: ["Env(FOO)", "Bash"], ask: ["Env(PATH)"] }, [["PATH"], ["FOO", "FOO_A"]]],
  ])("%j leaves %j", (rules, left) => {
    expect(names({ PATH: "x", FOO: "1", FOO_A: "1", LANG: "C" }, rules)).toEqual(left);
  });
});
