/** Commands written out with what is known of their words, and the texts that they print and read. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { analyzeCommand, type EffectiveCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { parallelTexts } from "../../src/dangers/texts/parallel-texts.ts";
import { completedTexts, inputTexts } from "../../src/dangers/texts/shell-texts.ts";
import { TextBudget } from "../../src/dangers/texts/text-budget.ts";
import { alternativesOf } from "../../src/dangers/values/alternatives.ts";
import {
  expandWord,
  type Field,
  textField,
  UNKNOWN,
  UNKNOWN_RELATIVE,
  type Values,
} from "../../src/dangers/values/fields.ts";
import { PrintedTexts } from "../../src/dangers/values/printed-texts.ts";
import { plainText } from "../../src/dangers/values/rendered-fields.ts";

const KNOWN: Readonly<Record<string, readonly Field[]>> = {
  K: [textField("known")],
  TWO: [textField("one"), textField("two")],
  NONE: [],
  REL: [[UNKNOWN_RELATIVE]],
  SURE: [[{ kind: "unknown", mayBeEmpty: false, mayBeAbsolute: true }]],
  STAR: [[{ kind: "text", text: "a" }, { kind: "star" }, { kind: "char" }]],
  QUOTE: [textField("it's")],
};
const VALUES: Values = {
  home: "/h",
  variable: (name) => KNOWN[name] ?? [[UNKNOWN]],
  output: () => [[UNKNOWN]],
  computed: () => [[UNKNOWN]],
};

function completed(line: string): readonly string[] {
  const [command] = analyzeCommand(line).commands;
  return completedTexts({ argv: command?.argv ?? [], expand: (word) => expandWord(word, VALUES) });
}

describe("a command is written out", () => {
  it.each<[string, readonly string[]]>([
    ["a $K", ["'a' 'known'"]],
    ["$K a", ["'known' 'a'"]],
    ['a "x $K"', ["'a' 'x known'"]],
    ["a $QUOTE", ["'a' 'it'\\''s'"]],
    // A variable that becomes nothing leaves no word.
    ["$NONE a", ["'a'"]],
    // What is not known as a whole stands in a text that runs later.
    ['a "x $X"', ["'a' 'x ${unknown_to_policy}'"]],
    ['a "x $SURE"', ["'a' 'x ${unknown_to_policy:?}'"]],
    ['a "x $REL"', ["'a' 'x any-name'"]],
    ["a x$STAR", ["'a' 'xa*?'"]],
    // Beside a word that is known, what is not stays what it is.
    ['$K "$X"', [`'known' "$X"`]],
    ['$K "a$X"', ["'known' 'a'\"${unknown_to_policy}\""]],
    ["$K <(x)", ["'known' <(x)"]],
    ["$K a*", ["'known' 'a'*"]],
    // A pattern may be text as well.
    ["a *", ["'a' '*'"]],
    ["a $TWO", ["'a' 'one' 'two'", "'a' 'one'", "'a' 'two'", "'a' 'one two'"]],
  ])("%s is %j", (line, texts) => {
    expect(completed(line)).toEqual(texts);
  });

  it.each(["a b", "a $X", "$X b", 'a "$X"', "a <(b)", "a $((1))"])("only where that adds something: %s", (line) => {
    expect(completed(line)).toEqual([]);
  });

  it("as it is written where a word is too long to be taken apart", () => {
    const text = `${"x".repeat(3_000)} $K`;

    expect(completed(`a "${text}"`)).toEqual([`'a' '${text}'`]);
  });
});

describe("words of several fields", () => {
  it("are read together, one of each, and from each on", () => {
    expect(alternativesOf([["a"], ["b", "c"], ["d"]])).toEqual([
      ["a", "b", "c", "d"],
      ["a", "b", "d"],
      ["a", "c", "d"],
      ["a", "c", "d"],
    ]);
    expect(alternativesOf([["a"], []])).toEqual([["a"]]);
    expect(alternativesOf([])).toEqual([[]]);
  });

  it("are read a few times only, however many there are", () => {
    const fields = (count: number) => Array.from({ length: count }, (_, at) => at);

    expect(alternativesOf([fields(64), fields(64)])).toHaveLength(1 + 64 + 64);
    expect(alternativesOf(fields(20).map(() => fields(16)))).toHaveLength(1 + 16 + 64);
    expect(alternativesOf(fields(20).map(() => fields(64)))).toHaveLength(2);
  });
});

/** What the last command of a line reads. */
function readBy(line: string): readonly string[] | undefined {
  const analysis = analyzeCommand(line);
  const last = analysis.effective.findLast(({ argv }) => argv[0]?.value === "sh");
  const printed = new PrintedTexts(analysis, () => VALUES);
  const texts = last === undefined ? undefined : printed.input(last)?.map(plainText);
  return texts === undefined ? undefined : [...new Set(texts)];
}

