/**
 * What stands out on a screen by its background: the chosen entry of a menu is nothing but its colour.
 *
 * The ordinary backgrounds are the terminal's own and the one that most of the text has; whatever has another one, or is
 * inverse, is highlighted.
 */
import type { StyledText } from "./styled-row.ts";

/** Texts that are highlighted, from the top, each once; at most `limit`. */
export function highlightedTexts(rows: readonly (readonly StyledText[])[], limit: number): string[] {
  const usual = new Set(["", mostUsed(rows)]);
  const found = rows.flatMap((row) => spansOf(row).filter(({ background }) => !usual.has(background)));
  const texts = found.map(({ text }) => text.trim()).filter((text) => text !== "");
  return [...new Set(texts)].slice(0, limit);
}

interface Span {
  text: string;
  readonly background: string;
}

/** Neighbours with the same background as one text. */
function spansOf(row: readonly StyledText[]): Span[] {
  const spans: Span[] = [];
  for (const { text, style } of row) {
    const background = backgroundOf(style);
    const last = spans.at(-1);
    if (last?.background === background) last.text += text;
    else spans.push({ text, background });
  }
  return spans;
}

/** The background that most characters stand on. */
function mostUsed(rows: readonly (readonly StyledText[])[]): string {
  const counts = new Map<string, number>();
  for (const { text, style } of rows.flat()) {
    const background = backgroundOf(style);
    counts.set(background, (counts.get(background) ?? 0) + text.replaceAll(" ", "").length);
  }
  const [first] = [...counts].sort(([, left], [, right]) => right - left);
  return first?.[0] ?? "";
}

/** The part of a style that is behind the text: inverse, or SGR parameters 40 to 47, 100 to 107, and 48 with its colour. */
function backgroundOf(style: string): string {
  const parts = style.split(";");
  const kept: string[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? "";
    if (part === "38" || part === "48") {
      const length = parts[at + 1] === "5" ? 3 : 5;
      if (part === "48") kept.push(parts.slice(at, at + length).join(";"));
      at += length - 1;
    } else if (part === "7" || /^(?:4|10)[0-7]$/.test(part)) kept.push(part);
  }
  return kept.join(";");
}
