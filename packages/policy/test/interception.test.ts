/** Interception: which commands a better tool takes, and how rules from settings behave. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import type { InterceptorRule } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { checkBashInterception, type InvalidRule } from "../src/interception/interceptor.ts";
import { compilePattern } from "../src/linear-pattern.ts";

const TOOLS = ["read", "search", "find", "edit", "write"];

function suggestionFor(command: string, tools: readonly string[] = TOOLS): string | undefined {
  const result = checkBashInterception(command, tools);
  return result.block ? result.suggestedTool : undefined;
}

describe("the default rules", () => {
  it.each([
    ["cat file", "read"],
    ["head -n 5 file", "read"],
    ["tail -20 src/x.ts", "read"],
    ["less file", "read"],
    ["more < file", "read"],
    ["/bin/cat file", "read"],
    ["LC_ALL=C cat file", "read"],
    ["cd x && cat file", "read"],
    ["ls; cat file 2>/dev/null", "read"],
    ["cat file | grep x", "read"],
    ["cat file 2>&1", "read"],
    ["grep -rn foo src", "search"],
    ["rg foo", "search"],
    ["ack foo", "search"],
    ["find . -name '*.ts'", "find"],
    ["find . -type f", "find"],
    ["fd --type f x", "find"],
    ["sed -i s/a/b/ f", "edit"],
    ["sed -ni.bak p f", "edit"],
    ["sed --in-place s/a/b/ f", "edit"],
    ["perl -pi -e s/a/b/ f", "edit"],
    ["perl -i.bak -pe s/a/b/ f", "edit"],
    ["awk -i inplace '{print}' f", "edit"],
    ["echo x > f", "write"],
    ["printf x >> f", "write"],
    ["echo x >| $f", "write"],
    ["cat <<E > f\nx\nE\n", "write"],
    ["cat > f <<'E'\nx\nE\n", "write"],
    ["echo x 2>&1 > f", "write"],
  ])("send to another tool: %s", (command, tool) => {
    expect(suggestionFor(command)).toBe(tool);
  });

  it.each([
    'echo "cat file"',
    "echo 'grep x; sed -i y'",
    "printf 'grep x'",
    "git grep x",
    "ps aux | grep node",
    "npm test | tail -20",
    "npm test 2>&1 | head",
    "cat <<E | psql\nx\nE\n",
    "cat",
    "cat -",
    "tail -f log",
    "cat /proc/cpuinfo /dev/stdin",
    "cat a b > c",
    "x=$(cat file)",
    'git commit -m "$(cat <<E\nx\nE\n)"',
    "for f in *; do cat $f; done",
    "f() { cat x; }",
    "while read l; do echo $l; done < file",
    "grep --version",
    "grep x <<< $y",
    "find . -name x -delete",
    "find . -name x -exec rm {} +",
    "find .",
    "sed -n 2p f",
    "perl -e 'print 1'",
    "perl -Mstrict -e 1",
    "awk '{print}' f",
    "echo x",
    "echo x > /dev/null",
    "echo x >&2",
    "echo x 2>&1",
    "echo x 2> f",
    "ls > f",
    "# cat file",
    "catalog x",
    "",
  ])("let pass: %s", (command) => {
    expect(checkBashInterception(command, TOOLS)).toEqual({ block: false });
  });

  it("hold only while the tool is there", () => {
    expect(suggestionFor("cat file", [])).toBeUndefined();
    expect(suggestionFor("cat file", ["search"])).toBeUndefined();
    expect(suggestionFor("grep x f", ["grep"])).toBe("grep");
    expect(suggestionFor("find . -name x", ["glob"])).toBe("glob");
  });

  it("say what to use and quote the original command", () => {
    expect(checkBashInterception("cat f", TOOLS, [], { originalCommand: "cd x && cat f" })).toEqual({
      block: true,
      suggestedTool: "read",
      span: { start: 0, end: 5 },
      message:
        "Blocked: Use the `read` tool instead of cat/head/tail. It provides better context and handles binary files." +
        "\n\nOriginal command: cd x && cat f",
    });
  });
});

describe("rules from settings", () => {
  const rule = (pattern: string, more: Partial<InterceptorRule> = {}): InterceptorRule => ({
    pattern,
    tool: "read",
    message: "no",
    ...more,
  });
  const blocks = (command: string, ...rules: InterceptorRule[]) => checkBashInterception(command, TOOLS, rules).block;

  it("replace the default ones, and an empty list means the default ones", () => {
    expect(blocks("cat f", rule("^nothing"))).toBe(false);
    expect(checkBashInterception("cat f", TOOLS, []).block).toBe(true);
    expect(checkBashInterception("cat f", TOOLS).block).toBe(true);
  });

  it("see one simple command at a time, without its assignments", () => {
    expect(blocks("A=1 npm install x", rule("^npm install"))).toBe(true);
    expect(blocks("cd a && npm install x", rule("^npm install"))).toBe(true);
    expect(blocks("ps | npm install x", rule("^npm install"))).toBe(false);
    expect(blocks("echo 'npm install'", rule("^npm install"))).toBe(false);
  });

  it("honour flags, and keep no state between calls", () => {
    const rules = [rule("^NPM", { flags: "giy" })];

    for (let call = 0; call < 3; call++) expect(checkBashInterception("npm x", TOOLS, rules).block).toBe(true);
    expect(blocks("npm x", rule("^NPM"))).toBe(false);
  });

  it("let the allowed subcommands pass", () => {
    const git = rule("^git", { allowSubcommands: ["log", "status"] });

    expect(blocks("git status", git)).toBe(false);
    expect(blocks("git --no-pager log", git)).toBe(false);
    expect(blocks("git push", git)).toBe(true);
    expect(blocks("git status && git push", git)).toBe(true);
    for (const bare of ["git", "git --version", 'git "$x"']) expect(blocks(bare, git)).toBe(true);
  });

  it("check a text that is no command line as a whole", () => {
    expect(blocks("npm install 'x", rule("^npm"))).toBe(true);
  });

  it("are reported once and skipped where they do not compile", () => {
    const invalid: InvalidRule[] = [];
    const rules = [rule("("), rule("(?=x)"), rule("a", { flags: "q" }), rule("^cat")];
    const options = { onInvalidRule: (each: InvalidRule) => invalid.push(each) };

    for (let call = 0; call < 3; call++) expect(checkBashInterception("cat f", TOOLS, rules, options).block).toBe(true);

    expect(invalid.map((each) => each.rule)).toEqual(rules.slice(0, 3));
    expect(invalid[0]?.problem).toContain("pattern `(` of the rule for `read` does not compile");
    expect(invalid[2]?.problem).toContain("unknown flag `q`");
  });

  it.each(["(a+)+b", "^(a|aa)+$", "(a*)*c", "(.*)*x", "a{1,30}{1,30}z"])(
    "cannot hang a call, whatever they would backtrack: %s",
    (pattern) => {
      const text = `x ${"a".repeat(10_000)}!`;
      const started = performance.now();

      blocks(text, rule(pattern));

      // A backtracking engine needs longer than the age of the universe for the first of these.
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );

  it("refuse a pattern that is too long to compile", () => {
    expect(compilePattern("a".repeat(5_000)).ok).toBe(false);
  });
});
