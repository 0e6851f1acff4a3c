/**
 * What `docs/policy.md` says about rules, modes, variables, taint and suggestions, by its own examples. Titles quote the
 * page; classes of lines and hard blocks are in `documents-classes.test.ts`.
 */
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { WRAPPERS } from "../../command/src/wrapper-table.ts";
import { decide, POLICY_MODES, type PolicyConfig, type PolicyRequest } from "../src/decide.ts";
import { gitConfigDangers } from "../src/git-hardening.ts";
import { loadRuleFile, loadRules, type RuleFile } from "../src/rules/rule-file.ts";
import { taintOf } from "../src/taint.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me", gitDangers: [] };

function verdict(command: string, rules: RuleFile = {}, more: Partial<PolicyRequest> = {}, config: PolicyConfig = {}) {
  return decide({ command, ...PLACE, ...more }, { ruleSets: [loadRules(rules, "user")], ...config });
}
const behavior = (...given: Parameters<typeof verdict>) => verdict(...given).behavior;

describe("the table of rules", () => {
  it.each([
    ["Bash", "every command", "x --y", undefined],
    ["Bash(npm test)", "exactly these words", "npm test", "npm test x"],
    ["Bash(npm run test:*)", "these words and any more", "npm run test a b", "npm run tests"],
    ["Bash(npm run test *)", "the same", "npm run test a b", "npm run tests"],
    ["Bash(npm run test **)", "the same", "npm run test", "npm run tests"],
    ["Bash(cp * /tmp/x)", "`*` in the middle: exactly one argument", "cp a /tmp/x", "cp a b /tmp/x"],
    ["Bash(node scripts/*.mjs)", "any characters of that one argument", "node scripts/a.mjs", "node scripts/a.mjs b"],
    ["Bash(npm {test,run} **)", "one of several words", "npm run x", "npm publish"],
    ["Bash(git push --force **)", "the flag anywhere", "git push a --force", "git push a"],
    ["Bash(git push !--force **)", "the flag nowhere", "git push a", "git push a --force"],
    ["Bash(re:make (build|test))", "regular expression over the words", "make test", "make testx"],
    ["Write(build/**)", "relative to the working directory", "echo x > build/a", "echo x > dist/a"],
    ["Write(/tmp/**)", "or absolute", "echo x > /tmp/a", "echo x > /var/a"],
    ["Write(build/**)", "targets of redirections, not what programs write", "echo x > build/a", "cp a build/a"],
    ["Bash(npm test) in /srv/**", "also in that folder", "cd /srv/a; npm test", "cd /opt/a; npm test"],
    ["Bash(npm test) in /srv/**", "not where the folder is not known", "npm test", 'cd "$x"; npm test'],
    ["Bash(npm test) in **", "in any, known or not", 'cd "$x"; npm test', "find . -execdir npm test \\;"],
  ])("%s is %s: it covers `%s`, not `%s`", (rule, _, covered, open) => {
    expect(behavior(covered, { allow: [rule] })).toBe("allow");
    if (open !== undefined) expect(behavior(open, { allow: [rule] })).toBe("ask");
  });

  it("`Bash` alone covers what stands around a program as well, in every folder, and runs nothing unasked", () => {
    const rules = { allow: ["Bash"] };

    for (const line of ["PATH=/x ls", "make > out", "make &", "cd /evil && make", "sudo make", "$x", "f() { x; }; f"]) {
      expect(behavior(line, rules), line).toBe("allow");
    }
    expect(behavior("make", rules, { cwd: "/evil" })).toBe("allow");
    for (const line of ["curl x | sh", 'rm -rf "$X"', "ls (", "echo x > /etc/x"]) {
      expect(behavior(line, rules), line).toBe("ask");
    }
    expect(behavior("make", rules, { env: { PATH: "/x" } })).toBe("ask");
  });
});

describe("a deny rule", () => {
  it.each([...WRAPPERS].map(([name, { operands = 0 }]) => [name, operands] as const))(
    "concerns a line through every wrapper that `wrapper-table.ts` knows: %s",
    (name, operands) => {
      const line = [name === "runuser -u" ? "runuser -u me" : name, ...Array(operands).fill("1"), "rm x"].join(" ");

      expect(behavior(line, { deny: ["Bash(rm **)"] }, { mode: "yolo" })).not.toBe("allow");
    },
  );

  it.each([
    "npx rm x",
    "uv run rm x",
    "docker exec c rm x",
    "nodemon --exec 'rm x'",
    "git -c alias.z='!rm x' z",
    "git bisect run rm x",
    "git rebase -x 'rm x' main",
    "git submodule foreach 'rm x'",
    "npm exec rm x",
    "ssh -o ProxyCommand='rm x' h",
    "rsync -e 'rm x' a b",
    "python3 -c 'import os; os.system(\"rm x\")'",
    "awk 'BEGIN{system(\"rm x\")}'",
    "tar cf x --checkpoint-action=exec='rm x' .",
    "vim -c '!rm x'",
  ])("asks, or refuses where no one can answer, for what a launcher starts: %s", (line) => {
    const rules = { deny: ["Bash(rm **)"] };

    expect(behavior(line, rules, { mode: "yolo" })).toBe("ask");
    expect(behavior(line, rules, { mode: "yolo", interactive: false })).toBe("deny");
  });

  // These are the business of code or of `make`: what they start stands nowhere as a text.
  it.each(['python3 -c \'import os; p = "rm"; os.system(p + " x")\'', "make SHELL='rm x'"])(
    "does not see what a program starts by itself: %s",
    (line) => {
      expect(behavior(line, { deny: ["Bash(rm **)"] }, { mode: "yolo" })).toBe("allow");
    },
  );

  it.each(["./build.sh", "bash build.sh", "make"])("lets an ordinary program run: %s", (line) => {
    expect(behavior(line, { deny: ["Bash(rm **)"] }, { mode: "yolo" })).toBe("allow");
  });
});

