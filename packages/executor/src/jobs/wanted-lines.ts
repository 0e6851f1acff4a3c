/**
 * The lines of raw output that a filter wants, as they are shown: colours between two letters do not hide a word.
 *
 * A flood has few lines that match and few that are not plain already. So a block is asked as a whole, and only one that may
 * have a match is cut into lines; and only what a sink would change goes through one.
 */
import { openTextWindow } from "../output/text-window.ts";
import type { LogFilter } from "./log-reader.ts";

const NEWLINE = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const DELETE = 0x7f;
const LINE_END = Buffer.from("\n");

/** The same byte four times. */
const fourTimes = (byte: number): number => byte * 0x01010101;
const HIGH_BITS = fourTimes(0x80);
const SPACES = fourTimes(SPACE);
const ONES = fourTimes(1);

/** What a filter found. */
export interface WantedLines {
  /** Lines that there are, wanted or not. */
  count: number;
  wanted: {
    /** Its place among the lines, from 0. */
    at: number;
    /** Plain text, without its end. */
    text: string;
  }[];
}

/** Looks through lines, of which the last may have no end. Rejects where the native runtime cannot be loaded. */
export async function wantedLines(raw: Buffer, filter: LogFilter): Promise<WantedLines> {
  if (raw.length === 0) return { count: 0, wanted: [] };
  const whole = raw[raw.length - 1] === NEWLINE ? raw : Buffer.concat([raw, LINE_END]);
  const count = linesOf(whole);
  const text = isPlain(whole) ? whole.toString("latin1") : await plainText(whole);
  if (!filter.mayBeIn(text)) return { count, wanted: [] };
  const lines = text.split("\n").slice(0, count);
  const wanted = lines.flatMap((line, at) => (filter.matches(line) === filter.isExcluding ? [] : [{ at, text: line }]));
  return { count, wanted };
}

function linesOf(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Whether there are only printable characters of ASCII, tabs and newlines: a sink changes nothing of them. */
function isPlain(bytes: Buffer): boolean {
  const ahead = Math.min(bytes.length, -bytes.byteOffset & 3);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + ahead, (bytes.length - ahead) >> 2);
  const areBytesPlain = (from: number, to: number): boolean => {
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] ?? 0;
      if ((byte < SPACE && byte !== NEWLINE && byte !== TAB) || byte >= DELETE) return false;
    }
    return true;
  };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? 0;
    // The high bit of a byte is set here where it is below a space, from 128 on, or DEL: four bytes in one look.
    if ((((word - SPACES) & ~word) | word | (word + ONES)) & HIGH_BITS) {
      if (!areBytesPlain(ahead + at * 4, ahead + at * 4 + 4)) return false;
    }
  }
  return areBytesPlain(0, ahead) && areBytesPlain(ahead + words.length * 4, bytes.length);
}

async function plainText(raw: Buffer): Promise<string> {
  const plain = await openTextWindow({ maxBytes: raw.length * 3 + 1 });
  plain.push(raw);
  return plain.finish().text;
}
