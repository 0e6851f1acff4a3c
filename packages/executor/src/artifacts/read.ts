/**
 * Reads an artifact, or a part of it, without ever holding more than was asked for.
 *
 * Files may have gigabytes. They are read in blocks with a turn of the event loop between two, a tail is read from the
 * end, and a whole file only where it is small; otherwise the error says how to ask for a part.
 */

import { characterStart, headBytes, tailBytes } from "@pi-bash/contract/internal/text";
import type { OutputMask } from "../natives-port.ts";
import type { FarSpill } from "../places/far-spill.ts";
import { LOOK_BACK_BYTES } from "../secrets.ts";
import { ArtifactError, type ArtifactSelection } from "./address.ts";
import { type LinePattern, linePattern } from "./line-pattern.ts";
import { LineScanner, type ScannedLine } from "./line-scanner.ts";
import { openPrivateFile } from "./private-folder.ts";
import { type ReadableFile, readAt } from "./readable-file.ts";

/** Bytes of text that are returned at most, unless a caller says otherwise: 8 MiB. */
const DEFAULT_READ_BYTES = 8 * 1024 ** 2;
/** 64 KiB: the slowest pattern takes a few milliseconds for it, then the event loop has its turn. */
const BLOCK_BYTES = 64 * 1024;
/** Bytes of a line that a pattern is tried on. */
const MATCHED_LINE_BYTES = 64 * 1024;
/** Bytes of a matching line that are shown. */
const SHOWN_MATCH_BYTES = 4 * 1024;

/** A part of an artifact. */
export interface ArtifactText {
  id: string;
  kind: string;
  /** UTF-8 decoded; bytes that are no UTF-8 are U+FFFD. Matches are `<line number>:<line>`. */
  text: string;
  /** Bytes of the whole file. */
  totalBytes: number;
  /** First and last line of `text` in the file, from 1; absent for a tail of a file that was not counted. */
  startLine?: number;
  endLine?: number;
  /** Lines that matched `grep`, the ones not returned too. */
  matches?: number;
  /** Something that the selection covers is not in `text`, because of the bound on its size. */
  truncated: boolean;
}

/** What is read: an entry of the store. */
interface Source {
  id: string;
  kind: string;
  path: string;
  /** Where it is on a place. */
  far?: FarSpill | undefined;
}

interface ReadOptions {
  maxBytes?: number;
  signal?: AbortSignal;
  /** Mask what is read. */
  masks?: readonly OutputMask[];
}

/** Reads what `selection` names; everything where it names nothing. Throws `ArtifactError`. */
export async function readArtifact(
  source: Source,
  selection: ArtifactSelection,
  options: ReadOptions = {},
): Promise<ArtifactText> {
  const maxBytes = options.maxBytes ?? DEFAULT_READ_BYTES;
  const matches = selection.grep === undefined ? undefined : linePattern(selection.grep).matches;
  const { file, size } = await open(source);
  try {
    const base = { id: source.id, kind: source.kind, totalBytes: size };
    const isScan = matches !== undefined || selection.startLine !== undefined;
    const filter = new MaskFilter(options.masks ?? []);
    if (isScan) {
      return { ...base, ...(await scan(file, selection, { maxBytes, matches, signal: options.signal, filter })) };
    }
    if (selection.tail !== undefined) {
      return { ...base, ...(await readTail(file, { size, lines: selection.tail, maxBytes, filter })) };
    }
    if (size > maxBytes) throw tooLarge(source.id, size);
    const bytes = filter.whole(await readAt(file, 0, size));
    return { ...base, text: bytes.toString("utf8"), truncated: false };
  } finally {
    await file.close();
  }
}

async function open(source: Source): Promise<{ file: ReadableFile; size: number }> {
  try {
    return source.far === undefined ? await openPrivateFile(source.path) : await source.far.open();
  } catch (error) {
    if (source.far !== undefined) throw gone(source.id, source.far, error);
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const reason = isMissing ? "has no output on disk (yet)" : "cannot be read";
    throw new ArtifactError("PI_ARTIFACT_UNREADABLE", `Artifact ${source.id} ${reason}.`, error);
  }
}

