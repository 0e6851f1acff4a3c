/** The text of a snapshot, whole and line by line, and of which facts of a shell it is made. */
import { describe, expect, it } from "vitest";
import { assembleSnapshot } from "../src/snapshot/assemble.ts";
import { parseRecord, type ShellRecord } from "../src/snapshot/record.ts";

type Parts = { [Key in keyof ShellRecord]?: [string, string | boolean][] };

function record(parts: Parts = {}): ShellRecord {
  const names = ["options", "shopts", "exports", "functions", "aliases", "variables"] as const;
  const maps = names.map((name) => [name, new Map(parts[name] ?? [])]);
  return { bashVersion: "5.2", ...Object.fromEntries(maps) } as unknown as ShellRecord;
}
/** The lines of a snapshot without the two that each has. */
const lines = (parts: Parts): string[] => assembleSnapshot(record(parts)).text.split("\n").slice(2, -1);

describe("a snapshot", () => {
  it("of a shell that has nothing is two lines", () => {
    expect(assembleSnapshot(record())).toStrictEqual({
      text:
        "# Functions, aliases and options of the user's rc. Written by pi-bash; removed with its session.\n" +
        "shopt -u expand_aliases\n",
      functions: [],
      path: undefined,
    });
  });

  it("of a shell that has everything is in one order: options, functions, variables, exports, options, aliases", () => {
    const { text, functions, path } = assembleSnapshot(
      record({
        shopts: [
          ["extglob", true],
          ["dotglob", false],
        ],
        functions: [["greet", "greet () \n{ \n    echo $B $A\n}\n\n"]],
        variables: [
          ["A", 'declare -- A="1"\n'],
          ["B", 'declare -i B="2"\n'],
        ],
        exports: [
          ["ZED", "z"],
          ["PATH", "/bin"],
          ["ALPHA", "it's"],
        ],
        options: [
          ["pipefail", true],
          ["noglob", false],
        ],
        aliases: [
          ["ll", "ls -l"],
          ["g", "git"],
        ],
      }),
    );

    expect(text.split("\n").slice(1)).toEqual([
      "shopt -u expand_aliases",
      "shopt -s extglob",
      "shopt -u dotglob",
      "greet () ",
      "{ ",
      "    echo $B $A",
      "}",
      'declare -g A="1"',
      'declare -gi B="2"',
      "export ALPHA='it'\\''s'",
      "export ZED='z'",
      "export PATH='/bin'",
      "set -o pipefail",
      "set +o noglob",
      "alias -- 'll'='ls -l'",
      "alias -- 'g'='git'",
      "shopt -s expand_aliases",
      "",
    ]);
    expect([functions, path]).toEqual([["greet"], "/bin"]);
  });

  it.each<[string, Parts, string[]]>([
    [
      "an option whose name is not plain",
      {
        options: [
          ["a b", true],
          ["A", true],
          ["x1_y-z", true],
        ],
      },
      ["set -o x1_y-z"],
    ],
    [
      "a shell option whose name is not plain",
      {
        shopts: [
          ["a;b", true],
          ["ok_1", false],
        ],
      },
      ["shopt -u ok_1"],
    ],
    [
      "an export whose name is not plain",
      {
        exports: [
          ["a-b", "1"],
          ["1A", "1"],
          ["_A1", "1"],
        ],
      },
      ["export _A1='1'"],
    ],
    [
      "an export that steers a shell",
      {
        exports: [
          ["GIT_DIR", "/x"],
          ["LD_PRELOAD", "/x"],
        ],
      },
      [],
    ],
    [
      "an export that keeps programs unattended",
      {
        exports: [
          ["PAGER", "less"],
          ["CI", ""],
        ],
      },
      [],
    ],
    ["an export of a model provider", { exports: [["OPENAI_API_KEY", "k"]] }, []],
    ["an export with the name of a secret", { exports: [["MY_TOKEN", "k"]] }, []],
    ["an export with the form of a secret", { exports: [["DB", "postgres://u:p@h/d"]] }, []],
    [
      "an export that bash sets itself",
      {
        exports: [
          ["HISTSIZE", "1"],
          ["PS1", "$"],
          ["_", "x"],
        ],
      },
      [],
    ],
    [
      "a function whose name is not plain",
      {
        functions: [
          ["a/b", "x"],
          ["a b", "x"],
        ],
      },
      [],
    ],
    ["a function named like a word of the grammar", { functions: [["while", "x"]] }, []],
    ["a function named like a common tool", { functions: [["grep", "x"]] }, []],
    ["an alias of a common tool", { aliases: [["ls", "ls --color"]] }, []],
    ["an alias of a word of the grammar", { aliases: [["if", "x"]] }, []],
  ])("leaves out %s", (_, parts, expected) => {
    expect(lines(parts)).toEqual(expected);
  });

  it.each([
    ["is not exported", 'declare -- V="1"', ['declare -g V="1"']],
    ["can be read only", 'declare -r V="1"', ['declare -g V="1"']],
    ["has several attributes", 'declare -air V=([0]="1")', ['declare -gai V=([0]="1")']],
    ["has several lines", 'declare -- V="1\n2"', ['declare -g V="1', '2"']],
    ["is in the environment", 'declare -x V="1"', []],
    ["is in the environment besides", 'declare -ix V="1"', []],
    ["names another one", 'declare -n V="other"', []],
    ["has no value", "", []],
    ["is not a declaration", "V=1", []],
    ["has a declaration behind something", ' declare -- V="1"', []],
    ["has the form of a secret", 'declare -- V="postgres://u:p@h/d"', []],
  ])("has a variable that a function reads, or not, where it %s", (_, text, expected) => {
    const found = lines({ functions: [["f", "f () { echo ${V}; }"]], variables: [["V", text]] });
    expect(found).toEqual(["f () { echo ${V}; }", ...expected]);
  });

  it("has a variable that an alias reads, each once, and not one that the rc exported", () => {
    const variables: [string, string][] = ["A", "B"].map((name) => [name, `declare -- ${name}="1"`]);
    expect(lines({ aliases: [["x", "echo $A ${#A} ${!A}"]], variables })).toEqual([
      'declare -g A="1"',
      "alias -- 'x'='echo $A ${#A} ${!A}'",
      "shopt -s expand_aliases",
    ]);
    expect(lines({ aliases: [["x", "echo $A"]], variables, exports: [["A", "2"]] })[0]).toBe("export A='2'");
  });

  it("has each function once, private ones behind those that call them", () => {
    const functions: [string, string][] = [
      ["one", "one () { _a; two; }"],
      ["_a", "_a () { _b; one; }"],
      ["two", "two () { _a; ls; }"],
      ["_b", "_b () { :; }"],
      ["_c", "_c () { :; }"],
      ["ls", "ls () { :; }"],
    ];
    expect(assembleSnapshot(record({ functions })).functions).toEqual(["one", "two", "_a", "_b"]);
    expect(assembleSnapshot(record({ functions, aliases: [["x", "_c --all"]] })).functions).toEqual([
      ...["one", "two", "_c", "_a", "_b"],
    ]);
  });
});

