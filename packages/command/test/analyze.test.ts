/** Finding every command of a line, and refusing lines that are none. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "../src/analyze.ts";
import { applyBashFixups, singleQuoted } from "../src/fixups.ts";
import { MAX_COMMAND_BYTES } from "../src/text-limits.ts";
import { bash } from "./judge.ts";

function commandsOf(line: string): string[] {
  return analyzeCommand(line).commands.map((command) => command.argv.map((word) => word.display).join(" "));
}

describe("analysis", () => {
  it.each([
    ["a && b || c; d & e | f |& g", ["a", "b", "c", "d", "e", "f", "g"]],
    ["(a; b) && { c; d; }", ["a", "b", "c", "d"]],
    ["if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]],
    ["while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]],
    ["for x in $(a); do b; done; select x in 1; do c; done", ["a", "b", "c"]],
    ["case $(a) in $(b)) c;; esac", ["a", "b", "c"]],
    ["f() { a; }; function g { b; }", ["a", "b"]],
    ['echo "$(a)" `b` $((1+$(c)))', ["echo $(a) `b` $((1+$(c)))", "a", "b", "c"]],
    ["echo ${x:-$(a)} ${y/$(b)/$(c)} ${z[$(d)]}", ["echo ${x:-$(a)} ${y/$(b)/$(c)} ${z[$(d)]}", "a", "b", "c", "d"]],
    ["a <(b) >(c)", ["a <(b) >(c)", "b", "c"]],
    ["x=$(a) y=(1 $(b)) z[$(c)]=1", ["", "a", "b", "c"]],
    ["[[ -n $(a) && $(b) == x ]]", ["a", "b"]],
    ["(( $(a) + 1 )); for ((i=$(b);;)); do c; done", ["a", "b", "c"]],
    ["coproc N { a; }; coproc b", ["a", "b"]],
    ["! a; time -p b", ["a", "b"]],
    ["cat <<E\n$(a) `b`\nE\n", ["cat", "a", "b"]],
    ["cat <<'E'\n$(a)\nE\n", ["cat"]],
    ["cat <<< $(a)", ["cat", "a"]],
    ["echo `a \\`b\\``", ["echo `a \\`b\\``", "a `b`", "b"]],
    ["{ a; } > $(b)", ["a", "b"]],
    ["$x a", ["$x a"]],
    ["a # b; c", ["a"]],
  ])("finds every command in: %s", (line, expected) => {
    expect(analyzeCommand(line).errors).toEqual([]);
    expect(commandsOf(line).toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    "echo 'unterminated",
    'echo "unterminated',
    "|| ls",
    "for i in a; do echo",
    "cat <(ls",
    "(ls",
    "ls )",
    "if true; then",
    "ls ;; pwd",
    "echo $(ls",
    "a | | b",
    "case x in",
    "fi",
    "rm (x",
    "rm (x)",
    "x (",
    "ls >> 2>&1",
    "! && ls",
  ])("does not call a line understood that bash rejects: %s", (line) => {
    expect(bash(`bash -n -c ${singleQuoted(line)}`).output).toMatch(/syntax error|unexpected/);

    const analysis = analyzeCommand(line);

    expect(analysis.ok).toBe(false);
    expect(analysis.errors.length).toBeGreaterThan(0);
  });

  it("refuses NUL bytes, lone surrogates and overlong lines", () => {
    expect(analyzeCommand("ls\0rm").errors).toEqual([{ message: "contains a NUL byte", offset: 2 }]);
    expect(analyzeCommand("ls \ud800").errors).toEqual([{ message: "contains a lone surrogate", offset: 3 }]);
    expect(analyzeCommand("ls 🙂").ok).toBe(true);
    expect(analyzeCommand(`: ${"x".repeat(MAX_COMMAND_BYTES)}`).ok).toBe(false);
    expect(analyzeCommand(`: ${"é".repeat(MAX_COMMAND_BYTES / 2)}`).ok).toBe(false);
  });

  it.each(["cat a<(b)", "cat b=~<(b)", "a>b<(c)", "x=1<(b)", "for i in a<(b); do c; done", "cat <(a)<(b)"])(
    "takes no word for two where bash takes it for one: %s",
    (command) => {
      expect(analyzeCommand(command)).toMatchObject({ ok: false, errors: [{ message: "unexpected token" }] });
    },
  );

  it("does not trust a here-document whose end bash may see elsewhere", () => {
    expect(analyzeCommand("cat <<$'\\x{45}'\nE\ntouch P\n\\x{45}\n").ok).toBe(false);
  });

  it.each([
    "cat <(a)#; touch P",
    "cat < <(a)#; touch P",
    "cat <<<<(a)#; touch P",
    "cat <(a)\\\n#; touch P",
    "for i in <(a)#; do touch P; done",
    "case <(a)# in *) touch P;; esac",
    'echo "$(cat <(a)#; touch P)"',
    "echo `cat <(a)#; touch P`",
  ])("does not believe in a comment behind a process substitution: %s", (line) => {
    expect(analyzeCommand(line)).toMatchObject({ ok: false });
  });

  it("knows the end of a word behind a process substitution", () => {
    const { ok, commands } = analyzeCommand("diff <(a) <(b)|c; (cat <(d)); { e > >(f); }; g <(h)>/dev/null # i; j");

    expect(ok).toBe(true);
    expect(commands.map(({ argv }) => argv[0]?.value).toSorted()).toEqual([..."abcdefgh", "cat", "diff"].toSorted());
  });

  it.each([
    "a=()`touch P`",
    "a=()$(touch P)x",
    "declare a=(1)x`touch P`",
    "a+=()`touch P` b",
    "a[;]$(touch P)",
    "1<(touch P)#<(touch P)",
    "a[))]`touch P`",
    "a[ ]x$(touch P)",
    "esac[))\\\n]${x:-$(touch P)}",
  ])("does not take what runs commands for text behind an array or a subscript: %s", (line) => {
    const { ok, commands } = analyzeCommand(line);

    expect(ok && !commands.some(({ argv }) => argv[0]?.value === "touch")).toBe(false);
  });

  it.each(["echo a[0] \\$x \\`b\\` $ a$ '$(b)' 5$%", "a[1]=2", "a=(1 2)", "declare a=(1)", "cat <<'E'\n$(b)\nE"])(
    "takes for text what is text: %s",
    (line) => {
      const { ok, commands } = analyzeCommand(line);

      expect(ok).toBe(true);
      expect(commands.some(({ argv }) => argv[0]?.value === "b")).toBe(false);
    },
  );

  it("reads the same text once, and gives the same analysis", () => {
    expect(analyzeCommand("echo the same text")).toBe(analyzeCommand("echo the same text"));
  });

  it("gives up on absurd nesting and on absurd numbers, and returns what it found in the latter", () => {
    const deep = analyzeCommand(`echo ${"$(echo ".repeat(200)}x${")".repeat(200)}`);
    const many = analyzeCommand("ls;".repeat(10_000));

    expect(deep).toMatchObject({ ok: false, errors: [{ message: "nested too deeply" }] });
    expect(many).toMatchObject({ ok: false, errors: [{ message: "too many parts" }] });
    expect(many.commands.length).toBeGreaterThan(1_000);
    expect(analyzeCommand("ls;".repeat(1_000)).ok).toBe(true);
    expect(analyzeCommand(`echo ${"$(echo ".repeat(40)}x${")".repeat(40)}`).ok).toBe(true);
  });

  it("gives up on thousands of here-documents and on parentheses that only an inner text has", () => {
    const inner = analyzeCommand(`bash -c $'${String.raw`\x24\x28`.repeat(200)}'`);

    expect(analyzeCommand(`cat ${"<<a ".repeat(2_000)}`)).toMatchObject({ ok: false });
    expect(inner.effective).toMatchObject([{ unresolved: "a text for a shell is too large to be read" }]);
    expect(analyzeCommand(`cat <<E\n${"cout << x;\n".repeat(400)}E\n`).ok).toBe(true);
  });

  it("gives up on expressions too deep to be walked, and does not throw", () => {
    expect(analyzeCommand(`echo $((${"1+".repeat(30_000)}1))`).ok).toBe(false);
    expect(analyzeCommand(`echo $((${"1+".repeat(1_000)}1))`).constructs).toMatchObject([{ literal: false }]);
    expect(analyzeCommand(`echo $((${"1+".repeat(50)}1))`).constructs).toMatchObject([{ literal: true }]);
  });

  it.each(["$(", "bash -c ", "sudo ", "find . -exec ls \\; ", "f(){ f|f& };", "eval '", "{a,", "`", "x<<E\n", "<<a "])(
    "comes to an end with 64 KiB of %s",
    (text) => {
      const started = performance.now();

      const command = text.repeat(Math.floor(MAX_COMMAND_BYTES / text.length));
      analyzeCommand(command);
      applyBashFixups(command);

      // Quadratic work would take minutes here; the true time is some ten milliseconds.
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );

  it("tells where a command stands", () => {
    const { commands } = analyzeCommand("a | b & (c); $(d); f() { e; }; while g; do h; done < x; i && j");
    const context = (name: string) => commands.find((command) => command.argv[0]?.value === name)?.context;

    expect(context("a")).toMatchObject({ writesPipe: true, readsPipe: false, background: true });
    expect(context("b")).toMatchObject({ writesPipe: false, readsPipe: true });
    expect(context("c")).toMatchObject({ subshell: true });
    expect(context("d")).toMatchObject({ substitution: true });
    expect(context("e")).toMatchObject({ functionName: "f" });
    expect(context("g")).toMatchObject({ loop: true, readsPipe: true });
    expect(context("i")).toMatchObject({ conditional: false });
    expect(context("j")).toMatchObject({ conditional: true });
  });

  it.each([
    ["echo $((x))", { kind: "arithmetic", literal: false }],
    ["echo $((1+2*0x1f))", { kind: "arithmetic", literal: true }],
    ["((x=1))", { kind: "arithmetic", literal: false }],
    ["echo $[ a[1] ]", { kind: "arithmetic", literal: false }],
    ["echo ${x:=1}", { kind: "parameter", acts: "assign" }],
    ["echo ${!x}", { kind: "parameter", acts: "indirect" }],
    ["echo ${x@P}", { kind: "parameter", acts: "transform" }],
    ["echo ${x[y]}", { kind: "parameter", acts: "subscript" }],
    ["echo ${x:y}", { kind: "parameter", acts: "subscript" }],
    ["echo ${x:1:2} ${x%.c} ${#x}", { kind: "parameter", acts: "none" }],
    ["[[ -v x ]]", { kind: "test", evaluates: true }],
    ["[[ $x -eq 1 ]]", { kind: "test", evaluates: true }],
    ["[[ -f x && $y == z ]]", { kind: "test", evaluates: false }],
    ["f() { :; }", { kind: "function", name: "f" }],
    ["a &", { kind: "background" }],
    ["{ a; } > f", { kind: "redirection" }],
    ["for x in $y; do :; done", { kind: "word-list" }],
  ])("lists the construct of: %s", (line, expected) => {
    expect(analyzeCommand(line).constructs).toContainEqual(expect.objectContaining(expected));
  });

  it("keeps assignments and redirections with their command", () => {
    const [command] = analyzeCommand("A=1 B+='x y' cmd 2>&1 >>out <in {fd}<x <<<s").commands;

    expect(command?.assignments.map(({ name, value, append }) => [name, value?.value, append])).toEqual([
      ["A", "1", false],
      ["B", "x y", true],
    ]);
    expect(command?.redirections.map((each) => [each.descriptor, each.operator, each.target?.value])).toEqual([
      [2, ">&", "1"],
      [undefined, ">>", "out"],
      [undefined, "<", "in"],
      ["fd", "<", "x"],
      [undefined, "<<<", "s"],
    ]);
  });
});
