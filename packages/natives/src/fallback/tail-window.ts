/**
 * What a run's output leaves in memory and on disk where there is no native sink: a tail, totals, a spill file.
 *
 * Plain JavaScript, so it costs what the native sink saves. Colours and progress lines stay as they were written. Where
 * the file cannot be written the run goes on, and the summary says why the file is missing or short.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import type { SinkRequest } from "../generated/binding.d.ts";
import type { OutputSummary } from "../run-result.ts";

/** The native sink's default, in bytes. */
const DEFAULT_MAX_BYTES = 51_200;

/** Cut the kept text only when it is this many times too long: cutting at each chunk would copy it each time. */
const SLACK = 4;

const NEWLINE = 10;

/** Bytes of the `…` before the rest of a line. */
const REST_MARK_BYTES = 3;

/** Keeps the end of a stream, and counts the whole. */
export class TailWindow {
  readonly #maxBytes: number;
  readonly #spillPath: string | undefined;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #totalBytes = 0;
  #newlines = 0;
  #lastByte = 0;
  #lateBytes = 0;
  #isDone = false;
  #spill: number | undefined;
  #spillError: string | undefined;

  constructor(request: Pick<SinkRequest, "maxBytes" | "spillPath"> = {}) {
    this.#maxBytes = request.maxBytes ?? DEFAULT_MAX_BYTES;
    this.#spillPath = request.spillPath;
  }

  /** Takes the next bytes. After `finish` they only count as late. */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    if (this.#isDone) {
      this.#lateBytes += chunk.length;
      return;
    }
    if (this.#totalBytes + chunk.length > this.#maxBytes) this.#spillChunk(chunk);
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    this.#totalBytes += chunk.length;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) this.#newlines += 1;
    this.#lastByte = chunk[chunk.length - 1] ?? 0;
    if (this.#keptBytes > this.#maxBytes * SLACK) this.#cut();
  }

  /** The newest tail, and how much there was so far. */
  update(): { tail: string; bytes: number; lines: number } {
    this.#cut();
    return { tail: this.#shown().text, bytes: this.#totalBytes, lines: this.#lines() };
  }

  /** Ends the stream. The file is complete then. */
  finish(): OutputSummary {
    this.#cut();
    this.#isDone = true;
    if (this.#spill !== undefined) closeSync(this.#spill);
    const isSpilled = this.#spill !== undefined && this.#spillError === undefined;
    this.#spill = undefined;
    const { text, bytes } = this.#shown();
    const totalLines = this.#lines();
    const outputLines = text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    return {
      text,
      truncated: this.#totalBytes > bytes,
      totalBytes: this.#totalBytes,
      totalLines,
      outputBytes: bytes,
      outputLines,
      spilled: isSpilled,
      ...(this.#spillError === undefined ? {} : { spillError: this.#spillError }),
      shownRange: { startLine: outputLines === 0 ? 0 : totalLines - outputLines + 1, endLine: totalLines },
      lateOutputBytes: this.#lateBytes,
    };
  }

  #lines(): number {
    return this.#newlines + (this.#totalBytes > 0 && this.#lastByte !== 10 ? 1 : 0);
  }

  /** The text to show and its bytes without the mark of a rest: the native sink's rule, see its `window.rs`. */
  #shown(): { text: string; bytes: number } {
    const all = Buffer.concat(this.#kept);
    const tail = lastBytes(all, this.#maxBytes);
    const before = all.length - tail.length;
    if (before === 0 || all[before - 1] === NEWLINE) return { text: decoded(tail), bytes: tail.length };
    const line = tail.indexOf(NEWLINE) + 1;
    if (line > 0 && line <= tail.length / 2) return { text: decoded(tail.subarray(line)), bytes: tail.length - line };
    if (this.#maxBytes <= REST_MARK_BYTES) return { text: decoded(tail), bytes: tail.length };
    const rest = lastBytes(all, this.#maxBytes - REST_MARK_BYTES);
    return { text: `…${decoded(rest)}`, bytes: rest.length };
  }

  /** Keeps the last `maxBytes`, and one that tells whether they begin a line. */
  #cut(): void {
    if (this.#keptBytes <= this.#maxBytes + 1) return;
    const all = Buffer.concat(this.#kept);
    // A copy: the whole buffer would stay in memory for the sake of its end.
    const tail = Buffer.from(all.subarray(all.length - this.#maxBytes - 1));
    this.#kept = [tail];
    this.#keptBytes = tail.length;
  }

  #spillChunk(chunk: Buffer): void {
    if (this.#spillPath === undefined || this.#spillError !== undefined) return;
    try {
      if (this.#spill === undefined) {
        this.#spill = openSync(this.#spillPath, "wx", 0o600);
        // Up to here nothing was cut: what is kept is the whole beginning.
        for (const early of this.#kept) writeWhole(this.#spill, early);
      }
      writeWhole(this.#spill, chunk);
    } catch (error) {
      this.#spillError = error instanceof Error ? error.message : String(error);
    }
  }
}

function decoded(bytes: Buffer): string {
  return new TextDecoder().decode(bytes);
}

/** The last bytes, from a character's beginning. */
function lastBytes(bytes: Buffer, max: number): Buffer {
  let start = Math.max(0, bytes.length - max);
  if (start > 0) while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}

function writeWhole(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
}