describe("a record", () => {
  const fields = (...parts: string[]) => parseRecord([...parts, "end", ""].join("\0"));

  it("has every kind of fact, of which only what changed counts where there is a before", () => {
    expect(
      fields(
        ...["version", "5.2.37"],
        ...["option", "vi", "off", "before", "option", "posix", "on", "before"],
        ...["option", "vi", "on", "after", "option", "posix", "off", "after"],
        ...["shopt", "extglob", "off", "before", "shopt", "extglob", "on", "after", "shopt", "dotglob", "off", "after"],
        ...["export", "A", "1", "before", "export", "A", "1", "after", "export", "B", "", "after"],
        ...["function", "f", "f () { :; }\n", "alias", "ll", "ls -l", "variable", "V", 'declare -- V="1"'],
      ),
    ).toStrictEqual({
      bashVersion: "5.2.37",
      options: new Map([
        ["vi", true],
        ["posix", false],
      ]),
      shopts: new Map([
        ["extglob", true],
        ["dotglob", false],
      ]),
      exports: new Map([["B", ""]]),
      functions: new Map([["f", "f () { :; }\n"]]),
      aliases: new Map([["ll", "ls -l"]]),
      variables: new Map([["V", 'declare -- V="1"']]),
    });
  });

  it("does not take an option for a shell option or an export of that name", () => {
    const found = fields("option", "a", "on", "before", "shopt", "a", "on", "after", "export", "a", "on", "after");
    expect([found?.options, found?.shopts, found?.exports]).toEqual([
      new Map(),
      new Map([["a", true]]),
      new Map([["a", "on"]]),
    ]);
  });

  it("has nothing of the script's own, and ends at its end", () => {
    const own = fields("variable", "__pi_x", "1", "alias", "__pi_y", "2", "export", "__pi_z", "3", "after");
    expect([own?.variables.size, own?.aliases.size, own?.exports.size]).toEqual([0, 0, 0]);
    expect(parseRecord("end\0version\x005.2\0")?.bashVersion).toBe("");
    expect(parseRecord("version\x005.2\0")).toBeUndefined();
  });
});
