/** Rules: their notation, what they match, and files of them. */
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { concerns, covers } from "../src/rules/match.ts";
import { parseRule, type Rule, type RuleBehavior } from "../src/rules/rule.ts";
import { loadRuleFile, loadRules } from "../src/rules/rule-file.ts";

function rule(text: string, behavior: RuleBehavior = "allow"): Rule {
  const parsed = parseRule(text, behavior, "user");
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.rule;
}

/** An allow rule that covers every command of a line. */
function allows(text: string, command: string): boolean {
  const { ok, effective } = analyzeCommand(command);
  return ok && effective.length > 0 && effective.every((each) => covers(rule(text), each));
}

describe("an allow rule", () => {
  it.each([
    ["Bash(npm test)", "npm test"],
    ["Bash(npm test)", "'npm' te''st"],
    ["Bash(npm run test:*)", "npm run test"],
    ["Bash(npm run test:*)", "npm run test -- --watch"],
    ["Bash(npm run *)", "npm run build"],
    ["Bash(npm run *)", "npm run"],
    ["Bash(ls *)", "ls -la"],
    ["Bash(npm **)", "npm"],
    ["Bash(npm {test,run} **)", "npm run x"],
    ["Bash(npm * --silent)", "npm test --silent"],
    ["Bash(cp * /tmp/x)", "cp a /tmp/x"],
    ["Bash(git push --dry-run)", "git push --dry-run"],
    ["Bash(git push --force origin)", "git push origin --force"],
    ["Bash(git push !--force **)", "git push origin main"],
    ["Bash(node scripts/*.mjs)", "node scripts/build.mjs"],
    ["Bash(./gradlew **)", "./gradlew build"],
    ["Bash('my tool' x)", "'my tool' x"],
    ["Bash(re:make (a|b))", "make a"],
    ["Bash(npm test)", "timeout 60 npm test"],
    ["Bash(npm test)", "env CI=1 npm test"],
    ["Bash(npm test)", "bash -c 'npm test'"],
    ["Bash(sudo apt-get update)", "sudo apt-get update"],
    ["Bash(npm run **)", 'npm run "$x"'],
    ["Bash(npm run **)", "/usr/bin/npm run x"],
    ["Bash(sudo -n apt-get **)", "sudo -n apt-get install x"],
    ["Bash(bash -c 'npm test')", "bash -c 'npm test'"],
    ["Bash", "anything at all"],
    ["Bash(ls*)", "lsof -i"],
  ])("%s covers: %s", (text, command) => {
    expect(allows(text, command)).toBe(true);
  });

  it.each([
    ["Bash(npm test)", "npm test x"],
    ["Bash(npm test)", "npm"],
    ["Bash(npm test)", "npm test; rm x"],
    ["Bash(npm test)", "npm test && curl x"],
    ["Bash(npm test)", "npm test | sh"],
    ["Bash(npm test)", "npm test $(rm x)"],
    ["Bash(npm run test:*)", "npm run testing"],
    ["Bash(npm run test:*)", "npm run test\nrm x"],
    ["Bash(ls *)", "lsof"],
    ["Bash(npm *)", "./npm x"],
    ["Bash(npm *)", "bin/npm x"],
    ["Bash(npm *)", "/tmp/npm x"],
    ["Bash(cp * /tmp/x)", "cp a b /tmp/x"],
    ["Bash(cp * /tmp/x)", "cp $a /tmp/x"],
    ["Bash(git push !--force **)", "git push --force"],
    ["Bash(git push !--force **)", "git push $x"],
    ["Bash(npm run build)", "npm run $x"],
    ["Bash(re:make (a|b))", "make ab"],
    ["Bash(re:make .*)", "make $x"],
    ["Bash(rm *)", "echo x | xargs $y"],
    ["Bash(npm test)", "$npm test"],
    ["Bash(npm test x)", "ls | xargs npm test"],
    ["Write(build/**)", "npm test"],
    ["Bash(find **)", "find . -exec rm {} +"],
    ["Bash(bash **)", "bash -c 'rm x'"],
    ["Bash(xargs *)", "ls | xargs rm"],
    ["Bash(sudo **)", "sudo rm x"],
    ["Bash(timeout 5 **)", "timeout 5 rm x"],
  ])("%s does not cover: %s", (text, command) => {
    expect(allows(text, command)).toBe(false);
  });
});

