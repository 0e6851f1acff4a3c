/**
 * Reads what is new in a job's file for one reader: whole lines, the unfinished last one only after the end.
 *
 * Reading never takes a place forward by itself; the caller does, once the text has reached whoever asked. Of more than
 * fits the end is given, and where the rest is. A filter goes through everything new, in blocks with a turn of the event
 * loop between two, so that its matches are found wherever they are.
 */
import { MAX_SHOWN_LINE_BYTES } from "@pi-bash/contract/internal";
import { type LinePattern, linePattern } from "../artifacts/line-pattern.ts";
import { LineScanner } from "../artifacts/line-scanner.ts";
import { openPrivateFile } from "../artifacts/private-folder.ts";
import { type ReadableFile, readAt } from "../artifacts/readable-file.ts";
import type { OutputMask } from "../natives-port.ts";
import { openTextWindow, type TextWindow } from "../output/text-window.ts";
import { LOOK_BACK_BYTES } from "../secrets.ts";
import type { JobLog, LogCursor } from "./job-log.ts";
import { wantedLines } from "./wanted-lines.ts";

/** 64 KiB: the slowest pattern takes a few milliseconds for it, then the event loop has its turn. */
const BLOCK_BYTES = 64 * 1024;
/** Of more than this only the end is read, in bytes: what is shown is far smaller. */
const READ_BYTES = 1024 * 1024;
/** Bytes of a line that a pattern is tried on. */
const MATCHED_LINE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** Which lines a reader wants. */
export interface LogFilter extends LinePattern {
  /** The lines that do not match instead of those that do. */
  isExcluding: boolean;
}

/** Compiles a filter. Throws `ArtifactError` for a pattern that is none. */
export function logFilter(pattern: string, isExcluding: boolean): LogFilter {
  const { matches, mayBeIn } = linePattern(pattern);
  return { matches, mayBeIn: isExcluding ? () => true : mayBeIn, isExcluding };
}

/** What a job has written since the last look, as far as it matches a filter. */
export interface LogText {
  text: string;
  /** Not everything new is in `text`. */
  isIncomplete: boolean;
  /** Lines that are left out before `text`, counted in the whole output from 1; absent where they were not counted. */
  leftOut?: { startLine: number; endLine: number };
  /** Matching lines, those not in `text` too. */
  matches?: number;
  /** There was no time to look at everything: the next call goes on. */
  isUnfinished?: boolean;
}

export const NO_TEXT: LogText = { text: "", isIncomplete: false };

/** A reading, and where the reader stands after it. */
export interface LogReading {
  output: LogText;
  /** Something to tell: a line that is wanted, or a line at all where there is no filter. */
  hasNews: boolean;
  offset: number;
  line: number | undefined;
  /** Takes the reader's place forward, where that is kept elsewhere. */
  commit?: () => void;
}

export interface ReadOptions {
  maxBytes: number;
  /** Most lines of text. Absent: any number within the bytes. */
  maxLines?: number | undefined;
  filter: LogFilter | undefined;
  /** Whether a filter has to stop looking. */
  isLate: () => boolean;
}

interface MaskedReadOptions extends ReadOptions {
  mask: OutputMask | undefined;
}

type MaskStream = ReturnType<OutputMask["stream"]>;

/** Reads. Rejects where there is no file that can be read. */
export async function readNewLines(log: JobLog, cursor: LogCursor, given: ReadOptions): Promise<LogReading> {
  const { path, totals, isOver, secrets } = log;
  const options: MaskedReadOptions = { ...given, mask: secrets?.mask };
  const isFileMasked = secrets?.isFileMasked === true;
  // Where secrets are masked in the file, it may be longer than what was written.
  const isNothingNew = !isFileMasked && totals.bytes <= cursor.offset + cursor.barren;
  // Of a command that wrote nothing, or was ended before it began, there is no file.
  const wroteNothing = isOver && totals.bytes === 0;
  if (path === undefined || wroteNothing || (isNothingNew && !isOver)) return nothingNew(cursor, options);
  const { file, size } = await (log.open?.() ?? openPrivateFile(path));
  try {
    const known = isOver || isFileMasked ? size : Math.min(size, totals.bytes);
    const end = isOver ? known : await endOfLines(file, cursor, known);
    if (end <= cursor.offset) return nothingNew(cursor, options);
    if (options.filter !== undefined)
      return await readMatches(file, cursor.offset, end, { ...options, ...options.filter });
    // Totals end with the command and count all it wrote; a file with more or less has other lines.
    const line = known === totals.bytes && !isFileMasked ? lastLine(totals.lines, end < known) : undefined;
    return await readEnd(file, cursor, { offset: end, line }, options);
  } finally {
    await file.close();
  }
}

function nothingNew({ offset, line }: LogCursor, { filter }: ReadOptions): LogReading {
  return { output: filter === undefined ? NO_TEXT : { ...NO_TEXT, matches: 0 }, hasNews: false, offset, line };
}

function lastLine(lines: number, hasUnfinished: boolean): number {
  return hasUnfinished ? lines - 1 : lines;
}

/** Where the last whole line before `known` ends, looked for from the end; the reader's own place if there is none. */
async function endOfLines(file: ReadableFile, cursor: LogCursor, known: number): Promise<number> {
  const from = cursor.offset + cursor.barren;
  let position = known;
  while (position > from) {
    const start = Math.max(from, position - BLOCK_BYTES);
    const block = await readAt(file, start, position - start);
    const found = block.lastIndexOf(NEWLINE);
    if (found !== -1) return start + found + 1;
    position = start;
  }
  cursor.barren = Math.max(0, known - cursor.offset);
  return cursor.offset;
}

