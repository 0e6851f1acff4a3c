/** What a line past what is looked at is taken for: it is never the more harmless for its length. */
import { describe, expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

const folders = (count: number): string => Array.from({ length: count }, (_, at) => `a${at}`).join(" ");

describe("a search with many starts", () => {
  it.each([255, 256, 257, 300])("removes a system folder below the one behind %d others", (count) => {
    expect(answerOf(`find ${folders(count)} / -name etc -exec rm -rf {} +`)).toBe("blocked");
  });

  it.each([10, 255])("removes nothing of the system below %d ordinary ones", (count) => {
    expect(answerOf(`find ${folders(count)} -name etc -exec rm -rf {} +`)).toBe("neither");
  });
});

describe("a search behind many filters", () => {
  it.each([
    [1, "blocked"],
    [5, "blocked"],
    [6, "undecided"],
    [40, "undecided"],
  ])("is what `xargs` reads from: behind %d it is %s", (count, answer) => {
    expect(answerOf(`find / ${"| sort ".repeat(count)}| xargs rm`)).toBe(answer);
  });

  it("is not what another program prints", () => {
    expect(answerOf(`ls ${"| sort ".repeat(7)}| xargs rm`)).toBe("neither");
  });
});

describe("a line with many texts for a shell", () => {
  const texts = (count: number): string => Array.from({ length: count }, () => "echo ls | bash").join("\n");

  it("is read as far as a script of usual length goes", () => {
    expect(answerOf(texts(100))).toBe("neither");
  });

  it("cannot be decided past that", () => {
    expect(answerOf(texts(700))).toBe("undecided");
  });
});

describe("texts for a shell inside each other", () => {
  /** A variable that holds `rm -rf /`, and others that each evaluate the one before. */
  const nested = (count: number): string => {
    const variables = Array.from({ length: count }, (_, at) => `A${at + 1}='eval "$A${at}"'`);
    return `A0='rm -rf /'; ${variables.join("; ")}; eval "$A${count}"`;
  };

  it.each([1, 6, 7])("are followed: %d", (count) => {
    expect(answerOf(nested(count))).toBe("blocked");
  });

  it.each([8, 12])("cannot be decided where they are too many: %d", (count) => {
    expect(answerOf(nested(count))).toBe("undecided");
  });
});

describe("a text that functions print again and again", () => {
  const printed = (length: number): string =>
    `f() { echo ${"a".repeat(length)}; }; g() { f; f; }; h() { g; g; }; h | sh`;

  it("is read while it is short", () => {
    expect(answerOf(printed(300))).toBe("neither");
  });

  it("cannot be decided once it is long", () => {
    expect(answerOf(printed(40_000))).toBe("undecided");
  });
});

describe("groups inside each other in a pattern of `fd`", () => {
  const search = (count: number): string => `fd '${"(".repeat(count)}zzz${")".repeat(count)}' / -x rm -rf`;

  it.each([1, 32])("are read: %d", (count) => {
    expect(answerOf(search(count))).toBe("neither");
  });

  it("may match anything where they are too many", () => {
    expect(answerOf(search(33))).toBe("blocked");
  });

  it("count only while they are open", () => {
    expect(answerOf(`fd '${"()".repeat(40)}zzz' / -x rm -rf`)).toBe("neither");
  });
});

describe("a variable with many values that is used many times", () => {
  const loop = (uses: number): string =>
    `for x in ${folders(64)}; do ${Array.from({ length: uses }, () => "rm -rf $x").join("; ")}; done`;

  it("is looked at each time in a line of usual length", () => {
    expect(answerOf(loop(10))).toBe("neither");
  });

  it("may be anything past that", () => {
    expect(answerOf(loop(300))).toBe("undecided");
  });
});

describe("a function that is called many times", () => {
  const calls = (count: number): string =>
    `f() { rm -rf $1; }; ${Array.from({ length: count }, (_, at) => `f a${at}`).join("; ")}`;

  it.each([2, 64])("has the arguments of its %d calls", (count) => {
    expect(answerOf(calls(count))).toBe("neither");
  });

  it("may have any past that", () => {
    expect(answerOf(calls(65))).toBe("undecided");
  });
});

describe("what a program on the way of a list gets", () => {
  it.each([
    ["a replacement of many letters", `sed 's${"g".repeat(20_000)}!'`],
    ["a replacement of many separators", `sed 's${"/".repeat(50_000)}!'`],
    ["blanks before a program", `awk '${" ".repeat(50_000)}x'`],
    ["blanks behind a column", `awk '{print $2${" ".repeat(20_000)}x'`],
  ])("is read in time: %s", (_, program) => {
    const start = performance.now();
    answerOf(`ps aux | ${program} | xargs kill`);

    // Cubic time is minutes.
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});

describe("substitutions that stand in others twice", () => {
  const nested = (depth: number): string => (depth === 0 ? "a" : `$(find ${nested(depth - 1)} ${nested(depth - 1)})`);

  it("are followed", () => {
    expect(answerOf(`rm -rf ${nested(2)}`)).toBe("neither");
  });

  it("cannot be decided where they are too many, in time", () => {
    const start = performance.now();

    expect(answerOf(`rm -rf ${nested(9)}`)).toBe("undecided");
    // A quarter of a second where nothing else runs.
    expect(performance.now() - start).toBeLessThan(15_000);
  });
});
