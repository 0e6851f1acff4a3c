/**
 * How many columns a text takes in a terminal, and where its characters end.
 *
 * Widths are those of `string-width` (East Asian wide and emoji count 2, combining marks 0). A character is what a person
 * sees as one: a grapheme cluster, as Unicode's text segmentation (UAX 29) has it.
 */
import stringWidth from "string-width";

/** Printable ASCII: as many columns as units. Nearly all output is, and nothing has to be looked up for it. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Longest cluster that is shown, in UTF-16 units: the longest emoji has 15; piles of combining marks are cut. */
const MAX_CLUSTER_UNITS = 24;

/** Widths that were looked up; as many as a text in one script has different characters. */
const MAX_KNOWN = 4096;

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });
const known = new Map<string, number>();

/** Whether a text is printable ASCII. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text);
}

/** Columns of a text that has no control characters. */
export function displayWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const cluster of clustersOf(text)) width += clusterWidth(cluster);
  return width;
}

/** The characters of a text, one after another. */
export function* clustersOf(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) {
    yield segment.length <= MAX_CLUSTER_UNITS ? segment : wellFormed(segment.slice(0, MAX_CLUSTER_UNITS));
  }
}

/** The text with U+FFFD for each half of a character. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** Columns of one character: 0, 1 or 2. */
export function clusterWidth(cluster: string): number {
  const found = known.get(cluster);
  if (found !== undefined) return found;
  const width = Math.min(2, stringWidth(cluster));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(cluster, width);
  return width;
}

/** As much of a text as fits `width` columns, with `…` where something was cut off. */
export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  if (width < 1) return "";
  let kept = "";
  let used = 0;
  for (const cluster of clustersOf(text)) {
    used += clusterWidth(cluster);
    if (used > width - 1) break;
    kept += cluster;
  }
  return `${kept}…`;
}
