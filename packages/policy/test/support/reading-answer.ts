/** What the tables of reading programs say of a line that runs in a workspace. Nothing is run. */
import { classify } from "../../src/classify.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me" };

/** `readonly`, or the codes of what was found, or another class. */
export function readingOf(line: string): string {
  const { class: kind, findings } = classify(line, PLACE);
  return kind === "not-readonly" ? findings.map(({ code }) => code).join(" ") : kind;
}