/** Its place does not answer, or is another one than it was. */
function gone(id: string, { place, sizeBytes }: FarSpill, cause: unknown): ArtifactError {
  const size = sizeBytes === 0 ? "" : ` (${(sizeBytes / 1024 ** 2).toFixed(1)} MiB)`;
  const text = `artifact://${id}${size} lies on ${place}, which is not connected, or does not have it any more; its last lines are in the result of the command.`;
  return new ArtifactError("PI_ARTIFACT_UNREADABLE", text, cause);
}

function tooLarge(id: string, size: number): ArtifactError {
  const mebibytes = (size / 1024 ** 2).toFixed(1);
  const hint = `artifact://${id}?lines=1-3000, artifact://${id}?tail=200 or artifact://${id}?grep=PATTERN`;
  return new ArtifactError("PI_ARTIFACT_TOO_LARGE", `Artifact ${id} has ${mebibytes} MiB. Read a part of it: ${hint}`);
}

type Part = Pick<ArtifactText, "text" | "truncated" | "startLine" | "endLine" | "matches">;

/** Masks bytes on their way from the file. */
class MaskFilter {
  readonly #streams: ReturnType<OutputMask["stream"]>[];

  constructor(masks: readonly OutputMask[]) {
    this.#streams = masks.map((mask) => mask.stream());
  }

  /** Bytes before a part that have to be seen too. */
  get lookBackBytes(): number {
    return this.#streams.length === 0 ? 0 : LOOK_BACK_BYTES;
  }

  push(block: Buffer): Buffer {
    return this.#streams.reduce((bytes, stream) => asBuffer(stream.push(bytes)), block);
  }

  finish(): Buffer {
    return this.#streams.reduce(
      (bytes, stream) => Buffer.concat([stream.push(bytes), stream.finish()]),
      Buffer.alloc(0),
    );
  }

  whole(bytes: Buffer): Buffer {
    return this.#streams.length === 0 ? bytes : Buffer.concat([this.push(bytes), this.finish()]);
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

interface TailOptions {
  size: number;
  lines: number;
  maxBytes: number;
  filter: MaskFilter;
}

/** The last `lines` lines, read from the end. */
async function readTail(file: ReadableFile, { size, lines, maxBytes, filter }: TailOptions): Promise<Part> {
  const blocks: Buffer[] = [];
  let position = size;
  let newlines = 0;
  let bytes = 0;
  // One more newline than lines: the last byte of a file is usually one that ends the last line.
  while (position > 0 && newlines <= lines && bytes <= maxBytes) {
    const length = Math.min(BLOCK_BYTES, position);
    position -= length;
    const block = await readAt(file, position, length);
    blocks.unshift(block);
    bytes += block.length;
    newlines += countNewlines(block);
  }
  const isWhole = position === 0;
  const before = Math.max(0, position - filter.lookBackBytes);
  const all = filter.whole(Buffer.concat([await readAt(file, before, position - before), ...blocks]));
  const start = startOfTail(all, lines, isWhole);
  const text = all.toString("utf8", start);
  const kept = tailBytes(text, maxBytes);
  const isComplete = start > 0 || isWhole;
  return { text: kept, truncated: kept.length < text.length || !isComplete };
}

function countNewlines(block: Buffer): number {
  let count = 0;
  for (let at = block.indexOf(0x0a); at !== -1; at = block.indexOf(0x0a, at + 1)) count += 1;
  return count;
}

/** Where the last `lines` lines of `bytes` begin. */
function startOfTail(bytes: Buffer, lines: number, isWhole: boolean): number {
  let at = bytes.length > 0 && bytes[bytes.length - 1] === 0x0a ? bytes.length - 1 : bytes.length;
  for (let left = lines; left > 0; left -= 1) {
    at = at === 0 ? -1 : bytes.lastIndexOf(0x0a, at - 1);
    if (at === -1) return isWhole ? 0 : characterStart(bytes, 0);
  }
  return at + 1;
}

interface ScanOptions {
  maxBytes: number;
  matches: LinePattern["matches"] | undefined;
  signal: AbortSignal | undefined;
  filter: MaskFilter;
}

/** Goes through the file from its beginning and keeps the selected lines. */
async function scan(file: ReadableFile, selection: ArtifactSelection, options: ScanOptions): Promise<Part> {
  const { matches, filter } = options;
  const first = selection.startLine ?? 1;
  const last = selection.endLine ?? Number.POSITIVE_INFINITY;
  const scanner = new LineScanner(matches === undefined ? options.maxBytes : MATCHED_LINE_BYTES);
  const kept = new KeptLines(options.maxBytes, selection.tail);
  const onLine = (line: ScannedLine): boolean => {
    if (line.number < first) return true;
    if (line.number > last) return false;
    if (matches === undefined) kept.add(line.number, shownLine(line, Number.POSITIVE_INFINITY));
    else if (matches(line.bytes)) kept.add(line.number, `${line.number}:${shownLine(line, SHOWN_MATCH_BYTES)}`);
    return line.number < last && kept.wantsMore(matches !== undefined);
  };
  await eachBlock(
    file,
    options.signal,
    (block) => scanner.feed(scanner.skip(filter.push(block), first), onLine),
    () => scanner.feed(scanner.skip(filter.finish(), first), onLine) && scanner.end(onLine),
  );
  const part = kept.part();
  return matches === undefined ? part : { ...part, matches: kept.count };
}

async function eachBlock(
  file: ReadableFile,
  signal: AbortSignal | undefined,
  onBlock: (block: Buffer) => boolean,
  onEnd: () => unknown,
): Promise<void> {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let position = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, BLOCK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    if (!onBlock(buffer.subarray(0, bytesRead))) return;
  }
  onEnd();
}