describe("a rule against a subcommand", () => {
  const result = (text: string, command: string) => concerns(rule(text, "deny"), analyzeCommand(command), "/proj");

  it.each([
    "git -C . push origin",
    "git -c a.b=c push",
    "git --no-pager push x",
    "git -P -p push",
    "git --git-dir=.git push",
    'git --git-dir="$d" push',
    'git -C "$x" push',
    "sudo git --work-tree x -C y push",
    "bash -c 'git -C . push'",
  ])("concerns git's options before it: %s", (command) => {
    expect(result("Bash(git push **)", command)).toBe("yes");
    expect(result("Bash(git {push,pull} **)", command)).toBe("yes");
    expect(result("Bash(git pu* **)", command)).toBe("yes");
  });

  it.each([
    "git stash push",
    "git -C x stash push",
    "git -C push status",
    "git --no-pager log push",
    "git -c push=x status",
  ])("does not concern another one: %s", (command) => {
    expect(result("Bash(git push **)", command)).toBe("no");
  });

  it.each([
    ["Bash(docker rm **)", "docker -H x rm y", "maybe"],
    ["Bash(docker rm **)", "docker --host=x rm y", "yes"],
    ["Bash(docker rm **)", "docker run --rm rm", "no"],
    ["Bash(npm publish **)", "npm --silent publish", "maybe"],
    ["Bash(npm publish **)", "npm -- publish", "yes"],
    ["Bash(npm publish **)", "npm run publish", "no"],
    ["Bash(kubectl delete **)", "kubectl -n ns --v 3 delete pod x", "maybe"],
    ["Bash(kubectl delete **)", "kubectl get -n delete x", "no"],
    // Sixteen places are looked at.
    ["Bash(x y **)", `x ${"-a b ".repeat(16)}`, "no"],
    ["Bash(x y **)", `x ${"-a b ".repeat(17)}`, "maybe"],
    ["Bash(x y **)", `x ${"-a b ".repeat(40)}y`, "maybe"],
    ["Bash(x --force **)", "x -a --force", "yes"],
    ["Bash(x **)", "x -a y", "yes"],
  ])("%s and %s: %s", (text, command, expected) => {
    expect(result(text, command)).toBe(expected);
  });

  it("allows only what it names", () => {
    expect(allows("Bash(git push **)", "git -C . push")).toBe(false);
  });
});

describe("a restricting rule", () => {
  const result = (text: string, command: string) => concerns(rule(text, "deny"), analyzeCommand(command), "/proj");

  it.each([
    ["Bash(rm **)", "rm -rf x"],
    ["Bash(rm **)", "ls; rm x"],
    ["Bash(rm **)", "sudo rm x"],
    ["Bash(rm **)", "/bin/rm x"],
    ["Bash(rm **)", "./rm x"],
    ["Bash(rm **)", "bash -c 'ls && rm x'"],
    ["Bash(rm **)", "echo $(rm x)"],
    ["Bash(rm **)", "find . -exec rm {} +"],
    ["Bash(rm **)", "\\rm x"],
    ["Bash(rm **)", "r''m x"],
    ["Bash(rm **)", "A=1 rm x"],
    ["Bash(rm **)", "rm x 'unterminated"],
    ["Bash(sudo **)", "sudo ls"],
    ["Bash(git push --force **)", "git push origin main --force"],
    ["Bash(git push --force **)", "git push --force=x"],
    ["Bash(re:curl .*evil)", "curl https://evil.example"],
    ["Bash", "ls"],
    ["Write(**/.env)", "echo x > config/.env"],
    ["Write(/etc/**)", "echo x >> /etc/hosts"],
    ["Write(/etc/**)", "{ ls; } > ../etc/x"],
  ])("%s concerns: %s", (text, command) => {
    expect(result(text, command)).toBe("yes");
  });

  it.each([
    ["Bash(rm **)", "$x y"],
    ["Bash(git push --force **)", "git push $x"],
    ["Bash(git push --force **)", "ls | xargs git push"],
    ["Write(**/.env)", "echo x > $f"],
  ])("%s may concern, so that it asks: %s", (text, command) => {
    expect(result(text, command)).toBe("maybe");
  });

  it.each([
    ["Bash(rm **)", "echo 'rm x'"],
    ["Bash(rm **)", "ls rm"],
    ["Bash(git push --force **)", "git push"],
    ["Write(**/.env)", "cat .env"],
    ["Write(**/.env)", "ls > /dev/null 2>&1"],
    ["Write(build/**)", "echo x > ../build/y"],
  ])("%s does not concern: %s", (text, command) => {
    expect(result(text, command)).toBe("no");
  });
});

