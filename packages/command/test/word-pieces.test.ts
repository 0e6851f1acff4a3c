/** What a word is made of, and where the stages of a pipeline are. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "../src/index.ts";
import { arrayElements, type WordPiece, wordPieces } from "../src/internal.ts";

function shown(piece: WordPiece): string {
  switch (piece.kind) {
    case "text":
      return piece.splits === true ? piece.text.replaceAll(" ", "␣") : piece.text;
    case "glob":
      return piece.any ? "<many>" : "<one>";
    case "tilde":
      return `<home ${piece.user}>`;
    case "parameter": {
      const { prefix = "", name, subscript, operator = "", operand = [], quoted } = piece;
      const slice = piece.offset === undefined ? "" : [piece.offset, piece.length].join(",");
      const index = subscript === undefined ? "" : `[${subscript}]`;
      return `<${quoted ? "quoted " : ""}${prefix}${name}${index}${operator}${operand.map(shown).join("")}${slice}>`;
    }
    case "substitution":
      return `<run ${piece.script}>`;
    case "arithmetic":
      return `<compute ${piece.expression}>`;
    case "other":
      return "<other>";
  }
}

describe("the pieces of a word", () => {
  it.each([
    ["abc", ["abc"]],
    ["'a b'\"c\"$'\\x64'", ["a bcd"]],
    ["/e{t..t}c", ["/etc"]],
    ["{a,b}{1..2}", ["a1", "a2", "b1", "b2"]],
    ["{01..03..2}", ["01", "03"]],
    ["{x,{y,'a,b'}}", ["x", "y", "a,b"]],
    ["{a}", ["{a}"]],
    ["/@(etc)/x*[ab]?", ["/<many>/x<many><one><one>"]],
    ["~/x", ["<home >/x"]],
    ["~root", ["<home root>"]],
    ["'~'/x", ["~/x"]],
    ['"$x"/${y}', ["<quoted x>/<y>"]],
    ["${x:-/}${x%/}", ["<x:-/><x%>"]],
    ["${!x}${#x}${x[@]}", ["<!x><#x><x[@]>"]],
    ["$(echo /)`echo \\`a\\``", ["<run echo /><run echo `a`>"]],
    ["$((1))a$[2]", ["<compute 1>a<compute 2>"]],
    ["${x:-a b'c d'$y}", ["<x:-a␣bc d<y>>"]],
    ['"${x:-a b}"', ["<quoted x:-a b>"]],
    ["${x:-~/a b}${y- }", ["<x:-<home >/a␣b><y-␣>"]],
    ["${x:0:1}${@: -1}", ["<x:0,1><@: -1,>"]],
    ["<(ls)", ["<other>"]],
  ])("of %s", (text, expected) => {
    expect(wordPieces(text)?.words.map((pieces) => pieces.map(shown).join(""))).toEqual(expected);
  });

  it("says that braces make more words than are listed", () => {
    expect(wordPieces("{1..1000}")).toMatchObject({ complete: false });
  });

  it.each(["a b", "a;b", "", "'a", `${"{a,b}".repeat(500)}`])("are not known of what is not one word: %s", (text) => {
    expect(wordPieces(text)).toBeUndefined();
  });

  it("lists the elements of an array", () => {
    expect(arrayElements("(/ \"$x\" [3]='a b')")).toEqual(["/", '"$x"', "'a b'"]);
    expect(arrayElements("x")).toBeUndefined();
  });
});

describe("the context of a pipeline", () => {
  const stagesOf = (line: string) =>
    analyzeCommand(line).constructs.flatMap((construct) =>
      construct.kind === "pipeline"
        ? [construct.stages.map((stage) => stage.map(({ argv }) => argv[0]?.value).join(" "))]
        : [],
    );

  it("has the commands of each stage, at any nesting", () => {
    expect(stagesOf("a | { b; c $(d | e); } | f")).toEqual([
      ["a", "b c d e", "f"],
      ["d", "e"],
    ]);
    expect(stagesOf("! a")).toEqual([["a"]]);
  });

  it("says which commands run in a process of their own because of it", () => {
    const { commands } = analyzeCommand("a | { b; } < f; ! c; { d; } < f; e $(f | g)");

    expect(commands.filter(({ context }) => context.stage).map(({ argv }) => argv[0]?.value)).toEqual([
      "a",
      "b",
      "f",
      "g",
    ]);
  });

  it("is known of every construct", () => {
    const { constructs } = analyzeCommand("(for x in 1; do :; done); coproc N { ls; }");

    expect(constructs.find(({ kind }) => kind === "for")?.context.subshell).toBe(true);
    expect(constructs.find(({ kind }) => kind === "coproc")).toMatchObject({ name: "N", context: { subshell: false } });
  });
});
