/** What arithmetic comes to, which bash is asked as well, and what it does to a line. Nothing that is judged is run. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { compute } from "../../src/dangers/values/arithmetic.ts";
import { answerOf } from "../support/danger-answer.ts";

const NAMES: Readonly<Record<string, string>> = { one: "1", less: "-1", sum: "one+2", again: "sum*sum" };

const EXPRESSIONS = [
  "",
  "0-1",
  "-1",
  "- - 1",
  "~0",
  "!5 - !0",
  "2+3*4%5",
  "(2+3)*4",
  "10/3 - 10/-3",
  "-7 % 3",
  "2**3**2",
  "-2**2",
  "1<<3>>1",
  "5&3|8^1",
  "3>2 && 2>=2 || 0",
  "1==1 != 2<=1",
  "0 && (one=5), one",
  "(1 && 0) * 8 + (0 && 1) * 4 + (2 && 3) * 2 + (0 || 0)",
  "1 || (one=5), one",
  "1 ? 2 : 3",
  "0 ? 2 : 0 ? 3 : 4",
  "1 ? (one=7) : (one=8), one",
  "x=5, x-=7, x",
  "x=y=3, x*y",
  "x=1, x<<=4, x|=3, x^=1, x%=7, x/=2",
  "x=1, x++ + x, x",
  "x=1, --x - x--, x",
  "one - less",
  "again",
  "sum*2",
  "010 + 0x1F + 2#101 + 36#Z + 64#_",
  "9223372036854775807 + 1",
  "1 << 63",
  "3 ** 50",
  "((((1))))",
];

describe("arithmetic", () => {
  const print = EXPRESSIONS.map((expression) => `(echo "$(( ${expression} ))")`);
  const given = Object.entries(NAMES).map(([name, value]) => `${name}=${value}`);
  const printed = execFileSync("bash", ["--norc", "-c", [...given, ...print].join("\n")], {
    encoding: "utf8",
    timeout: 20_000,
  }).split("\n");

  it.each(EXPRESSIONS.map((expression, at) => [expression, printed[at]]))(
    "is what bash computes: %s is %s",
    (text, number) => {
      expect(String(compute(text ?? "", (name) => NAMES[name]))).toBe(number);
    },
  );

  it.each([
    "1/0",
    "1%0",
    "2**-1",
    "1 +",
    "(1",
    "1 2",
    "2#9",
    "a[",
    "$(x)",
    "not_known",
    "1 ? 2",
    `${"(".repeat(99)}1${")".repeat(99)}`,
  ])("has no value: %s", (text) => {
    expect(compute(text, (name) => NAMES[name])).toBeUndefined();
  });

  it("is left where the values of names have ever more names in them", () => {
    const names = (name: string): string => `${name}+${name}`.replaceAll(/\d+/g, (at) => String(Number(at) + 1));
    const startMs = performance.now();
    expect(compute("x0+x0+x0+x0", names)).toBeUndefined();
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });
});

describe("a line that computes what it does", () => {
  it.each([
    "kill -9 $((-1))",
    "kill -9 $((0-1))",
    "kill -9 -$((1))",
    "kill -s9 -- $[-1]",
    'kill -9 "$((1-2))"',
    "kill $((1))",
    "init $((2*3))",
    "init $((0))",
    "systemctl isolate runlevel$((6)).target",
    "sudo kill -9 $((~0))",
    "bash -c 'kill -9 $((0-1))'",
    "x=1; kill -9 $((-x))",
    "x=1; kill -9 $((0-$x))",
    "x=1-2; kill -9 $((x))",
    "x=$((0-1)); kill -9 $x",
    "a=(-1); kill -9 $((a[0]))",
    "for x in 5 1; do kill -9 $((x-2)); done",
    "kill -9 $((${x:-0}-1))",
    "kill -9 $(($(echo 0)-1))",
    "f() { kill -9 $(($1-2)); }; f 1",
    "((x=-1)); kill -9 $x",
    "((x = -1)) && kill -9 $x",
    "x=3; ((x-=4)); kill -9 $x",
    "x=0; ((x--)); kill -9 $x",
    "((y && (x=-1))); kill -9 $x",
    ": $((x=0-1)); kill -9 $x",
    "let x=-1; kill -9 $x",
    'let y=1 "x = y - 2"; kill -9 $x',
    "let x=-$y; y=1; let x=-$y; kill -9 $x",
    "declare -i x=0-1; kill -9 $x",
    "declare -i x; x=0-1; kill -9 $x",
    "typeset -ix x; read x <<< 0-1; kill -9 $x",
    "declare -i x=3; x+=-4; kill -9 $x",
    "for ((i=-1;i<0;i++)); do kill -9 $i; done",
    "for ((i=9;i>-2;i--)); do kill -9 $i; done",
    "for ((i=-1;i<n;i++)) { kill -9 $i; }",
    "kill -9 $(expr 0 - 1)",
    "x=`expr 1 - 2`; kill -9 $x",
    "kill -9 $(bc <<< 0-1)",
    "kill -9 $(echo 0-1 | bc)",
    "kill -9 $(printf %d -1)",
    "echo $((0-1)) | xargs kill -9",
    "rm -rf /$((1))/..",
    "chmod -R $((777)) /usr",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each([
    "kill $((pid+1))",
    'kill "$((pid))"',
    "kill -9 $((2-1234))",
    "kill -9 -$((pgid))",
    "kill -0 $((1))",
    "kill -9 $(expr $pid + 1)",
    "kill -9 $(bc <<< $pid+1)",
    "kill $((1/0))",
    "((pid)); kill $pid",
    "((x==-1)); kill $x",
    "x=-1; ((x=1234)); kill $x",
    "((0 && (x=-1))); kill $x",
    "x=-1; kill '$((x))'",
    "for ((i=1;i<=3;i++)); do kill %$i; done",
    "for ((i=5;i<9;i++)); do kill $i; done",
    "for ((;;)); do kill $pid; done",
    "init $((3))",
    "rm -rf $((1))",
    "rm -rf /tmp/x-$((RANDOM%10))",
    'n=$((n+1)); rm -rf "build$n"',
    "for ((i=0;i<3;i++)); do for ((j=0;j<900;j++)); do for ((k=0;k<900;k++)); do rm -rf b$i/$j-$k; done; done; done",
  ])("is not a block: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