describe("the notation", () => {
  it.each([
    ["Read(x)", "is not a rule"],
    ["Bash(", "is not a rule"],
    ["Bash()", "the pattern is empty"],
    ["Bash(a ** b)", "may only stand at the end"],
    ["Bash('a)", "a quote is not closed"],
    ["Bash(re:()", "does not compile"],
    ["Bash(re:(?=x))", "does not compile"],
    ["Write()", "a path pattern is missing"],
  ])("refuses %s", (text, problem) => {
    expect(parseRule(text, "allow", "user")).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });

  it("lets a rule say its behavior itself", () => {
    expect(rule("deny Bash(rm **)").behavior).toBe("deny");
  });

  it("warns of a pattern without a word boundary", () => {
    expect(parseRule("Bash(ls*)", "allow", "user")).toMatchObject({
      ok: true,
      warning: expect.stringContaining("`ls *`"),
    });
  });
});

describe("a rule file", () => {
  it("loads rules with reasons and right examples", () => {
    const set = loadRuleFile(
      JSON.stringify({
        deny: [{ rule: "Bash(rm **)", reason: "use trash", match: ["sudo rm x"], notMatch: ["ls", "echo rm"] }],
        ask: ["Bash(git push **)"],
        allow: [{ rule: "Bash(npm run *)", match: ["npm run x"], notMatch: ["npm install"] }],
      }),
      "user",
    );

    expect(set.problems).toEqual([]);
    expect(set.rules.map(({ behavior, text, reason }) => [behavior, text, reason])).toEqual([
      ["deny", "Bash(rm **)", "use trash"],
      ["ask", "Bash(git push **)", undefined],
      ["allow", "Bash(npm run *)", undefined],
    ]);
  });

  it.each([
    ["not json", "line 1, column 1: the rule file is not JSON"],
    ["[]", "line 1, column 1: the rule file is not an object"],
    ['{"denny": []}', "line 1, column 11: `denny`: unknown key; the nearest is `deny`"],
    ['{"deny": "x"}', "`deny`: is not a list of rules"],
    ['{"deny": [1]}', "`deny[0]`: is neither a rule nor"],
    ['{"deny": [{"rule": "Bash(x)", "matches": []}]}', "`deny[0].matches`: unknown key; the nearest is `match`"],
    ['{"deny": ["Bash(re:()"]}', "does not compile"],
  ])("is broken and says why: %s", (text, problem) => {
    expect(loadRuleFile(text, "user").problems).toEqual([expect.stringContaining(problem)]);
  });

  it("is broken by a wrong example, and then allows nothing", () => {
    const set = loadRules(
      { allow: [{ rule: "Bash(npm *)", match: ["yarn x"], notMatch: ["npm publish"] }], deny: ["Bash(rm **)"] },
      "user",
    );

    expect(set.problems).toEqual(["`Bash(npm *)` does not match `yarn x`", "`Bash(npm *)` matches `npm publish`"]);
    expect(set.rules.map((each) => each.text)).toEqual(["Bash(rm **)"]);
  });
});
