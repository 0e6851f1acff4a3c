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