/** The mask's look at the file: what stands before `position` has been seen, so that a secret that began there ends masked. */
async function openMask(file: ReadableFile, position: number, mask: OutputMask | undefined): Promise<MaskStream> {
  if (mask === undefined) return { skip: () => undefined, push: (bytes) => bytes, finish: () => Buffer.alloc(0) };
  const stream = mask.stream();
  const before = Math.max(0, position - LOOK_BACK_BYTES);
  stream.skip(await readAt(file, before, position - before));
  return stream;
}

interface Place {
  offset: number;
  line: number | undefined;
}

/** The end of the new lines, as much as fits. */
async function readEnd(
  file: ReadableFile,
  from: LogCursor,
  to: Place,
  options: MaskedReadOptions,
): Promise<LogReading> {
  const window = await openReadWindow(options);
  let position = Math.max(from.offset, to.offset - READ_BYTES);
  const mask = await openMask(file, position, options.mask);
  let isBeginning = position === from.offset;
  while (position < to.offset) {
    const block = await readAt(file, position, Math.min(BLOCK_BYTES, to.offset - position));
    if (block.length === 0) break;
    position += block.length;
    const shown = mask.push(block);
    const start = isBeginning ? 0 : shown.indexOf(NEWLINE) + 1;
    if (!isBeginning && start === 0 && position < to.offset) continue;
    isBeginning = true;
    window.push(shown.subarray(start));
  }
  window.push(mask.finish());
  const { text, truncated, totalLines, shownRange } = window.finish();
  const isSkipped = to.offset - from.offset > READ_BYTES;
  const before = to.line === undefined ? undefined : to.line - (totalLines - shownRange.startLine) - 1;
  const first = from.line === undefined ? undefined : from.line + 1;
  const leftOut =
    first === undefined || before === undefined || before < first ? undefined : { startLine: first, endLine: before };
  return {
    output: { text, isIncomplete: truncated || isSkipped, ...(leftOut === undefined ? {} : { leftOut }) },
    hasNews: true,
    ...to,
  };
}

function openReadWindow({ maxBytes, maxLines }: ReadOptions): Promise<TextWindow> {
  return openTextWindow({ maxBytes, maxLines, maxLineBytes: MAX_SHOWN_LINE_BYTES });
}

interface MatchOptions extends MaskedReadOptions, LogFilter {}

/** The wanted lines of the new ones. */
async function readMatches(file: ReadableFile, from: number, end: number, options: MatchOptions): Promise<LogReading> {
  const window = await openReadWindow(options);
  const sieve = new LineSieve(window, options);
  let position = from;
  const mask = await openMask(file, position, options.mask);
  // Bytes of the file since its last newline.
  let unfinishedBytes = 0;
  // At least one block, so that the next call does not stand where this one stood.
  while (position < end && (position === from || !options.isLate())) {
    const block = await readAt(file, position, Math.min(BLOCK_BYTES, end - position));
    if (block.length === 0) break;
    position += block.length;
    const last = block.lastIndexOf(NEWLINE);
    unfinishedBytes = last === -1 ? unfinishedBytes + block.length : block.length - last - 1;
    await sieve.feed(asBuffer(mask.push(block)));
  }
  const isUnfinished = position < end;
  if (!isUnfinished) {
    await sieve.feed(asBuffer(mask.finish()));
    await sieve.end();
  }
  const { text, truncated } = window.finish();
  return {
    output: {
      text,
      isIncomplete: truncated || isUnfinished,
      matches: sieve.count,
      ...(isUnfinished ? { isUnfinished } : {}),
    },
    hasNews: text.trim() !== "",
    // A line that goes on past the last block is looked at again as a whole.
    offset: isUnfinished ? position - unfinishedBytes : end,
    line: undefined,
  };
}

/** Passes on the lines that a filter wants. */
class LineSieve {
  count = 0;
  readonly #scanner = new LineScanner(MATCHED_LINE_BYTES);
  readonly #window: TextWindow;
  readonly #filter: LogFilter;

  constructor(window: TextWindow, filter: LogFilter) {
    this.#window = window;
    this.#filter = filter;
  }

  async feed(block: Buffer): Promise<void> {
    const first = block.indexOf(NEWLINE) + 1;
    const end = block.lastIndexOf(NEWLINE) + 1;
    // What was begun in an earlier block ends here; the lines after it are whole.
    const begun = this.#scanned(block.subarray(0, first));
    await this.#take(Buffer.concat([...begun, block.subarray(first, end)]));
    this.#scanner.feed(block.subarray(end), () => true);
  }

  async end(): Promise<void> {
    const lines: Buffer[] = [];
    this.#scanner.end(({ bytes }) => lines.push(Buffer.from(bytes)) > 0);
    await this.#take(Buffer.concat(lines));
  }

  #scanned(bytes: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    this.#scanner.feed(bytes, (line) => lines.push(Buffer.from(line.bytes), LINE_END) > 0);
    return lines;
  }

  async #take(lines: Buffer): Promise<void> {
    const { wanted } = await wantedLines(lines, this.#filter);
    for (const { text } of wanted) {
      this.count += 1;
      this.#window.push(Buffer.from(text));
      this.#window.push(LINE_END);
    }
  }
}

const LINE_END = Buffer.from("\n");

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
