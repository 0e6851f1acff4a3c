/** JSON with places: the same values as `JSON.parse`, and a line and a column for what is wrong. */
import { describe, expect, it } from "vitest";
import { jsonPathText, nearestNames, readJson } from "../src/internal.ts";

function problemOf(text: string): string {
  const json = readJson(text);
  return "problem" in json ? `${json.place.line}:${json.place.column}: ${json.problem}` : "none";
}

describe("a text", () => {
  it.each(['{"a":[1,-2.5e3,true,false,null,"x\\n\\u00e9"],"b":{}}', "[]", ' "x" ', "0", '{"":{"":[]}}'])(
    "%s has the value that JSON gives it",
    (text) => {
      const json = readJson(text);
      expect("value" in json && json.value).toEqual(JSON.parse(text));
    },
  );

  it("may begin with a byte order mark", () => {
    expect(problemOf('\ufeff{"a":1}')).toBe("none");
  });

  it.each([
    ["", "1:1: a value is expected, not the end of the text"],
    ['{\n  "deny": [\n    "Bash(rm)"\n    "Bash(dd)"\n  ]\n}', '4:5: `,` or `]` is expected, not `"`'],
    ['{"a": 1,\n}', "1:8: there is a comma before `}`"],
    ["[1,]", "1:3: there is a comma before `]`"],
    ["{a: 1}", "1:2: a name in double quotes is expected, not `a`"],
    ["{'a': 1}", "1:2: a name in double quotes is expected, not `'`"],
    ['{"a" 1}', "1:6: `:` is expected behind a name, not `1`"],
    ['{\n  // why\n  "a": 1\n}', "2:3: JSON has no comments"],
    ['{"a": "x', "1:7: the string has no end, or a character that needs a backslash"],
    ['{"a": "x\n"}', "1:7: the string has no end, or a character that needs a backslash"],
    ['{"a": 01}', "1:7: a value is expected, not `0`"],
    ['{"a": undefined}', "1:7: a value is expected, not `u`"],
    ["{} {}", "1:4: more text behind the value"],
    ['{"a": 1', "1:8: `,` or `}` is expected, not the end of the text"],
    ['{"deny": [],\n "deny": []}', "2:2: `deny` is given twice"],
    ["[".repeat(5_000), "1:102: lists and objects nested too deeply"],
  ])("%j is refused with the place", (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it("refuses nothing that JSON takes, and takes nothing that JSON refuses", () => {
    const parts = ['"a"', "1", "-", "{", "}", "[", "]", ",", ":", " ", "null", "\\", "e5", ".5", "tru", '"'];
    let seed = 7;
    const next = (most: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % most;
    };
    for (let round = 0; round < 5_000; round += 1) {
      const text = Array.from({ length: 1 + next(8) }, () => parts[next(parts.length)]).join("");
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      const isTwice = /given twice/.test(problemOf(text));
      expect([text, problemOf(text) === "none" || isTwice]).toEqual([text, isJson]);
    }
  });

  it("says where each part stands, and where what is missing would", () => {
    const json = readJson('{\n  "deny": [\n    "a",\n    { "match": ["x", 5] }\n  ]\n}');
    if (!("value" in json)) throw new Error(json.problem);
    expect(json.placeOf(["deny", 0])).toEqual({ line: 3, column: 5 });
    expect(json.placeOf(["deny", 1, "match", 1])).toEqual({ line: 4, column: 22 });
    expect(json.placeOf(["deny", 1, "rule"])).toEqual({ line: 4, column: 5 });
    expect(json.placeOf([])).toEqual({ line: 1, column: 1 });
  });

  it("has paths as a person writes them", () => {
    expect(jsonPathText(["deny", 2, "match", 0])).toBe("deny[2].match[0]");
  });
});

describe("the nearest names", () => {
  const known = ["bash.outputHeadBytes", "bash.autoBackground.enabled", "async.enabled", "sandboxMode", "limits"];

  it.each([
    ["bash.outputHeadByte", ["bash.outputHeadBytes"]],
    ["bash.ouptutHeadBytes", ["bash.outputHeadBytes"]],
    ["Bash.OutputHeadBytes", ["bash.outputHeadBytes"]],
    ["outputHeadBytes", ["bash.outputHeadBytes"]],
    ["sandboxmode", ["sandboxMode"]],
    ["limit", ["limits"]],
    ["enabled", ["bash.autoBackground.enabled", "async.enabled"]],
    ["colour", []],
  ])("of %s are %j", (name, nearest) => {
    expect(nearestNames(name, known)).toEqual(nearest);
  });
});
