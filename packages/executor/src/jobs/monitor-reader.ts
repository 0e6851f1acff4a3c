/**
 * Reads the lines of a job's file that match, with their numbers, for a watch: whole lines, from the watch's own place on.
 *
 * Blocks are bounded, and the event loop has its turn after each; an expression is RE2's, so no line takes long.
 */
import { setImmediate } from "node:timers/promises";
import { openPrivateFile } from "../artifacts/private-folder.ts";
import { readAt } from "../artifacts/readable-file.ts";
import { LOOK_BACK_BYTES } from "../secrets.ts";
import type { JobLog, LogSecrets } from "./job-log.ts";
import type { LogFilter } from "./log-reader.ts";
import { wantedLines } from "./wanted-lines.ts";

/** 64 KiB: the slowest expression takes a few milliseconds for it. */
const BLOCK_BYTES = 64 * 1024;
/** Bytes of a line that an expression is tried on. */
const MATCHED_LINE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** Where a watch is in a file: at the beginning of a line. */
export interface LinePlace {
  /** Bytes before it. */
  offset: number;
  /** Lines before it. */
  lines: number;
  /** Bytes after it that are known to have no newline. */
  barren: number;
}

/** A line of a job's output that matches the pattern of a watch. */
export interface MatchedLine {
  /** From 1, in the whole output. */
  number: number;
  /** Plain text, without its end. */
  text: string;
}

/** What was read of a block. */
export interface MatchReading {
  matches: MatchedLine[];
  /** Where the next block begins. */
  place: LinePlace;
}

/** The end of the whole lines that are there: where a watch begins. */
export async function lastPlace(log: JobLog): Promise<LinePlace> {
  const { totals, path } = log;
  if (path === undefined || totals.bytes === 0) return { offset: 0, lines: 0, barren: 0 };
  const { file, size } = await (log.open?.() ?? openPrivateFile(path));
  try {
    const known = log.secrets?.isFileMasked === true ? size : Math.min(size, totals.bytes);
    for (let end = known; end > 0; ) {
      const start = Math.max(0, end - BLOCK_BYTES);
      const found = (await readAt(file, start, end - start)).lastIndexOf(NEWLINE);
      // The totals count a last line without an end.
      if (found !== -1) {
        const offset = start + found + 1;
        return { offset, lines: totals.lines - (offset < known ? 1 : 0), barren: 0 };
      }
      end = start;
    }
    return { offset: 0, lines: 0, barren: 0 };
  } finally {
    await file.close();
  }
}

/**
 * Reads block after block of what is there, up to `limit` at most; `take` is given each, and says whether there is to be another one.
 * The event loop has its turn between two. Rejects where the file cannot be read.
 */
export async function readMatchesFrom(
  log: JobLog,
  from: LinePlace,
  filter: LogFilter,
  take: (reading: MatchReading) => boolean,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { path, totals, isOver, secrets } = log;
  if (path === undefined || (isOver && totals.bytes === 0)) return;
  const { file, size } = await (log.open?.() ?? openPrivateFile(path));
  try {
    const known = isOver || secrets?.isFileMasked === true ? size : Math.min(size, totals.bytes);
    const end = Math.min(known, limit);
    const block = { file, end, isOver: isOver && end === size, secrets, filter };
    for (let place = from; place.offset < end; ) {
      const reading = await readBlock(block, place);
      if (!take(reading) || reading.place.offset === place.offset) return;
      place = reading.place;
      if (place.offset < end) await setImmediate();
    }
  } finally {
    await file.close();
  }
}

interface Readable {
  file: OpenFile;
  /** Where what is known of it ends. */
  end: number;
  /** Nothing comes after that: an unfinished line is one. */
  isOver: boolean;
  secrets: LogSecrets | undefined;
  filter: LogFilter;
}

async function readBlock({ file, end, isOver, secrets, filter }: Readable, from: LinePlace): Promise<MatchReading> {
  const { raw, length } = await readLines(file, from, { end, isOver });
  if (length === 0) return { matches: [], place: { ...from, barren: end - from.offset } };
  const mask = secrets?.mask.stream();
  const before = Math.max(0, from.offset - LOOK_BACK_BYTES);
  mask?.skip(await readAt(file, before, from.offset - before));
  const shown = mask === undefined ? raw : Buffer.concat([mask.push(raw), mask.finish()]);
  const { count, wanted } = await wantedLines(shown, filter);
  return {
    matches: wanted.map(({ at, text }) => ({ number: from.lines + at + 1, text })),
    place: { offset: from.offset + length, lines: from.lines + count, barren: 0 },
  };
}

type OpenFile = Parameters<typeof readAt>[0];

interface Lines {
  /** Whole lines; of one that is longer than a block its beginning. */
  raw: Buffer;
  /** Bytes of the file that they take. 0: there is no whole line. */
  length: number;
}

/** The whole lines of the next block, or the next one where it is longer. After the end an unfinished one counts. */
async function readLines(
  file: OpenFile,
  { offset, barren }: LinePlace,
  { end, isOver }: { end: number; isOver: boolean },
): Promise<Lines> {
  for (let position = offset + barren; position < end; ) {
    const block = await readAt(file, position, Math.min(BLOCK_BYTES, end - position));
    if (block.length === 0) break;
    if (position === offset) {
      const cut = block.lastIndexOf(NEWLINE) + 1;
      if (cut > 0) return { raw: block.subarray(0, cut), length: cut };
    } else {
      const cut = block.indexOf(NEWLINE) + 1;
      if (cut > 0) return { raw: await beginning(file, offset), length: position + cut - offset };
    }
    position += block.length;
  }
  if (!isOver) return { raw: Buffer.alloc(0), length: 0 };
  const raw = await readAt(file, offset, Math.min(MATCHED_LINE_BYTES, end - offset));
  return { raw, length: end - offset };
}

/** What an expression is tried on of a line that is longer than a block. */
async function beginning(file: OpenFile, offset: number): Promise<Buffer> {
  const bytes = await readAt(file, offset, MATCHED_LINE_BYTES);
  const cut = bytes.indexOf(NEWLINE);
  return cut === -1 ? bytes : bytes.subarray(0, cut);
}
