/** What a rule matches, line by line: how strongly it restricts, and whether it covers as an allow rule. */
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { concerns, covers, coversWrite, redirectionsOf } from "../../src/rules/match.ts";
import { parseRule, type Rule } from "../../src/rules/rule.ts";

type Pairs = Readonly<Record<string, readonly (readonly [rule: string, line: string])[]>>;

/** By how much a restricting rule concerns the line, and whether an allow rule covers all that runs or is written. */
const PAIRS: Pairs = {
  "yes covered": [
    ["Bash(rm **)", "rm x"],
    ["Bash(rm **)", "rm"],
    ["Bash(rm **)", "/bin/rm x"],
    ["Bash(rm **)", "/usr/bin/rm x"],
    ["Bash(rm **)", "sudo rm x"],
    ["Bash(rm **)", "env rm x"],
    ["Bash(rm **)", "bash -c 'rm x'"],
    ["Bash(rm **)", "rm $x"],
    ["Bash(rm **)", 'rm "$x"'],
    ["Bash(/bin/rm x)", "/bin/rm x"],
    ["Bash(./a.sh)", "./a.sh"],
    ["Bash(npm test)", "npm test"],
    ["Bash(npm *)", "npm test"],
    ["Bash(npm *)", "npm"],
    ["Bash(npm * x)", "npm y x"],
    ["Bash(npm {a,b})", "npm a"],
    ["Bash(npm {a,b})", "npm b"],
    ["Bash(npm a*c)", "npm abc"],
    ["Bash(npm a*c)", "npm ac"],
    ["Bash(git push --force **)", "git push --force"],
    ["Bash(git push --force **)", "git push x --force"],
    ["Bash(git push --force **)", "git --force push"],
    ["Bash(git push --force **)", "git push --force=x"],
    ["Bash(git push --force)", "git push --force"],
    ["Bash(git push --force --force)", "git push --force --force"],
    ["Bash(git push !--force **)", "git push"],
    ["Bash(git push !--force **)", 'git push a"$x"'],
    ["Bash(git push !--force)", "git push"],
    ["Bash(git -x)", "git -x"],
    ["Bash(git -)", "git -"],
    ["Bash(git --)", "git --"],
    ["Bash(--x)", "--x"],
    ["Bash(re:npm x)", "npm x"],
    ["Bash(re:npm x)", "npm 'x'"],
    ["Bash", "ls"],
    ["Bash(*)", "ls"],
    ["Bash( ** )", "ls"],
    ["Bash(*)", "$x"],
    ["Bash(ls*)", "lsof x"],
    ["Bash(ls*)", "ls"],
    ['Bash("a b" c)', "'a b' c"],
    ["Bash('*' c)", "'*' c"],
    ["Bash(sudo rm x)", "sudo rm x"],
    ["Bash(sudo {rm,ls} **)", "sudo rm x"],
    ["Bash(sudo r* **)", "sudo rm x"],
    ["Bash(find . -exec rm **)", "find . -exec rm {} +"],
    ["Bash(bash -c 'rm x')", "bash -c 'rm x'"],
    ["Bash(re:.*)", "sudo rm x"],
    ["Bash(nice ls)", "nice ls"],
    ["Bash(ls)", "nice ls"],
    ["Write(build/**)", "ls > build/x"],
    ["Write(build/**)", "ls > build/x/y"],
    ["Write(build/**)", "ls > ./build/x"],
    ["Write(build/**)", "ls > /proj/build/x"],
    ["Write(build/**)", "ls <> build/x"],
    ["Write(build/**)", "ls >> build/x"],
    ["Write(build/**)", "ls 2> build/x"],
    ["Write(build/**)", "ls >&build/x"],
    ["Write(build/**)", "{ ls; } > build/x"],
    ["Write(build/**)", "echo $(ls > build/x)"],
    ["Write(build/*)", "ls > build/x"],
    ["Write(./build/*)", "ls > build/x"],
    ["Write(*.log)", "ls > a.log"],
    ["Write(**/*.log)", "ls > a.log"],
    ["Write(**/*.log)", "ls > b/c/a.log"],
    ["Write(/tmp/**)", "ls > /tmp/x"],
    ["Write(/tmp/**)", "ls > ../tmp/x"],
    ["Bash(git push !--force **)", 'git push "--g$x"'],
  ],
  "yes uncovered": [
    ["Bash(rm **)", "./rm x"],
    ["Bash(git --force push)", "git -C x push --force"],
    ["Bash(rm **)", "/opt/rm x"],
    ["Bash(rm **)", "/usr/local/bin/rm x"],
    ["Bash(rm **)", "find . -exec rm {} +"],
    ["Bash(rm **)", "ls; rm x"],
    ["Bash(rm **)", "echo $(rm x)"],
    ["Bash(npm * x)", 'npm "$y" x'],
    ["Bash(re:^npm)", "npm x"],
    ["Bash(re:^npm)", 'npm "$x"'],
    ["Bash(re:npm x)", "npm x y"],
    ["Bash(re:npm x)", "a npm x"],
    ["Bash(re:a|b)", "ab"],
    ["Bash(sudo **)", "sudo rm x"],
    ["Bash(sudo * **)", "sudo rm x"],
    ["Bash(find **)", "find . -exec rm {} +"],
    ["Bash(bash -c **)", "bash -c 'rm x'"],
    ["Bash(ls)", "cd x && ls"],
  ],
  "no uncovered": [
    ["Bash(rm **)", "xrm x"],
    ["Bash(rm **)", "echo rm x"],
    ["Bash(rm **)", "x=1"],
    ["Bash(/bin/rm x)", "rm x"],
    ["Bash(./a.sh)", "a.sh"],
    ["Bash(./a.sh)", "x/a.sh"],
    ["Bash(npm test)", "npm"],
    ["Bash(npm test)", "npm test x"],
    ["Bash(npm test)", 'npm test "$x"'],
    ["Bash(npm test)", "npm test a $x"],
    ["Bash(npm * x)", "npm x"],
    ["Bash(npm * x)", "npm y z"],
    ["Bash(npm {a,b})", "npm c"],
    ["Bash(npm {a,b})", 'npm "c$x"'],
    ["Bash(npm a*c)", "npm ab"],
    ["Bash(npm a*c)", "npm xac"],
    ["Bash(npm a.c)", "npm abc"],
    ["Bash(git push --force **)", "git push --forcex"],
    ["Bash(git push --force **)", "git push"],
    ["Bash(git push --force **)", 'git push "--x$x"'],
    ["Bash(git push --force **)", 'git push "a$x"'],
    ["Bash(git push --force)", "git push --force x"],
    ["Bash(git push --force --force)", "git push --force"],
    ["Bash(git push !--force **)", "git push --force"],
    ["Bash(git push !--force **)", "git push --force=1"],
    ["Bash(git push !--force)", "git push x"],
    ["Bash(re:^npm)", "xnpm x"],
    ["Bash(re:^npm)", "ls x"],
    ["Bash(ls*)", "xls"],
    ["Bash('*' c)", "x c"],
    ["Bash(time ls)", "time ls"],
    ["Write(build/**)", "ls > ../build/x"],
    ["Write(build/**)", "ls > other"],
    ["Write(build/**)", "ls < build/x"],
    ["Write(build/**)", "ls >&2"],
    ["Write(build/**)", "ls >&-"],
    ["Write(build/**)", "ls >&2-"],
    ["Write(build/**)", "ls > build/../x"],
    ["Write(build/**)", "ls"],
    ["Write(build/*)", "ls > build/x/y"],
    ["Write(*.log)", "ls > b/a.log"],
    ["Write(*.log)", "ls > alog"],
    ["Write(**/*.log)", "ls > ../a.log"],
    ["Write(/tmp/**)", "ls > /tmp"],
    ["Write(/tmp/**)", "ls > /var/tmp/x"],
    ["Write(/tmp/**)", "ls > /tmp/../x"],
  ],
  "maybe uncovered": [
    ["Bash(rm **)", '"$x" y'],
    ["Bash(rm **)", "r$x y"],
    ["Bash(rm **)", "a$x y"],
    ["Bash(rm **)", "{rm,x}"],
    ["Bash(rm **)", "sudo --unknown rm x"],
    ["Bash(npm test)", 'npm "$x"'],
    ["Bash(npm test)", "npm $x"],
    ["Bash(npm test)", "npm te$x"],
    ["Bash(npm test)", "npm ru$x"],
    ["Bash(npm test)", 'npm "te$x"'],
    ["Bash(npm test)", "npm test $x"],
    ["Bash(npm test)", "npm test *"],
    ["Bash(npm test)", "npm $x y"],
    ["Bash(npm test)", "npm t*"],
    ["Bash(npm test)", "npm {test,run}"],
    ["Bash(npm * x)", "npm $y x"],
    ["Bash(npm {a,b})", 'npm "a$x"'],
    ["Bash(npm a*c)", 'npm "$x"'],
    ["Bash(git push --force **)", 'git push "$x"'],
    ["Bash(git push --force **)", 'git push "--f$x"'],
    ["Bash(git push --force **)", 'git push "--force$x"'],
    ["Bash(git push --force **)", "git push a$x"],
    ["Bash(git push --force **)", "git push $x"],
    ["Bash(git push !--force **)", 'git push "$x"'],
    ["Bash(git push !--force **)", 'git push "--f$x"'],
    ["Bash(git push !--force **)", "git push $x"],
    ["Bash(re:^npm)", 'ls "$x"'],
    ["Write(build/**)", 'ls > "$x"'],
    ["Write(build/**)", "ls > build/$x"],
    ["Bash(git push !--force **)", 'git push "--force$x"'],
    ["Bash(git push !--force **)", 'git push "-$x"'],
  ],
};

