/**
 * How long a decision takes: `node packages/policy/bench/decisions.mjs`, after `npm run build`.
 *
 * Three sets of lines: short ones as models write them, those joined to up to 4 KiB, and the worst of 64 KiB that we
 * know (one piece of syntax, repeated). Every line is decided once with a text no one has seen before, so that nothing
 * is remembered, under rules of each kind. Time is processor time of the process, because other work on the machine is
 * not the policy's; each line counts with the least of five measurements, as the first ones pay for the compiler.
 */
import { readFileSync } from "node:fs";
import { createPolicy } from "@pi-bash/policy";

const KIB = 1024;
const ROUNDS = 5;
/** So much of the slowest line of a set is shown: its piece a few times. */
const MAX_SHOWN_CHARS = 32;
const RULES = {
  allow: ["Bash(npm run test:*)", "Bash(git commit **)", "Bash(make {build,test})", "Write(build/**)"],
  ask: ["Bash(git push **)"],
  deny: ["Bash(rm **)", "Bash(re:curl .*evil)", "Bash(sudo **)"],
};
const policy = createPolicy(RULES);
const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me", gitDangers: [] };

let texts = 0;
function decisionMs(command) {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    texts++;
    const fresh = `${command} #${texts}`;
    const start = process.cpuUsage();
    policy.decide({ ...PLACE, command: fresh });
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/** Command lines of the recorded cases: one line each, without here-documents, so that they can be joined. */
function recordedLines() {
  const cases = readFileSync(new URL("../test/cases/security.jsonl", import.meta.url), "utf8")
    .trim()
    .split("\n");
  return cases.map((line) => JSON.parse(line).cmd).filter((cmd) => !/[\n#]|^\(|^\|\||unterminated|<\(ls$/.test(cmd));
}

/** Lines of up to 4 KiB: what models write as long ones is a file in a here-document, or steps one after another. */
function longLines(lines) {
  const steps = lines.slice(0, 12).join(" && ");
  const file = "const value = compute(input, { depth: 3 }); // a line of a program\n".repeat(55);
  return [
    ...lines.map((_, at) => [...lines.slice(at), ...lines].slice(0, 8).join("; ")),
    ...lines.map((line) => `cat > src/file.ts <<'EOF'\n${file}EOF\n${line}`),
    ...lines.map((line) => `git commit -m "${"a sentence of a long message. ".repeat(120)}" && ${line}`),
    ...lines.map((line) => `for f in ${"src/some/file.ts ".repeat(80)}; do ${line}; done`),
    ...lines.map((line) => `${steps}\n${line}`),
  ].filter((line) => Buffer.byteLength(line) <= 4 * KIB);
}

const PIECES = [
  "ls;",
  "a|",
  "a&&",
  "x ",
  "echo $x; ",
  "$(a)",
  '"$x" ',
  "cat <<A\nx\nA\n",
  "${x:-a} ",
  "$((1+1)) ",
  "{a,b} ",
  "find . -exec rm {} \\; ",
  "bash -c 'ls;ls'; ",
  "git log; ",
  "rm -rf x; ",
  "* ",
  "a=1 ",
  "`a` ",
  "<(a) ",
  ">a ",
  "case x in a) b;; esac; ",
  "'a'",
  "\\a",
  "sudo ",
  "timeout 5 ",
  "a;\n",
  "f(){ f|f& };",
  "<<<a ",
  "! ",
  "eval 'ls'; ",
  "sed 's/a/b/' x;",
  "awk '{print $1}' x;",
  "xargs rm;",
  "X=/a;rm -rf $X;",
  "for i in a b c; do rm -rf $i; done;",
  "rm -rf $(echo a) ",
  'x=a;eval "$x";',
  "while :; do a & done;",
  "(cd /a);",
  "wait $x;",
  "env A=1 ",
  "$'\\x41' ",
  "(a);",
  "[[ a == b ]];",
  "cd a;",
  "cd .a/../b;",
  "a&",
  "a||",
  "x=1;",
  "!a;",
  "a|b&&c;",
  "{ a;};",
  "sudo bash -c 'a|a';",
  "if a;then b;fi;",
  "exec>a;",
  "<<a ",
  "''",
  "$",
  "for i in a;do b;done;",
  "a=(1 2 3);",
  "${a",
  "((",
  "\\\n",
  "trap 'a' EXIT;",
  "@(a|b) ",
  "rm -rf / ",
  "../",
  "$(( x ? y : z )) ",
];

function worstLines() {
  const room = 64 * KIB - 16;
  return PIECES.map((piece) => `echo ${piece.repeat(Math.floor((room - 5) / Buffer.byteLength(piece)))}`);
}

function report(title, lines, aimMs, quantile) {
  const timed = lines.map((line) => ({ line, ms: decisionMs(line) })).toSorted((a, b) => a.ms - b.ms);
  const times = timed.map(({ ms }) => ms);
  const at = (share) => (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(3);
  const measured = Number(quantile === 1 ? at(1) : at(quantile));
  const slowest = timed.at(-1)?.line.slice(0, MAX_SHOWN_CHARS);
  const verdict = measured < aimMs ? "met" : "missed";
  process.stdout.write(
    `${title}: ${lines.length} lines, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms; aim ${aimMs} ms: ${verdict}; slowest: ${JSON.stringify(slowest)}\n`,
  );
  return measured < aimMs;
}

const lines = recordedLines();
for (const line of [...lines, ...longLines(lines)]) decisionMs(line);
const isMet = [
  report("as models write them", lines, 1, 0.99),
  report("joined, up to 4 KiB", longLines(lines), 1, 0.99),
  report("worst of 64 KiB", worstLines(), 50, 1),
].every(Boolean);
process.exitCode = isMet ? 0 : 1;
