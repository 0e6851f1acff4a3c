/** Decisions: the order of rules, modes, trust and taint. */
import { describe, expect, it } from "vitest";
import { decide, type PolicyConfig, type PolicyRequest } from "../src/decide.ts";
import { GIT_HARDENING } from "../src/git-hardening.ts";
import { loadRuleFile, loadRules, type RuleFile } from "../src/rules/rule-file.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me" };

function verdict(command: string, rules: RuleFile = {}, more: Partial<PolicyRequest> = {}, config: PolicyConfig = {}) {
  return decide({ command, ...PLACE, ...more }, { ruleSets: [loadRules(rules, "user")], ...config });
}
const behavior = (...given: Parameters<typeof verdict>) => verdict(...given).behavior;

describe("a decision", () => {
  it("allows what only reads, and says that it may run beside others", () => {
    expect(verdict("ls | wc -l")).toMatchObject({ behavior: "allow", class: "readonly", concurrencySafe: true });
    expect(verdict("cd src && ls")).toMatchObject({ behavior: "allow", concurrencySafe: false });
  });

  it("asks for everything else, with reasons and a narrow suggestion", () => {
    expect(verdict("npm install left-pad")).toMatchObject({
      behavior: "ask",
      class: "not-readonly",
      concurrencySafe: false,
      suggestedRules: ["Bash(npm install **)"],
      reasons: [expect.objectContaining({ code: "runs-code" })],
    });
    expect(verdict("mkdir -p a/b").suggestedRules).toEqual(["Bash(mkdir -p a/b)"]);
    expect(verdict("npm run build").suggestedRules).toEqual(["Bash(npm run build)"]);
  });

  it.each(["rm -rf x", "python3 x.py", "sudo ls", "X=1 make", "bash x.sh", "make $x", "ls; node x.js", "npx x"])(
    "suggests no rule where any would open more than was seen: %s",
    (command) => {
      expect(verdict(command)).toMatchObject({ behavior: "ask", suggestedRules: [] });
    },
  );

  it("puts deny before ask before allow, over all sources", () => {
    const rules = { allow: ["Bash"], ask: ["Bash(git push **)"], deny: ["Bash(git push --force **)"] };

    expect(behavior("git commit -m x", rules)).toBe("allow");
    expect(behavior("git push", rules)).toBe("ask");
    expect(behavior("git push -u --force", rules)).toBe("deny");
    expect(verdict("git push --force", rules).matchedRules.map((each) => each.rule)).toContain(
      "Bash(git push --force **)",
    );
  });

  it("denies by one command anywhere, and allows only when all are covered", () => {
    const rules = { allow: ["Bash(npm test)", "Bash(npm run *)"], deny: ["Bash(rm **)"] };

    expect(behavior("npm test && npm run build && ls", rules)).toBe("allow");
    expect(behavior("npm test && npm publish", rules)).toBe("ask");
    expect(behavior("npm test && bash -c 'rm x'", rules)).toBe("deny");
    expect(behavior("npm test $(curl x)", rules)).toBe("ask");
    expect(behavior("npm test $(cat f)", { allow: ["Bash(npm test **)"] })).toBe("allow");
  });

  it("does not let a rule for a program cover what stands around it", () => {
    const rules = { allow: ["Bash(npm test)"] };

    expect(behavior("npm test > out", rules)).toBe("ask");
    expect(behavior("npm test &", rules)).toBe("ask");
    expect(behavior("NODE_OPTIONS=--require=./x npm test", rules)).toBe("ask");
    expect(behavior("sudo npm test", rules)).toBe("ask");
    expect(behavior("f() { npm test; }; f", rules)).toBe("ask");
    expect(behavior("npm test > out", { allow: ["Bash(npm test)", "Write(out)"] })).toBe("allow");
    expect(behavior("cd x; npm test > out", { allow: ["Bash(npm test)", "Write(out)"] })).toBe("ask");
    expect(behavior("sudo npm test", { allow: ["Bash(sudo npm test)"] })).toBe("allow");
  });

  it.each([["yolo"], ["auto"], ["default"]] as const)("denies hard blocks in mode %s, whatever the rules", (mode) => {
    const more = { mode, sandboxed: true, trusted: true };

    expect(verdict("rm -rf /", { allow: ["Bash", "Bash(rm **)"] }, more)).toMatchObject({
      behavior: "deny",
      class: "blocked",
    });
  });

  it("never allows what was not understood", () => {
    for (const command of ["ls 'x", "ls\0", "(ls", "cat <(ls)#; rm -rf /", "x[;]$(rm -rf /)", "x=()`rm -rf /`"]) {
      expect(behavior(command, { allow: ["Bash"] }, { mode: "yolo" }), command).toBe("ask");
      expect(behavior(command, { allow: ["Bash"] }, { interactive: false }), command).toBe("deny");
    }
  });

  it("follows the mode where no rule decides", () => {
    expect(behavior("make", {}, { mode: "default" })).toBe("ask");
    expect(behavior("make", {}, { mode: "acceptEdits" })).toBe("ask");
    expect(behavior("make", {}, { mode: "dontAsk" })).toBe("deny");
    expect(behavior("make", {}, { mode: "plan" })).toBe("deny");
    expect(behavior("make", { allow: ["Bash(make)"] }, { mode: "plan" })).toBe("deny");
    expect(behavior("ls", {}, { mode: "plan" })).toBe("allow");
    expect(behavior("make", {}, { mode: "yolo" })).toBe("allow");
    expect(behavior("make", { ask: ["Bash(make)"] }, { mode: "yolo" })).toBe("ask");
    expect(behavior("make", {}, { mode: "auto" })).toBe("ask");
    expect(behavior("make", {}, { mode: "auto", sandboxed: true })).toBe("allow");
    expect(behavior("make", {}, { interactive: false })).toBe("deny");
  });

  it("lets a project's rules forbid, and permit only once the folder is trusted", () => {
    const ruleSets = [loadRules({ allow: ["Bash(make)"], deny: ["Bash(ls **)"] }, "project")];

    expect(decide({ command: "make" }, { ruleSets }).behavior).toBe("ask");
    expect(decide({ command: "make", trusted: true }, { ruleSets }).behavior).toBe("allow");
    expect(decide({ command: "ls" }, { ruleSets }).behavior).toBe("deny");
  });

  // CVE-2025-59536, CVE-2026-21852, CVE-2026-40068: configuration of the repository acted before it was trusted.
  it("lets no repository approve itself", () => {
    const ruleSets = [loadRules({ allow: ["Bash"] }, "project")];

    expect(decide({ command: "npm install" }, { ruleSets }).behavior).toBe("ask");
    expect(decide({ command: "git status", gitDangers: [] }, { ruleSets }).behavior).toBe("allow");
    expect(decide({ command: "git status" }, { ruleSets }).behavior).toBe("ask");
  });

  it("approves nothing by itself while a file of rules is broken", () => {
    const ruleSets = [loadRuleFile("{", "managed"), loadRules({ allow: ["Bash"] }, "user")];

    expect(decide({ command: "ls" }, { ruleSets })).toMatchObject({
      behavior: "ask",
      reasons: [expect.objectContaining({ code: "broken-rules" })],
    });
    expect(decide({ command: "ls", mode: "yolo" }, { ruleSets }).behavior).toBe("ask");
  });

  it("approves nothing by itself in a tainted session", () => {
    expect(verdict("ls", {}, { taint: "`alias`" })).toMatchObject({
      behavior: "ask",
      concurrencySafe: false,
      reasons: [expect.objectContaining({ code: "tainted-session", message: expect.stringContaining("`alias`") })],
    });
    expect(behavior("npm test", { allow: ["Bash(npm test)"] }, { taint: "`alias`" })).toBe("ask");
  });

  it("asks before a dangerous variable is set, in every mode", () => {
    const env = { LD_PRELOAD: "x", LANG: "C" };

    for (const mode of ["default", "yolo"] as const) {
      expect(verdict("ls", { allow: ["Bash(ls)"] }, { env, mode })).toMatchObject({
        behavior: "ask",
        reasons: [expect.objectContaining({ message: expect.stringContaining("`LD_PRELOAD`") })],
      });
    }
    expect(behavior("ls", {}, { env: { LANG: "C", CI: "1" } })).toBe("allow");
  });

  it("takes git for read-only only where its configuration was looked at, and hardens it", () => {
    expect(behavior("git status")).toBe("ask");
    expect(verdict("git status", {}, { gitDangers: [] })).toMatchObject({
      behavior: "allow",
      environment: GIT_HARDENING,
    });
    expect(behavior("git status", {}, { trusted: true })).toBe("allow");
    expect(
      verdict("git status", {}, { gitDangers: [{ key: "core.fsmonitor", value: "./x", origin: "file:.git/config" }] }),
    ).toMatchObject({ behavior: "ask", reasons: [expect.objectContaining({ code: "git-config" })] });
    expect(behavior("git push", { allow: ["Bash(git push)"] })).toBe("allow");
    expect(verdict("ls", {}).environment).toEqual({});
  });

  it("requires a description where that is wanted", () => {
    expect(behavior("ls", {}, {}, { requireDescription: true })).toBe("deny");
    expect(behavior("ls", {}, { description: " " }, { requireDescription: true })).toBe("deny");
    expect(behavior("ls", {}, { description: "List files" }, { requireDescription: true })).toBe("allow");
  });

  it("denies the owner's blocked commands by their words, not by their text", () => {
    const config = { blockedCommands: ["rm -rf build", "terraform apply", "npm publish | cat"] };
    const denied = (command: string) => behavior(command, { allow: ["Bash"] }, { mode: "yolo" }, config) === "deny";

    expect(denied("rm -rf build")).toBe(true);
    expect(denied("sudo rm -rf build x")).toBe(true);
    expect(denied("/bin/rm -rf build")).toBe(true);
    expect(denied("bash -c 'terraform apply -auto-approve'")).toBe(true);
    expect(denied("terraform apply 'x")).toBe(true);
    expect(denied("rm -rf build2")).toBe(false);
    expect(denied("echo 'rm -rf build'")).toBe(false);
    expect(denied("terraform plan")).toBe(false);
    expect(verdict("rm -rf build", {}, {}, config).reasons[0]?.message).toBe(
      "Command contains blocked pattern: rm -rf build",
    );
  });

  it("shows hidden characters written out", () => {
    expect(verdict("ls \u202e\u200b x\u001b[2J").display).toBe("ls \\u{202e}\\u{200b} x\\u{1b}[2J");
  });

  it("asks when the policy itself fails", () => {
    const config: PolicyConfig = {
      get ruleSets(): never {
        throw new Error("no rules");
      },
    };

    expect(decide({ command: "ls" }, config)).toMatchObject({
      behavior: "ask",
      reasons: [expect.objectContaining({ code: "policy-error", message: "the policy failed: no rules" })],
    });
    expect(decide({ command: "ls", interactive: false }, config).behavior).toBe("deny");
  });
});

describe("the work of a decision", () => {
  const rules = { allow: ["Bash(npm **)"], deny: ["Bash(rm **)", "Bash(re:x.*y)"] };

  it.each([
    "ls;",
    "$(",
    "bash -c ",
    "bash rm ",
    "f(){ f|f& };",
    "find . -exec ls \\; ",
    "rm -rf {a,b} ",
    "sudo ",
    "a=1 ",
    "eval '",
    "[ -a ",
  ])("is bounded for 64 KiB of %s", (text) => {
    const command = text.repeat(Math.floor(65_000 / text.length));
    const started = performance.now();

    verdict(command, rules);

    // Some ten milliseconds on an idle machine; quadratic work would take minutes.
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("denies what it found although the line is too long to be understood", () => {
    expect(behavior(`rm -rf x; ${"ls; ".repeat(10_000)}`, rules)).toBe("deny");
  });
});
