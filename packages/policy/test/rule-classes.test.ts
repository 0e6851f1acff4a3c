/**
 * Rules against disguises: what a deny rule must not let through, what an allow rule must not cover, and what an
 * ordinary line may do all the same.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { decide, type PolicyRequest } from "../src/decide.ts";
import { loadRules, type RuleFile } from "../src/rules/rule-file.ts";
import { caseClasses } from "./support/case-classes.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me", gitDangers: [] };

function behavior(command: string, rules: RuleFile, more: Partial<PolicyRequest> = {}): string {
  return decide({ command, ...PLACE, ...more }, { ruleSets: [loadRules(rules, "user")] }).behavior;
}

const DISGUISES = caseClasses("denied-rm.txt");

describe.each(DISGUISES)("a deny rule meets %s", (_, lines) => {
  it.each(lines)("in yolo: %s", (command) => {
    expect(behavior(command, { deny: ["Bash(rm **)"] }, { mode: "yolo" })).not.toBe("allow");
    expect(behavior(command, { deny: ["Bash(rm **)"] }, { mode: "yolo", interactive: false })).toBe("deny");
  });

  it.each(lines)("and so does `blockedCommands`: %s", (command) => {
    const config = { blockedCommands: ["terraform apply", "rm"] };

    expect(decide({ command, ...PLACE, mode: "yolo" }, config).behavior).not.toBe("allow");
  });

  it("runs in yolo where no rule restricts", () => {
    for (const command of lines.filter((line) => !/[{$*?]/.test(line)).slice(0, 5)) {
      expect(behavior(command, {}, { mode: "yolo" }), command).toBe("allow");
    }
  });
});

it("`blockedCommands` leaves ordinary lines alone", () => {
  for (const command of ["./build.sh", "bash build.sh", "make", 'git log "$x"', "ls | xargs cat", "find . -name rm"]) {
    const config = { blockedCommands: ["rm", "git push --force"] };

    expect(decide({ command, ...PLACE, mode: "yolo" }, config).behavior, command).toBe("allow");
  }
});

describe("a deny rule", () => {
  it.each([
    "./build.sh",
    "bash build.sh",
    "make all",
    "npm install",
    '"$DIR"/build.sh --all',
    "~/bin/tool x",
    "node x.js",
    "git rm x",
    "echo rm",
    "grep -rn rm src",
    "timeout 5 make",
    "find . -name '*.o' -print",
    'echo "$x" | grep y',
    "ls | xargs grep rm",
    "env A=1 make",
    "npm run rm",
    "nice -n 5 make rm",
    "for f in a b; do echo $f; done",
    "source ./env.sh",
  ])("lets an ordinary line run in yolo: %s", (command) => {
    expect(behavior(command, { deny: ["Bash(rm **)"] }, { mode: "yolo" })).toBe("allow");
  });

  it.each([
    ["Bash(git push)", "git push"],
    ["Bash(git push)", "git push $x"],
    ["Bash(git push)", "git $x"],
    ["Bash(git push)", "git $x push"],
    ["Bash(git push)", "git pus{h,}"],
    ["Bash(git push)", "git p*"],
    ["Bash(git push)", "echo push | xargs git"],
    ["Bash(git push)", "xargs git push"],
    ["Bash(git push)", 'git "pu$x"'],
    ["Bash(git push --force **)", 'git push "--for$x"'],
    ["Bash(git push --force **)", "git push $x"],
    ["Bash(git push --force **)", "xargs git push origin"],
    ["Bash(rm x y)", "rm *"],
    ["Bash(rm x y)", "rm x{,} y"],
  ])("%s counts words that may be several, or none: %s", (rule, command) => {
    expect(behavior(command, { deny: [rule] }, { mode: "yolo" })).not.toBe("allow");
  });

  it.each([
    ["Bash(git push)", "git status"],
    ["Bash(git push)", 'git commit -m "$x"'],
    ["Bash(git push)", 'git log "$x"'],
    ["Bash(git push)", "git push origin"],
    ["Bash(git push --force **)", "git push origin refs/heads/*"],
    ["Bash(git push --force **)", "git fetch $x"],
    ["Bash(npm publish **)", 'npm "run-$x"'],
  ])("%s leaves alone what cannot be it: %s", (rule, command) => {
    expect(behavior(command, { deny: [rule] }, { mode: "yolo" })).toBe("allow");
  });
});

describe("an allow rule", () => {
  const RULES = { allow: ["Bash(npm test:*)", "Bash(git push origin)", "Bash(make)"] };

  it.each([
    "cd /evil && npm test",
    "cd .. && npm test",
    "cd && npm test",
    "cd ~ && npm test",
    'cd "$x" && npm test',
    "cd - && npm test",
    "pushd /evil; npm test",
    "popd; npm test",
    "(cd /evil; npm test)",
    "cd /evil; cd /proj; npm test",
    "cd sub/../.. && npm test",
    "cd /projx && npm test",
    "find / -execdir npm test \\;",
    "find . -execdir make \\;",
    "find . -okdir make \\;",
    "env -C /evil npm test",
    "sudo -D /evil npm test",
  ])("does not cover another folder: %s", (command) => {
    expect(behavior(command, RULES)).toBe("ask");
  });

  it("does not cover a call that starts outside of the workspace", () => {
    expect(behavior("npm test", RULES, { cwd: "/evil" })).toBe("ask");
    expect(behavior("npm test", RULES, { cwd: "/proj/packages/a" })).toBe("allow");
  });

  it("covers folders of the workspace, and others where it says so", () => {
    const rules = { allow: ["Bash(npm test:*) in /srv/app/**", "Bash(make) in **"] };

    expect(behavior("cd packages/a && npm test", RULES)).toBe("allow");
    expect(behavior("cd /srv/app && npm test", rules)).toBe("allow");
    expect(behavior("cd /srv/app/x && npm test -- -t y", rules)).toBe("allow");
    expect(behavior("cd /srv/application && npm test", rules)).toBe("ask");
    expect(behavior("cd /srv && npm test", rules)).toBe("ask");
    expect(behavior("cd /evil && make", rules)).toBe("allow");
    expect(behavior("npm test", rules)).toBe("allow");
    expect(behavior("find . -execdir make \\;", rules)).toBe("ask");
  });

  it.each([
    "ls | xargs git push origin",
    "ls | xargs -n1 git push origin",
    "ls | xargs nice git push origin",
    "ls | xargs -I X git push X",
    "ls | xargs -I X git X origin",
    "find . -exec git push origin {} \\;",
    "find . -exec git push origin {} +",
    "fd -x git push origin",
    "git push origin $x",
    "git push origin *",
    "git push {origin,x}",
    "git push origin{,x}",
    'git push "$x"',
  ])("of exact words does not cover added ones: %s", (command) => {
    expect(behavior(command, RULES)).toBe("ask");
  });

  it.each([
    `sh -c "npm test \\$'\\\\'; touch x; #'"`,
    `dash -c "npm test \\$'\\\\'; touch x; #'"`,
    "zsh -c 'npm test *(e:x:)'",
    'bash -c "npm test; $x"',
    "echo 'npm test' | bash",
    "bash <<< 'npm test'",
    "env -S 'npm test'",
    "nice -z npm test",
    "sudo npm test",
    "tmux new 'npm test'",
    "npm test $(rm x)",
    "$x npm test",
  ])("does not cover what a wrapper may make of it: %s", (command) => {
    expect(behavior(command, RULES)).toBe("ask");
  });
});

describe("a rule with `in`", () => {
  it.each([
    ["deny", "Bash(npm test) in /srv"],
    ["ask", "Bash in **"],
    ["allow", "Write(x) in /srv"],
    ["allow", "Bash(npm test) in srv"],
    ["allow", "Bash(npm test) in"],
  ] as const)("is refused where it cannot be meant: %s %s", (kind, rule) => {
    expect(loadRules({ [kind]: [rule] }, "user").problems).not.toEqual([]);
  });
});
