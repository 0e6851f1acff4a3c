/** Words: what a program receives, judged by bash itself. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "../src/analyze.ts";
import { bash } from "./judge.ts";

function wordsOf(line: string) {
  return (analyzeCommand(line).commands[0]?.argv ?? []).slice(1);
}

const LITERAL = [
  "a b  c",
  String.raw`'a b' "c d" e\ f`,
  String.raw`\-exec -e''xec -"ex"ec $'-\x65xec' $'\u002dexec'`,
  String.raw`"a\"b" "a\$b" "a\\b" "a\nb" 'a\nb' $'a\nb' $'\'' $'\101\e[0m'`,
  `'' "" a''b ''`,
  "a\\\nb 'c\\\nd' \"e\\\nf\"",
  "{a} a{b}c x=1 a=b=c -- -",
  "a#b 'x # y' [ ]",
  String.raw`"é ü" 中文 \é`,
];

describe("words of a command", () => {
  it.each(LITERAL)("have the value that bash passes on: %s", (line) => {
    const received = bash(`printf '%s\\0' ${line}`).output.split("\0").slice(0, -1);

    expect(wordsOf(`printf ${line}`).map((word) => word.value)).toEqual(received);
  });

  it.each([
    ["$x", "variable"],
    ['"$x"', "variable"],
    ["a$(b)", "substitution"],
    ["`b`", "substitution"],
    ["$((1+1))", "arithmetic"],
    ["$[1+1]", "arithmetic"],
    ["*.c", "glob"],
    ["a?", "glob"],
    ["[ab]", "glob"],
    ["@(a|b)", "glob"],
    ["{a,b}", "brace"],
    ["{1..3}", "brace"],
    ["~/x", "tilde"],
    ["a=~", "tilde"],
    ["<(b)", "process"],
    ['$"text"', "locale"],
  ] as const)("have no value where bash expands: %s", (text, kind) => {
    const [word] = wordsOf(`echo ${text}`);

    expect(word?.value).toBeNull();
    expect(word?.expansions[kind]).toBe(true);
  });

  it.each(["'$x'", String.raw`\$x`, "'*'", String.raw`\*`, "'~'", String.raw`\~`, "a~b", "HEAD~1", "'{a,b}'", "--x=~"])(
    "have a value where an expansion is only quoted text: %s",
    (text) => {
      expect(wordsOf(`echo ${text}`)[0]?.value).toBe(bash(`printf %s ${text}`).output);
    },
  );

  it.each([
    ["./*.ts", "./", false],
    ['"src/$x"', "src/", false],
    ["src/$x", "src/", true],
    ['"a$@"', "a", true],
    ["$x", "", true],
    ["'-'*", "-", false],
  ])("know the text before the first expansion: %s", (text, leading, splits) => {
    const [word] = wordsOf(`echo ${text}`);

    expect(word).toMatchObject({ leading, splits });
  });

  it("have spans that cut them out of the command line", () => {
    const line = `echo "a b" é$(x 'y') >'f g' \\\n last`;
    const { commands } = analyzeCommand(line);

    for (const command of commands) {
      for (const word of command.argv) expect(line.slice(word.span.start, word.span.end)).toBe(word.text);
    }
    expect(commands.map((command) => command.argv.map((word) => word.display))).toEqual([
      ["echo", "a b", "é$(x 'y')", "last"],
      ["x", "y"],
    ]);
  });
});

describe("escapes of `$'…'`", () => {
  const ESCAPES = [
    "\\x{6d}",
    "\\x{172}",
    "\\x{",
    "\\x{zz",
    "\\x6d",
    "\\x",
    "\\155",
    "\\0",
    "\\u006d",
    "\\u",
    "\\U6d",
    "\\cA",
    "\\c\\\\",
    "\\c\\x{41}",
    "\\\n",
    "\\\\x{6d}",
    "\\\\\\x{6d}",
    "\\'",
    '\\"',
    "\\?",
    "\\e",
    "\\n",
    "\\9",
    "\\x{6d",
    "\\x{6d}}",
    "{6d}",
    "é",
    "$(b)",
  ];

  it("say what bash reads, alone and one after another", () => {
    const texts = ESCAPES.flatMap((first) => [first, ...ESCAPES.map((second) => `a${first}b${second}c`)]);
    const script = texts.map((text) => `printf '%s\\0' x$'${text}'"y";`).join("\n");
    const { stdout } = spawnSync("bash", ["--norc", "-c", script], {
      encoding: "utf8",
      timeout: 60_000,
      env: { LC_ALL: "C.UTF-8", PATH: process.env["PATH"] },
    });

    const read = texts.map((text) => analyzeCommand(`echo x$'${text}'"y"`).commands[0]?.argv[1]?.value);
    expect(read).toEqual(stdout.split("\0").slice(0, -1));
    expect(read).toHaveLength(texts.length);
  });
});
