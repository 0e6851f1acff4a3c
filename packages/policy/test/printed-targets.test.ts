/** Hard blocks on what another command prints: `rm -rf $(…)` and `… | xargs rm -rf`. Nothing is run. */
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";
import { PRINTS_OWN, PRINTS_SYSTEM, PRINTS_UNKNOWN } from "./support/danger-cases/printed.ts";

const PLACE = { cwd: "/home/me/code/app", workspace: "/home/me/code/app", home: "/home/me" };

const linesOf = (cases: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(cases).flatMap(([name, lines]) => lines.map((line) => [name, line] as const));

function answerOf(line: string): "blocked" | "undecided" | "neither" {
  const { class: kind, undecided } = classify(line, PLACE);
  if (kind === "blocked") return "blocked";
  return undecided.length > 0 ? "undecided" : "neither";
}

describe("removing what a command prints", () => {
  it.each(linesOf(PRINTS_SYSTEM))("is blocked for a place of the system, by %s: %s", (_, line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each(linesOf(PRINTS_UNKNOWN))("is undecided where that is not known, by %s: %s", (_, line) => {
    expect(answerOf(line)).toBe("undecided");
  });

  it.each(linesOf(PRINTS_OWN))("is an ordinary command for what is the user's, by %s: %s", (_, line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