describe("the text that a shell reads", () => {
  it.each<[string, readonly string[]]>([
    ["echo a b | sh", ["a b"]],
    ["echo -n a | sh", ["a"]],
    ["echo -e 'a\\nb' | sh", ["a\nb"]],
    ["echo 'a\\nb' | sh", ["a\\nb"]],
    ["echo -nex 'a' | sh", ["-nex a"]],
    ["echo $K $X | sh", ["known ${unknown_to_policy}"]],
    ["echo $TWO | sh", ["one two", "one", "two"]],
    ["printf 'a\\nb' | sh", ["a\nb"]],
    ["printf -- 'a' | sh", ["a"]],
    ["printf '%s-%s\\n' a b c | sh", ["a-b\nc-\n"]],
    ["printf '%%%s' a | sh", ["%a"]],
    ["printf '%5.2s|%d' a 1 | sh", ["a|1"]],
    ["printf '%b' 'a\\tb' | sh", ["a\tb"]],
    ["printf '\\x61\\141\\0141\\u0061' | sh", ["aaaa"]],
    ["printf 'a\\0b' | sh", ["a\0b"]],
    ["printf '%x' 1 | sh", ["${unknown_to_policy}"]],
    ['printf "$K x" | sh', ["known x"]],
    ['printf "$X x" | sh', ["${unknown_to_policy} x"]],
    ["yes a b | sh", ["a b"]],
    ["echo a | cat | sh", ["a"]],
    ["echo a | cat - | sh", ["a"]],
    ["echo a | tee x y | sh", ["a"]],
    ["cat <(echo a) <(echo b) | sh", ["a\nb", "a", "b"]],
    ["{ echo a; x; echo b; } | sh", ["a\nb"]],
    ["(echo a | cat; echo $(echo c)) | sh", ["a\n${unknown_to_policy}"]],
    ["f() { echo a; }; f | sh", ["a"]],
    ["bash -c 'echo a' | sh", ["a"]],
    ["echo a 2> f | sh", ["a"]],
    ["echo a > /dev/stdout | sh", ["a"]],
    ["sh <<< $K", ["known"]],
    ["sh < <(echo a)", ["a"]],
    ["sh <<E\na $K \\$K\nE", ["a $K $K\n"]],
    ["sh <<'E'\na \\$K\nE", ["a \\$K\n"]],
    ["{ x; sh; } <<< a", ["a"]],
    ["{ { sh; } <<< a; } <<< b", ["a"]],
    ["if x; then sh; fi > f <<< a", ["a"]],
    ["echo b | sh <<< a", ["a"]],
    ["echo a > >(sh)", ["a"]],
    ["tee >(cat | sh) <<< a", ["a"]],
    ["{ echo a; echo b; } > >(sh)", ["a\nb"]],
    ["f() { sh; }; f <<< a", ["a"]],
  ])("of %s is %j", (line, texts) => {
    expect(readBy(line)).toEqual(texts);
  });

  it.each([
    "sh",
    "sh < f",
    "x | sh",
    "cat f | sh",
    "cat f - | x | sh",
    "echo a > f | sh",
    "echo a >&2 | sh",
    "echo a &> f | sh",
    "echo a | base64 -d | sh",
    "printf -v x a | sh",
    "{ sh; } > f",
    "{ x; } <<< a; sh",
    "f() { f; }; f | sh",
    "x > >(sh)",
    "echo a; x > >(sh)",
    "f() { sh; }; f",
  ])("is not known of %s", (line) => {
    expect(readBy(line)).toBeUndefined();
  });

  it("is not put together without end", () => {
    const analysis = analyzeCommand(`echo ${"x".repeat(1_000)} | ${"(cat; cat) | ".repeat(16)}sh`);
    const printed = new PrintedTexts(analysis, () => VALUES);
    const shell = analysis.effective.at(-1);
    if (shell === undefined) throw new Error("no command");

    expect(printed.exceeded).toBe(false);
    printed.input(shell);
    expect(printed.exceeded).toBe(true);
  });
});

