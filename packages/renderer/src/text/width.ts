/**
 * How many columns a text takes in a terminal, and where its characters end.
 *
 * A character is what a person sees as one: a grapheme cluster, as Unicode's text segmentation (UAX 29) has it. Widths are
 * those of `string-width` (East Asian wide and emoji count 2, combining marks 0), but for clusters of several letters or
 * with spacing marks (Devanagari, Thai): most terminals give each of these a cell, so they count, and such a cluster is
 * taken apart where it would have more than two columns. Where terminals differ, the wider answer is the safe one.
 */
import stringWidth from "string-width";

/** Printable ASCII: as many columns as units. Nearly all output is, and nothing has to be looked up for it. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Longest cluster that is shown, in UTF-16 units: the longest emoji has 15; piles of combining marks are cut. */
const MAX_CLUSTER_UNITS = 24;

/** Widths that were looked up; as many as a text in one script has different characters. */
const MAX_KNOWN = 4096;

/** No character has more: terminals have cells for one column and for two. */
const MAX_CLUSTER_COLUMNS = 2;

/** Emoji of any kind, flags and key caps: their parts are one picture. */
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|[\u20e3\ufe0f]/u;
const FLAG_HALF = /^\p{Regional_Indicator}$/u;

/** Marks with a cell of their own, and the vowel AM of Thai and Lao, which is a letter that joins the one before. */
const SPACING = /^[\p{Mc}\u0e33\u0eb3]$/u;
/** Marks without one; vowels and finals of Hangul that stand apart. */
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]$/u;

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

/** The characters of a text, one after another, none with more than two columns. */
export function* clustersOf(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) {
    const cluster = segment.length <= MAX_CLUSTER_UNITS ? segment : wellFormed(segment.slice(0, MAX_CLUSTER_UNITS));
    if (cluster.length === 1 || EMOJI.test(cluster)) yield cluster;
    else yield* partsOf(cluster);
  }
}

/** A cluster that is no emoji, in parts of at most two columns; nearly always there is one. */
function* partsOf(cluster: string): Generator<string> {
  let part = "";
  let width = 0;
  for (const character of cluster) {
    const its = characterWidth(character);
    if (width + its > MAX_CLUSTER_COLUMNS && part !== "") {
      yield part;
      part = "";
      width = 0;
    }
    part += character;
    width += its;
  }
  yield part;
}

/** The text with U+FFFD for each half of a character. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** Columns of one character: 0, 1 or 2. */
export function clusterWidth(cluster: string): number {
  const found = known.get(cluster);
  if (found !== undefined) return found;
  const width = Math.min(MAX_CLUSTER_COLUMNS, EMOJI.test(cluster) ? emojiWidth(cluster) : lettersWidth(cluster));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(cluster, width);
  return width;
}

/** A lone half of a flag is drawn as a letter in a box by some terminals, which takes two columns. */
function emojiWidth(cluster: string): number {
  return FLAG_HALF.test(cluster) ? 2 : stringWidth(cluster);
}

function lettersWidth(cluster: string): number {
  let width = 0;
  for (const character of cluster) width += characterWidth(character);
  return width;
}

/** Columns of one code point that is not part of an emoji. */
function characterWidth(character: string): number {
  if (SPACING.test(character)) return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return stringWidth(character);
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