/** The same of rules about variables, which cover no command. */
const VARIABLES: Pairs = {
  yes: [
    ["Env(CI)", "CI=1 ls"],
    ["Env(CI)", "export CI"],
    ["Env(CI)", "export CI=1"],
    ["Env(CI)", "declare -x CI"],
    ["Env(CI)", "unset CI"],
    ["Env(CI)", "readonly CI"],
    ["Env(CI)", "typeset CI"],
    ["Env(CI)", "local CI"],
    ["Env(CI)", "read CI"],
    ["Env(CI)", "CI=1"],
    ["Env(CI)", "for CI in 1; do :; done"],
    ["Env(CI*)", "CIX=1 ls"],
    ["Env(CI*)", "export CI_X"],
    ["Env(CI*)", "CI=1 ls"],
    ["Env(CI)", 'export "CI=$x"'],
  ],
  no: [
    ["Env(CI)", "CIX=1 ls"],
    ["Env(CI)", "exportx CI"],
    ["Env(CI)", "ls CI"],
    ["Env(CI)", "echo $CI"],
    ["Env(CI*)", "XCI=1 ls"],
    ["Env(CI)", 'export "CX=$x"'],
    ["Env(CI)", "declare -p"],
  ],
  maybe: [
    ["Env(CI)", 'export "$x"'],
    ["Env(CI)", 'export "C$x"'],
    ["Env(CI)", 'export "CI$x"'],
    ["Env(CI)", "export $x"],
  ],
};

function ruleOf(text: string): Rule {
  const parsed = parseRule(text, "allow", "user");
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.rule;
}

const rowsOf = (pairs: Pairs) =>
  Object.entries(pairs).flatMap(([answer, list]) => list.map((pair) => [answer, ...pair] as const));

function coversAll(rule: Rule, line: string): boolean {
  const analysis = analyzeCommand(line);
  const answers =
    rule.pattern.kind === "write"
      ? redirectionsOf(analysis).map((each) => coversWrite(rule, each, "/proj"))
      : analysis.effective.map((each) => covers(rule, each));
  return answers.length > 0 && answers.every(Boolean);
}

describe("a rule", () => {
  it.each(rowsOf(PAIRS))("answers %s: %s for %s", (answer, text, line) => {
    const rule = ruleOf(text);
    const covered = coversAll(rule, line) ? "covered" : "uncovered";

    expect(`${concerns(rule, analyzeCommand(line), "/proj")} ${covered}`).toBe(answer);
  });

  it.each(rowsOf(VARIABLES))("about variables answers %s: %s for %s", (answer, text, line) => {
    expect(concerns(ruleOf(text), analyzeCommand(line), "/proj")).toBe(answer);
  });
});
