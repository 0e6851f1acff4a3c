/** The texts that a command gives to a shell, completed with what is known of their variables. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { expandWord, type Field, textField, UNKNOWN, UNKNOWN_RELATIVE, type Values } from "../../src/dangers/fields.ts";
import { literalText, renderedTexts } from "../../src/dangers/shell-texts.ts";

const KNOWN: Readonly<Record<string, readonly Field[]>> = {
  K: [textField("known")],
  TWO: [textField("one"), textField("two")],
  REL: [[UNKNOWN_RELATIVE]],
  STAR: [[textField("a")[0] ?? UNKNOWN, { kind: "star" }, { kind: "char" }]],
  MANY: Array.from({ length: 70 }, (_, at) => textField(`v${at}`)),
  BLANK: [textField("  ")],
  LONG: [textField("x".repeat(4_094))],
};
const VALUES: Values = { home: "/h", variable: (name) => KNOWN[name] ?? [[UNKNOWN]], output: () => [[UNKNOWN]] };

/** The texts of all commands that a line comes to; what is fed to it is `fed in`. */
function textsOf(line: string, fed: readonly Field[] | undefined = [textField("fed"), textField("in")]): string[] {
  return analyzeCommand(line).effective.flatMap((command) =>
    renderedTexts(
      command,
      (word) => expandWord(word, VALUES),
      () => fed,
    ),
  );
}

describe("a text behind `-c`", () => {
  it.each<[string, string[]]>([
    ['bash -c "rm $K"', ["rm known"]],
    ['bash -c "rm $X"', ["rm ${unknown_to_policy}"]],
    ['bash -c "rm $REL"', ["rm any-name"]],
    ['bash -c "rm $STAR"', ["rm a*?"]],
    // Each of several values is one text, and all of them together another.
    ['bash -c "rm $TWO"', ["rm one rm two", "rm one", "rm two"]],
    ["bash -c $TWO", ["one two", "one", "two"]],
    ["bash -c a*$K?", ["a*known?"]],
    ['bash -xc "a $K"', ["a known"]],
    ['bash -cx "a $K"', ["a known"]],
    ['bash -x -c "a $K"', ["a known"]],
    ['bash -c -x "a $K"', ["a known"]],
    ['bash -c +x "a $K"', ["a known"]],
    ['bash -c "$K" x', ["known"]],
    ['bash -c "$X" "a $K"', ["${unknown_to_policy}"]],
    ['/bin/bash -c "a $K"', ["a known"]],
    ["bash --foo -c 'a -b +c'", ["a -b +c"]],
    ['fish -c "a $K"', []],
    ['xbash -c "a $K"', []],
    ['bash -c "$BLANK"', []],
    ["bash -c", []],
    ["bash -c -x", []],
    // Those are read by the analysis itself.
    ["bash -c 'rm $X'", []],
    ["bash -c ls", []],
  ])("of %s is %j", (line, texts) => {
    expect(textsOf(line)).toEqual(texts);
  });

  it.each(["bash", "sh", "dash", "zsh", "ksh", "ash", "rbash"])("is for each shell: %s", (shell) => {
    expect(textsOf(`${shell} -c "a $K"`)).toEqual(["a known"]);
  });

  it.each(["su", "su me", "runuser", "flock f", "script"])(
    "is one of %s as well, whichever way it is read",
    (program) => {
      expect(new Set(textsOf(`${program} -c "a $K"`))).toEqual(new Set(["a known"]));
    },
  );

  it("may have 4,096 characters", () => {
    expect(textsOf('bash -c "$LONG x"').map((text) => text.length)).toEqual([4_096]);
  });

  it("is one of four at most, of 64 values at most", () => {
    const [whole, ...more] = textsOf('bash -c "$MANY"');

    expect(whole?.split(" ")).toHaveLength(64);
    expect(whole?.endsWith(" v63")).toBe(true);
    expect(more).toEqual(["v0", "v1", "v2"]);
  });
});

describe("a text that comes in", () => {
  it.each<[string, string[]]>([
    ['bash -s <<< "a $K"', ["a known"]],
    ['bash <<< "$TWO"', ["one two", "one", "two"]],
    ["bash < f", ["fed in"]],
    ["bash", ["fed in"]],
    ["bash --foo", ["fed in"]],
    ["su", ["fed in"]],
    ["script f", ["fed in"]],
    ["cat", []],
    ["bash --version", []],
    ["ssh h", []],
    ['bash 3< f <<< "a $K"', ["a known"]],
  ])("of %s is %j", (line, texts) => {
    expect(textsOf(line)).toEqual(texts);
  });

  it("is none where nothing is fed, and where the text is in the line", () => {
    const fed = () => {
      throw new Error("is not asked for");
    };
    const [command] = analyzeCommand('bash -c "a $K"').effective;
    if (command === undefined) throw new Error("no command");

    expect(textsOf("bash", [])).toEqual([]);
    expect(
      analyzeCommand("bash").effective.flatMap((each) =>
        renderedTexts(
          each,
          () => [],
          () => undefined,
        ),
      ),
    ).toEqual([]);
    expect(renderedTexts(command, (word) => expandWord(word, VALUES), fed)).toEqual(["a known"]);
  });
});

describe("words that become one text", () => {
  it.each<[string, string[]]>([
    ['eval a "$K"', ["a known"]],
    ['eval "$TWO" x', ["one two x"]],
    ["eval $X", ["${unknown_to_policy}"]],
    ["eval", []],
    ['ssh h "a $K" b', ["a known b"]],
    ['watch -n 1 "a $K"', ["a known"]],
    ["watch", []],
    ['env -S "a $K"', ["a known "]],
    ['env -S"a $K"', ["a known "]],
    ['env "-Sa $K" b', ["a known b"]],
    ['env --split-string="a $K" b c', ["a known b c"]],
    ['env --split-string "a $K" b c', ["a known b c"]],
    ['env -iS "a $K" b', ["a known b"]],
    ['env -i0S "a $K"', ["a known "]],
    ['env -C / -S "a $K"', ["a known "]],
    ['env -S "$TWO" x', ["one x", "two x"]],
    ['env -i -S "a $K" -S "b $K"', ["a known -S b known", "b known "]],
    ['env "-iSa $K"', ["a known "]],
    ['env --foo x-Sy "$K"', []],
    ['env --foo x-S "a $K"', []],
    ['env --foo --split-stringx "a $K"', []],
    ["env -S", []],
    ['xenv -S "a $K"', []],
    ['ls -S "a $K"', []],
  ])("of %s are %j", (line, texts) => {
    expect(textsOf(line)).toEqual(texts);
  });
});

describe("a word of known text", () => {
  it("stands for itself alone", () => {
    const word = literalText("rm -rf", { start: 3, end: 5 });

    expect(word).toMatchObject({
      value: "rm -rf",
      text: "rm -rf",
      display: "rm -rf",
      leading: "rm -rf",
      splits: false,
      quoted: false,
      span: { start: 3, end: 5 },
    });
    expect(new Set(Object.values(word.expansions))).toEqual(new Set([false]));
  });
});
