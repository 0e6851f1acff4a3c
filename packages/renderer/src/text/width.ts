/**
 * How many columns a text takes in a terminal, and where its characters end.
 *
 * A character is what a person sees as one: a grapheme cluster, as Unicode's text segmentation (UAX 29) has it. Widths are
 * those of `string-width` (East Asian wide and emoji count 2, combining marks 0), but for clusters of several letters or
 * with spacing marks (Devanagari, Thai): most terminals give each of these a cell, so they count, and such a cluster is
 * taken apart where it would have more than two columns. Where terminals differ, the wider answer is the safe one.
 */
import { headUnits } from "@pi-bash/contract/internal/text";
import stringWidth from "string-width";

/** Printable ASCII: as many columns as units. Nearly all output is, and nothing has to be looked up for it. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Longest cluster that is shown, in UTF-16 units: the longest emoji has 15; piles of combining marks are cut. */
const MAX_CLUSTER_UNITS = 24;

/** What is segmented at once, in UTF-16 units. */
const PIECE_UNITS = 256;

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

/** Columns of a terminal that does not say, or says what is none: a stream that is no terminal has `undefined`. */
const DEFAULT_COLUMNS = 80;

/** A width as a whole number of columns, at least 1. */
export function columnsOf(width: number): number {
  return Number.isFinite(width) ? Math.max(1, Math.floor(width)) : DEFAULT_COLUMNS;
}

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
  for (const cluster of segmentsOf(text)) {
    if (cluster.length === 1 || EMOJI.test(cluster)) yield cluster;
    else yield* partsOf(cluster);
  }
}

/**
 * The grapheme clusters of a text, cut where they are too long. A piece at a time, because the time that V8's segmenter
 * takes for a text grows with the square of its length: a line of 100,000 ideographs took six seconds.
 */
function* segmentsOf(text: string): Generator<string> {
  let held = "";
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + PIECE_UNITS;
    // Half a character is a cluster of its own, and would end the one before.
    if (isHighSurrogate(text.charCodeAt(to - 1))) to += 1;
    const piece = held + text.slice(from, to);
    held = "";
    for (const { segment } of segmenter.segment(piece)) {
      // The last one may go on in the next piece.
      if (held !== "") yield wellFormed(held);
      held = cut(segment);
    }
  }
  if (held !== "") yield wellFormed(held);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** At most so much of a cluster as is shown, without half a character at the cut. */
function cut(cluster: string): string {
  return headUnits(cluster, MAX_CLUSTER_UNITS);
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
  let kept = "";
  let used = 0;
  // What comes after the cut is not looked at: a line can have a megabyte.
  for (const cluster of clustersOf(text)) {
    used += clusterWidth(cluster);
    if (used > width) return width < 1 ? "" : `${kept}…`;
    if (used < width) kept += cluster;
  }
  return text;
}