/** A line as text, its middle never split inside a character, with a word on what is left out. */
function shownLine(line: ScannedLine, maxBytes: number): string {
  const text = line.bytes.toString("utf8");
  const shown = maxBytes === Number.POSITIVE_INFINITY ? text : headBytes(text, maxBytes);
  const omitted = line.omittedBytes + Buffer.byteLength(text) - Buffer.byteLength(shown);
  return omitted === 0 ? shown : `${shown}… (${omitted} more bytes)`;
}

/** Selected lines within a bound: the first ones that fit, or with `tail` the last ones. */
class KeptLines {
  /** Lines added so far. */
  count = 0;
  readonly #maxBytes: number;
  readonly #tail: number | undefined;
  #lines: { number: number; text: string; bytes: number }[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(maxBytes: number, tail: number | undefined) {
    this.#maxBytes = maxBytes;
    this.#tail = tail;
  }

  add(number: number, text: string): void {
    this.count += 1;
    const bytes = Buffer.byteLength(text) + 1;
    const isFull = this.#bytes + bytes > this.#maxBytes && this.#lines.length > 0;
    if (this.#tail === undefined) {
      this.#isCut ||= isFull;
      if (this.#isCut) return;
    }
    this.#lines.push({ number, text, bytes });
    this.#bytes += bytes;
    if (this.#tail !== undefined) this.#dropOld(this.#tail);
  }

  /** A count of all matches wants the whole file; lines alone do not. */
  wantsMore(isCounting: boolean): boolean {
    return isCounting || !this.#isCut;
  }

  part(): Part {
    const first = this.#lines[0];
    const last = this.#lines.at(-1);
    const text = this.#lines.map((line) => `${line.text}\n`).join("");
    const range = first === undefined || last === undefined ? {} : { startLine: first.number, endLine: last.number };
    return { text, truncated: this.#isCut, ...range };
  }

  #dropOld(tail: number): void {
    while (this.#lines.length > 1 && (this.#lines.length > tail || this.#bytes > this.#maxBytes)) {
      this.#isCut ||= this.#lines.length <= tail;
      this.#bytes -= this.#lines.shift()?.bytes ?? 0;
    }
  }
}
