/** What the hard blocks say of a line that runs in a workspace below the home folder. Nothing is run. */
import { type ClassifyContext, classify } from "../../src/classify.ts";

/** The folders that tables of lines suppose. */
export const PLACE = { cwd: "/home/me/code/app", workspace: "/home/me/code/app", home: "/home/me" };

/** The answer of the hard blocks; `context` may move the line elsewhere. */
export function answerOf(line: string, context: ClassifyContext = {}): "blocked" | "undecided" | "neither" {
  const { class: kind, undecided } = classify(line, { ...PLACE, ...context });
  if (kind === "blocked") return "blocked";
  return undecided.length > 0 ? "undecided" : "neither";
}