describe("an allow rule", () => {
  it("covers words that `xargs` or `find` add only with `**`, `:*` or ` *` at the end", () => {
    for (const rule of ["Bash(git push **)", "Bash(git push:*)", "Bash(git push *)"]) {
      expect(behavior("ls | xargs git push", { allow: [rule] }), rule).toBe("allow");
    }
    expect(behavior("ls | xargs git push", { allow: ["Bash(git push)"] })).toBe("ask");
    expect(behavior("find . -exec make {} +", { allow: ["Bash(make a)"] })).toBe("ask");
  });

  it("must name both behind a wrapper that changes more than how a command starts", () => {
    expect(behavior("sudo apt-get install x", { allow: ["Bash(sudo apt-get **)"] })).toBe("allow");
    expect(behavior("sudo apt-get install x", { allow: ["Bash(apt-get **)"] })).toBe("ask");
    expect(behavior("timeout 5 apt-get install x", { allow: ["Bash(apt-get **)"] })).toBe("allow");
  });

  it("holds in the working directory and its folders without a known workspace", () => {
    const at = (command: string) =>
      decide({ command, cwd: "/w" }, { ruleSets: [loadRules({ allow: ["Bash(make)"] }, "user")] }).behavior;

    expect(at("cd sub && make")).toBe("allow");
    expect(at("cd .. && make")).toBe("ask");
  });

  it("does not cover `NAME=x command`, unless the name is harmless with that value", () => {
    const rules = { allow: ["Bash(make)", "Env(FOO)"] };

    expect(behavior("FOO=1 make", rules)).toBe("ask");
    expect(behavior("NODE_ENV=test make", rules)).toBe("allow");
  });
});

describe("the order", () => {
  it("is hard blocks, `blockedCommands`, `requireDescription`, deny rules, ask rules, automatic approval, mode", () => {
    const rules: RuleFile = { deny: ["Bash(rm **)"], ask: ["Bash(rm x)"], allow: ["Bash"] };
    const first = (command: string, given: RuleFile, config: PolicyConfig = {}) =>
      verdict(command, given, { mode: "yolo" }, config).reasons[0]?.code;

    expect(first("rm -rf /", rules, { blockedCommands: ["rm"], requireDescription: true })).toBe("remove-system");
    expect(first("rm x", rules, { blockedCommands: ["rm"], requireDescription: true })).toBe("blocked-command");
    expect(first("rm x", rules, { requireDescription: true })).toBe("description-required");
    expect(first("rm x", rules)).toBe("rule-deny");
    expect(first("rm x", { ask: ["Bash(rm x)"], allow: ["Bash"] })).toBe("rule-ask");
    expect(behavior("rm x", { allow: ["Bash(rm x)"] }, { mode: "dontAsk" })).toBe("allow");
    expect(behavior("rm x", {}, { mode: "dontAsk" })).toBe("deny");
  });
});

/** What asks in every mode, by the words of the page. */
const ALWAYS: readonly (readonly [string, string, Partial<PolicyRequest>, PolicyConfig])[] = [
  ["what never runs unasked", "curl x | sh", {}, {}],
  ["text that was not understood", "ls 'x", {}, {}],
  ["a broken rule file", "ls", {}, { ruleSets: [loadRuleFile("{", "user")] }],
  ["a hard block that cannot be decided", 'rm -rf "$X"', {}, {}],
  ["a dangerous variable of the call", "ls", { env: { PATH: "/x" } }, {}],
  ["a blocked command that is known only when it runs", "$x y", {}, { blockedCommands: ["rm"] }],
  ["a deny rule that may match", "$x y", {}, { ruleSets: [loadRules({ deny: ["Bash(rm **)"] }, "user")] }],
];

describe.each(ALWAYS)("in every mode: %s", (_, command, more, config) => {
  it.each(POLICY_MODES)("asks in %s; `plan` and `dontAsk` refuse instead of asking", (mode) => {
    const expected = mode === "plan" || mode === "dontAsk" ? "deny" : "ask";

    expect(behavior(command, {}, { ...more, mode, sandboxed: true }, config)).toBe(expected);
    expect(behavior(command, {}, { ...more, mode, sandboxed: true, interactive: false }, config)).toBe("deny");
  });
});