/** What the shells of a line run of what they read. */
function runBy(line: string): readonly string[] {
  const analysis = analyzeCommand(line);
  const printed = new PrintedTexts(analysis, () => VALUES);
  const texts = (command: EffectiveCommand) => inputTexts(command, printed, VALUES).map(plainText);
  return [...new Set(analysis.effective.flatMap(texts))];
}

describe("a shell", () => {
  it.each<[string, readonly string[]]>([
    ["bash <(echo a)", ["a"]],
    ["bash -x <(echo a)", ["a"]],
    ["bash --rcfile <(echo a)", ["a"]],
    ["bash --foo <(echo a)", ["a"]],
    ["bash --foo <<< a", ["a"]],
    ["bash /dev/stdin <<< a", ["a"]],
    ["bash - <<< a", ["a"]],
    ["bash /dev/fd/3 3<<< a", ["a"]],
    ["bash -s x <<< a", ["a"]],
    ["fish <<< a", ["a"]],
    ["source <(echo a)", ["a"]],
    [". -- /dev/stdin <<< a", ["a"]],
    ["sudo -s <<< a", ["a"]],
    ["su <<< a", ["a"]],
    ["ssh h <<< a", ["a"]],
    ["at now <<< a", ["a"]],
    ["newgrp g <<< a", ["a"]],
  ])("runs what it reads: %s", (line, texts) => {
    expect(runBy(line)).toEqual(texts);
  });

  it.each([
    "bash x <<< a",
    "bash ./x <<< a",
    "bash -c x <<< a",
    "source x <<< a",
    "source",
    "cat <<< a",
    "cat <(echo a)",
    "su -c cat <<< a",
    "su --command=cat <<< a",
    "ssh h cat <<< a",
    "bash --version <<< a",
  ])("runs none of it: %s", (line) => {
    expect(runBy(line)).toEqual([]);
  });
});

describe("the commands of `parallel`", () => {
  const textsOf = (line: string) =>
    analyzeCommand(line).commands.flatMap((command) =>
      parallelTexts(
        { argv: command.argv } as unknown as EffectiveCommand,
        (word) => expandWord(word, VALUES),
        () => [textField("line 1")],
      ),
    );

  it.each<[string, readonly string[]]>([
    ["parallel ::: a 'b c'", ["a", "b c"]],
    ["parallel -j 2 --jobs 3 -k x ::: a", ["x 'a'"]],
    ["parallel x {} y {.} ::: a", ["x 'a' y 'a'"]],
    ["parallel 'x {1}' ::: a ::: b", ["x 'a'", "x 'b'"]],
    ["parallel x :::: f", ['x "${unknown_to_policy}"']],
    ["parallel x", ["x 'line 1'"]],
    ["parallel", ["line 1"]],
    ["other ::: a", []],
  ])("%s are %j", (line, texts) => {
    expect(textsOf(line)).toEqual(texts);
  });
});

describe("the budget of texts", () => {
  it("is for a line and all texts inside its texts, and reports once what is beyond", () => {
    const budget = new TextBudget();
    const texts = Array.from({ length: 512 }, (_, at) => `x${at}`);

    expect(budget.take(texts)).toEqual([texts, undefined]);
    expect(budget.deeper((inner) => inner.take(["a"]))).toMatchObject([[], { code: "undecided-block" }]);
    expect(budget.take(["a"])).toEqual([[], undefined]);
  });

  it("ends with the length of the texts, and with their depth", () => {
    const most = "a".repeat(262_144);

    expect(new TextBudget().take([most])).toEqual([[most], undefined]);
    expect(new TextBudget().take([most, "b"])).toMatchObject([[most], { code: "undecided-block" }]);
    const inside = (budget: TextBudget, depth: number): number =>
      depth === 0 ? budget.take(["a"])[0].length : budget.deeper((inner) => inside(inner, depth - 1));

    expect(inside(new TextBudget(), 7)).toBe(1);
    expect(inside(new TextBudget(), 8)).toBe(0);
  });
});
