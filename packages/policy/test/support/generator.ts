/**
 * Makes command lines out of command lines, the way people and attackers write them.
 *
 * Words are quoted again, lines are continued, commented, nested, wrapped and joined. The same seed makes the same
 * lines, so that a failing one can be found again. What bash makes of them is in `bash-judge.ts`.
 */
import { analyzeCommand } from "@pi-bash/command";
import { singleQuoted } from "@pi-bash/command/internal";
import { seededRandom } from "../../../../test/support/random.ts";
import { ACTING_LINES, READING_LINES } from "./corpus.ts";

/** Makes `count` lines. */
export function generateLines(count: number, seed: number): string[] {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const lines: string[] = [];
  while (lines.length < count) {
    let line = pick(random() < 0.5 ? READING_LINES : ACTING_LINES);
    const steps = 1 + Math.floor(random() * 4);
    for (let step = 0; step < steps; step++) line = pick(MUTATIONS)(line, random);
    // Beyond this length a line only repeats what shorter ones show.
    if (line.length <= 4_000) lines.push(line);
  }
  return lines;
}

type Mutation = (line: string, random: () => number) => string;

/** Closing syntax must not become part of a here-document. */
const closed = (line: string): string => (/<<-?['"A-Z]/.test(line) ? `${line.trimEnd()}\n` : `${line} `);

const wrapped =
  (before: string, after: string): Mutation =>
  (line) =>
    `${before}${closed(line)}${after}`;

const joinedBy =
  (operator: string): Mutation =>
  (line, random) => {
    const other = ALL_LINES[Math.floor(random() * ALL_LINES.length)] ?? "ls";
    const separator = line.includes("<<") ? "\n" : operator;
    return random() < 0.5 || separator === "\n"
      ? `${line}${separator}${other}`
      : `${closed(other).trimEnd()}${other.includes("<<") ? "\n" : operator}${line}`;
  };

const ALL_LINES = [...READING_LINES, ...ACTING_LINES];

const MUTATIONS: readonly Mutation[] = [
  requoteWord,
  requoteWord,
  requoteWord,
  continueLine,
  (line) => `${line.trimEnd()}${line.includes("<<") ? "\n" : " "}# touch PWNED; rm -rf x`,
  (line) => `# touch PWNED\n${line}`,
  wrapped("( ", ")"),
  (line) => `{ ${line.trimEnd()}\n}`,
  (line) => `if ls; then ${line.trimEnd()}\nfi`,
  (line) => `for i in 1 2; do ${line.trimEnd()}\ndone`,
  (line) => `g() { ${line.trimEnd()}\n}; g`,
  wrapped('echo "$(', ')"'),
  wrapped("cat <(", ")"),
  (line) => `echo \`${closed(line).replaceAll(/[\\`$]/g, String.raw`\$&`)}\``,
  (line) => `cat <<E\n$(${closed(line)})\nE\n`,
  (line) => `bash -c ${singleQuoted(line)}`,
  (line) => `sh -c ${ansiQuoted(line)}`,
  (line) => `eval ${singleQuoted(line)}`,
  (line) => `! ${line}`,
  (line) =>
    /^[a-z]+ /.test(line) && !/^(?:for|if|case|while|trap|eval|alias|f\(|cd) ?/.test(line) ? `timeout 5 ${line}` : line,
  (line) => (/^(?:ls|cat|touch|rm|sort|echo) /.test(line) ? `nice env LC_ALL=C ${line}` : line),
  (line) => (/^(?:ls|cat|touch|rm|sort|echo) /.test(line) ? `LC_ALL=C ${line}` : line),
  (line) => `\t ${line}`,
  joinedBy("; "),
  joinedBy(" && "),
  joinedBy(" || "),
  joinedBy(" | "),
  joinedBy(" & "),
  joinedBy("\n"),
];

/** Writes one plain word of a line in another way that means the same. */
function requoteWord(line: string, random: () => number): string {
  const words = analyzeCommand(line)
    .commands.flatMap((command) => command.argv)
    .filter((word) => line.slice(word.span.start, word.span.end) === word.text)
    .filter((word) => word.value === word.text && /^[\w./=%+-]+$/.test(word.text));
  const word = words[Math.floor(random() * words.length)];
  if (word === undefined) return line;
  const at = Math.floor(random() * word.text.length);
  const [head, tail] = [word.text.slice(0, at), word.text.slice(at)];
  const forms = [
    singleQuoted(word.text),
    `"${word.text}"`,
    `${head}''${tail}`,
    `${head}""${tail}`,
    `${head}\\${tail}`,
    `${head}'${tail}'`,
    `"${head}"${tail}`,
    ansiQuoted(word.text),
    `${head}\\\n${tail}`,
  ];
  return (
    line.slice(0, word.span.start) + (forms[Math.floor(random() * forms.length)] ?? "") + line.slice(word.span.end)
  );
}

function ansiQuoted(text: string): string {
  const codes = [...text].map((char, index) => {
    const code = char.codePointAt(0) ?? 0;
    if (index % 2 === 1 && code >= 32 && !"'\\".includes(char)) return char;
    const digits = code.toString(16).padStart(2, "0");
    return index % 4 === 0 ? `\\x${digits}` : `\\x{${digits}}`;
  });
  return `$'${codes.join("")}'`;
}

/** Breaks the line at a blank between two words of one command. */
function continueLine(line: string, random: () => number): string {
  const gaps = analyzeCommand(line).commands.flatMap((command) =>
    command.argv
      .slice(1)
      .filter((word) => line[word.span.start - 1] === " " && line.slice(word.span.start, word.span.end) === word.text),
  );
  const gap = gaps[Math.floor(random() * gaps.length)];
  return gap === undefined ? line : `${line.slice(0, gap.span.start)}\\\n${line.slice(gap.span.start)}`;
}
