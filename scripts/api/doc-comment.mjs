/** A doc comment as Markdown: its text, and its tags as a list. */

/** The text of the doc comment that stands last in `trivia` (what precedes a declaration), or "". */
export function docTextIn(trivia) {
  const comment = trivia.match(/\/\*\*(?:(?!\*\/)[\s\S])*\*\//g)?.at(-1);
  if (comment === undefined) return "";
  return comment
    .slice(3, -2)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();
}

/** Tags become a list, so that Markdown does not run them together. */
export function docMarkdown(text) {
  return text
    .replace(/^#+ (.*)$/gm, "**$1**")
    .replace(/^(@(?:throws|param|returns|default|example|see|deprecated))\b ?/gm, (_, tag) => `- *${tag.slice(1)}* `)
    .replace(/^(?!- |\s|$)(.*)\n(?=- \*)/gm, "$1\n\n")
    .trim();
}

/** The first sentence of a doc text on one line, for lists. */
export function firstSentence(text) {
  const line = text.split(/\n\s*\n|\n@/)[0].replace(/\s+/g, " ");
  const end = /[.:](?= [A-Z`(]|$)/.exec(line);
  return (end ? line.slice(0, end.index + 1) : line).replace(/:$/, ".");
}

/** A doc text as a comment of source text, indented by two. */
export function memberComment(text) {
  if (text === "") return "";
  const lines = text.split("\n");
  if (lines.length === 1) return `  /** ${text} */\n`;
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd()).join("\n")}\n   */\n`;
}
