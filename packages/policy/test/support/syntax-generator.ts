/**
 * Makes command lines of random shell syntax: quotes, operators, keywords and expansions in any order.
 *
 * Where the mutations of `generator.ts` keep a meaning, these have none; what is looked for is a text that the parser
 * and bash read differently. No token names a path outside the folder a line runs in.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { analyzeCommand } from "@pi-bash/command";
import { seededRandom } from "../../../../test/support/random.ts";

const TOKENS: readonly string[] = [
  ..."'\"\\{},ab;&|()<>#!=[]*~-1?é".split(""),
  ..." \n\t\r\u00a0".split(""),
  ...[
    "$'",
    '$"',
    "$x",
    "${x}",
    "${x:-a}",
    "${#x}",
    "${!x}",
    "${x",
    "$(b)",
    "$(",
    "`b`",
    "$((",
    "((",
    "))",
    "$[",
    "$#",
    "$@",
  ],
  ...[
    "<<E\n",
    "\nE\n",
    "<<'E'\n",
    "<<<",
    "2>&1",
    ">/dev/null ",
    "&>",
    ">|",
    "<>",
    "3>",
    "<(b)",
    "&&",
    "||",
    ";;",
    "|&",
  ],
  ...[
    "if ",
    "then ",
    "elif ",
    "else ",
    "fi",
    "case ",
    "in ",
    "esac",
    "for x ",
    "select x ",
    "while ",
    "until ",
    "do ",
    "done",
  ],
  ...["[[ ", " ]]", "=~", "-eq ", "a=", "x=1 ", "a[", "@(", "{a,b}", "..", "1..3", "\\\n", "\\x41", "\\'", "\\0"],
  ...["time ", "! ", "coproc ", "function f ", "f()", "touch P", "echo ", "cat ", "bash -c ", "eval "],
];

/** Lines that the parser accepts, and one in ten of those it refuses; the same seed makes the same lines. */
export function generateSyntax(count: number, seed: number): string[] {
  const random = seededRandom(seed);
  const lines: string[] = [];
  while (lines.length < count) {
    const tokens = 2 + Math.floor(random() * 14);
    let line = "";
    for (let at = 0; at < tokens; at++) line += TOKENS[Math.floor(random() * TOKENS.length)] ?? "";
    if (analyzeCommand(line).ok || random() < 0.1) lines.push(line);
  }
  return lines;
}
