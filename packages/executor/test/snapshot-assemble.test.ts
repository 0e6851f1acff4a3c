/**
 * What of a user's rc gets into a snapshot, and how it is written.
 */
import { describe, expect, it } from "vitest";
import { assembleSnapshot } from "../src/snapshot/assemble.ts";
import { quote } from "../src/snapshot/quote.ts";
import { parseRecord, type ShellRecord } from "../src/snapshot/record.ts";

function record(
  parts: Partial<{
    [Key in keyof ShellRecord]: ShellRecord[Key] extends Map<string, infer Value> ? Record<string, Value> : string;
  }>,
): ShellRecord {
  return {
    bashVersion: "5.2",
    options: new Map(Object.entries(parts.options ?? {})),
    shopts: new Map(Object.entries(parts.shopts ?? {})),
    exports: new Map(Object.entries(parts.exports ?? {})),
    functions: new Map(Object.entries(parts.functions ?? {})),
    aliases: new Map(Object.entries(parts.aliases ?? {})),
    variables: new Map(Object.entries(parts.variables ?? {})),
  };
}

describe("a snapshot", () => {
  it("has public functions with the private helpers they call, at any depth, and no others", () => {
    const functions = {
      deploy: "deploy () \n{ \n    _check; echo $(_deep)\n}\n",
      _check: "_check () \n{ \n    _deeper\n}",
      _deeper: "_deeper () { :; }",
      _deep: "_deep () { :; }",
      _unused: "_unused () { :; }",
      ls: "ls () { command ls --color; }",
    };

    expect(assembleSnapshot(record({ functions })).functions).toEqual(["deploy", "_check", "_deep", "_deeper"]);
  });

  it("has helpers that only an alias calls", () => {
    const { functions } = assembleSnapshot(
      record({ aliases: { d: "_run --all" }, functions: { _run: "_run () { :; }" } }),
    );

    expect(functions).toEqual(["_run"]);
  });

  it("has the variables that functions read, with their kind, but not those of the environment", () => {
    const { text } = assembleSnapshot(
      record({
        functions: { f: 'f () { echo "$PLAIN ${LIST[0]} ${#MAP[@]} $FIXED $INHERITED $UNSET"; }' },
        variables: {
          PLAIN: 'declare -- PLAIN="a b"\n',
          LIST: 'declare -a LIST=([0]="x")',
          MAP: 'declare -A MAP=([k]="v" )',
          FIXED: 'declare -ir FIXED="3"',
          INHERITED: 'declare -x INHERITED="y"',
          UNREAD: 'declare -- UNREAD="1"',
        },
      }),
    );

    expect(text).toContain('declare -g PLAIN="a b"\n');
    expect(text).toContain('declare -ga LIST=([0]="x")\n');
    expect(text).toContain('declare -gA MAP=([k]="v" )\n');
    expect(text).toContain('declare -gi FIXED="3"\n');
    expect(text).not.toMatch(/INHERITED=|UNREAD|UNSET=/);
  });

  it("has what the rc exported, except what looks like a secret or keeps programs unattended", () => {
    const { text, path } = assembleSnapshot(
      record({
        exports: {
          NVM_DIR: "/home/me/.nvm",
          GITHUB_TOKEN: "ghp_x",
          OPENAI_API_KEY: "k",
          DB: "postgres://u:p@h/d",
          EDITOR: "vim",
          PAGER: "less",
          BASH_ENV: "/x",
          GIT_DIR: "/x",
          PATH: "/it's/bin:$PATH",
        },
      }),
    );

    expect(text).toContain("export NVM_DIR='/home/me/.nvm'\n");
    expect(text).toContain("export PATH='/it'\\''s/bin:$PATH'\n");
    expect(path).toBe("/it's/bin:$PATH");
    expect(text).not.toMatch(/TOKEN|OPENAI|postgres|EDITOR|PAGER|BASH_ENV|GIT_DIR/);
  });

  it("never has a secret that a function reads", () => {
    const { text } = assembleSnapshot(
      record({
        functions: { f: "f () { curl -H $MY_TOKEN; }" },
        variables: { MY_TOKEN: 'declare -- MY_TOKEN="hunter2"' },
      }),
    );

    expect(text).not.toContain("hunter2");
  });

  it("RC-08: defines functions before aliases, with alias expansion off, and leaves out words of the grammar", () => {
    const { text } = assembleSnapshot(
      record({
        shopts: { extglob: true, expand_aliases: true },
        functions: { foo: "foo () \n{ \n    echo\n}" },
        aliases: { foo: "x", if: "y", ll: "ls -l", ls: "ls --color", "a b": "z", q: "it's" },
      }),
    );
    const order = [
      "shopt -u expand_aliases",
      "shopt -s extglob",
      "foo ()",
      "alias -- 'foo'='x'",
      "shopt -s expand_aliases",
    ];
    const places = order.map((piece) => text.indexOf(piece));

    expect(places).toEqual([...places].sort((left, right) => left - right));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(text).toContain("alias -- 'q'='it'\\''s'\n");
    expect(text).not.toMatch(/'if'|'ls'|'a b'/);
  });

  it("has changed options, except those that stop or trace a shell", () => {
    const { text } = assembleSnapshot(
      record({
        options: { pipefail: true, noclobber: false, errexit: true, nounset: true, xtrace: true, vi: true },
        shopts: { globstar: true },
      }),
    );

    expect(text).toContain("set -o pipefail\n");
    expect(text).toContain("set +o noclobber\n");
    expect(text).toContain("shopt -s globstar\n");
    expect(text).not.toMatch(/errexit|nounset|xtrace|o vi/);
  });

  it("quotes any text as one word", () => {
    expect(quote("a'b$(c)\n\\")).toBe("'a'\\''b$(c)\n\\'");
  });
});

describe("a record", () => {
  it("is read field by field, and only changes count", () => {
    const fields = [
      "version",
      "5.2",
      "option",
      "vi",
      "off",
      "before",
      "shopt",
      "extglob",
      "off",
      "before",
      "export",
      "A",
      "1",
      "before",
      "export",
      "B",
      "1",
      "before",
    ];
    fields.push(
      "option",
      "vi",
      "off",
      "after",
      "shopt",
      "extglob",
      "on",
      "after",
      "export",
      "A",
      "1",
      "after",
      "export",
      "B",
      "2",
      "after",
    );
    fields.push(
      "export",
      "C",
      "multi\nline",
      "after",
      "function",
      "f",
      "f () { :; }\n",
      "alias",
      "a",
      "b",
      "variable",
      "V",
      'declare -- V="1"\n',
      "function",
      "__pi_x",
      "no",
      "end",
      "",
    );

    const read = parseRecord(fields.join("\0"));

    expect(read?.shopts).toEqual(new Map([["extglob", true]]));
    expect(read?.options.size).toBe(0);
    expect(read?.exports).toEqual(
      new Map([
        ["B", "2"],
        ["C", "multi\nline"],
      ]),
    );
    expect([...(read?.functions.keys() ?? [])]).toEqual(["f"]);
  });

  it("that was cut short is none", () => {
    expect(parseRecord("")).toBeUndefined();
    expect(parseRecord("version\x005.2\0option\0vi")).toBeUndefined();
    expect(parseRecord("something\0else\0end\0")).toBeUndefined();
  });
});