describe("a dangerous variable that the line sets by itself", () => {
  it.each(["PATH=/evil ls", "export PATH=/evil", "PATH=/evil", "LD_PRELOAD=./x ls", "env PATH=/evil ls"])(
    "is judged as any line: it asks by default, runs in `yolo`, and an `Env` rule forbids it: %s",
    (line) => {
      expect(behavior(line)).toBe("ask");
      expect(behavior(line, {}, { mode: "auto" })).toBe("ask");
      expect(behavior(line, {}, { mode: "auto", sandboxed: true })).toBe("allow");
      expect(behavior(line, {}, { mode: "yolo" })).toBe("allow");
      expect(behavior(line, { ask: ["Env(PATH)", "Env(LD_*)"] }, { mode: "yolo" })).toBe("ask");
      expect(behavior(line, { deny: ["Env(PATH)", "Env(LD_*)"] }, { mode: "yolo" })).toBe("deny");
    },
  );
});

describe("a tainted session", () => {
  const taint = "`alias`";

  it("approves nothing for the class or a rule that names commands; what allows every line still does", () => {
    for (const command of ["ls", "make"]) {
      expect(behavior(command, { allow: ["Bash(ls)", "Bash(make)"] }, { taint })).toBe("ask");
      expect(behavior(command, { allow: ["Bash(ls)", "Bash(make)"] }, { taint, mode: "dontAsk" })).toBe("deny");
      expect(behavior(command, { allow: ["Bash"] }, { taint })).toBe("allow");
      expect(behavior(command, { allow: ["Bash"] }, { taint, mode: "dontAsk" })).toBe("allow");
      expect(behavior(command, { allow: ["Bash"] }, { taint, mode: "plan" })).toBe("deny");
      expect(verdict(command, { allow: ["Bash"] }, { taint }).concurrencySafe).toBe(false);
      expect(behavior(command, {}, { taint, mode: "auto" })).toBe("ask");
      expect(behavior(command, {}, { taint, mode: "auto", sandboxed: true })).toBe("allow");
      expect(behavior(command, {}, { taint, mode: "yolo" })).toBe("allow");
    }
  });
});

describe("a session is tainted", () => {
  const taint = (line: string) => taintOf(analyzeCommand(line));

  it.each("alias . source eval exec enable bind complete declare local readonly unset let mapfile".split(" "))(
    "by %s, whatever its words are",
    (name) => {
      for (const words of ["", " x", " -p", ' "$x"']) expect(taint(name + words), words).toBeDefined();
    },
  );

  it.each(["trap", "shopt", "hash", "umask", "ulimit"])("by %s with any word, and not without", (name) => {
    for (const words of [" x", " -p", ' "$x"']) expect(taint(name + words), words).toBeDefined();
    expect(taint(name)).toBeUndefined();
  });
});

describe("an unknown variable of a call", () => {
  it.each([
    ["default", "ask"],
    ["acceptEdits", "ask"],
    ["dontAsk", "deny"],
    ["plan", "deny"],
    ["auto", "allow"],
    ["yolo", "allow"],
  ] as const)("in mode %s, sandboxed: %s", (mode, expected) => {
    expect(behavior("ls", {}, { env: { FEATURE_X: "1" }, mode, sandboxed: true })).toBe(expected);
  });
});

describe("git", () => {
  it.each(["remote.origin.promisor", "remote.origin.partialclonefilter", "extensions.partialclone"])(
    "asks in partial clones, where reading may fetch: %s",
    (key) => {
      const gitDangers = gitConfigDangers(`local\0file:.git/config\0${key}\nx\0`);

      expect(behavior("git log")).toBe("allow");
      expect(behavior("git log", {}, { gitDangers })).toBe("ask");
    },
  );
});

describe("suggestions", () => {
  it.each([
    ["never broader than a program with its subcommand", "git commit -m x", ["Bash(git commit **)"]],
    ["never broader than a program with its subcommand", "touch a", ["Bash(touch a)"]],
    ["the exact words of a subcommand that runs others", "docker exec c ls", ["Bash(docker exec c ls)"]],
    ["none for interpreters", "python3 x.py", []],
    ["none for wrappers", "timeout 5 make", []],
    ["none for `rm`", "rm x", []],
    ["none for commands with assignments", "X=1 make", []],
  ])("are %s: %s", (_, line, rules) => {
    expect(verdict(line).suggestedRules).toEqual(rules);
  });
});

describe("`verdict.display`", () => {
  it("counts more than four empty lines and more than 40 blanks, and no fewer", () => {
    expect(verdict(`ls${"\n".repeat(6)}x`).display).toContain("… 5 empty lines …");
    expect(verdict(`ls${"\n".repeat(5)}x`).display).toBe(`ls${"\n".repeat(5)}x`);
    expect(verdict(`ls${" ".repeat(41)}x`).display).toContain("… 41 blanks …");
    expect(verdict(`ls${" ".repeat(40)}x`).display).toBe(`ls${" ".repeat(40)}x`);
  });
});
