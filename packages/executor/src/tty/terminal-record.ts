/**
 * The record of a task's terminal: what the program wrote, what was typed and by whom, in the form asciicast v2.
 *
 * # Theory of operation
 * Each line is written whole and in order, so that what a killed host leaves is a record up to then. The program waits when
 * the disk is slower than it. Output is masked as a stream, after what a person typed unseen was taken out of it; typing
 * that is not shown is a marker without the text and without its length. A full record ends with a marker, and a file that
 * cannot be written ends the record and nothing else.
 */
import { createWriteStream, type WriteStream } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { waitWithin } from "@pi-bash/contract/internal/wait";
import type { CastCode, castEvent, castHeader } from "@pi-bash/terminal/internal";
import type { OutputMask } from "../natives-port.ts";

/** Most that waits for the disk, in bytes. */
const MAX_PENDING_BYTES = 256 * 1024;
/** Longest wait for the disk at one chunk and at the end, in milliseconds. A record that takes longer ends there. */
const DISK_MS = 5_000;
/** Kept free for the marker of a full record, in bytes. */
const LAST_LINE_BYTES = 256;

/** Who typed: the model, a person whose keys are shown, or a person whose keys are not. */
export type Typist = "model" | "person" | "unseen";

/** What a record is made of. */
export interface TerminalRecordOptions {
  /** A new file. */
  readonly path: string;
  /** Most bytes of it. */
  readonly maxBytes: number;
  readonly cols: number;
  readonly rows: number;
  /** The command, masked already. */
  readonly command: string;
  readonly mask: OutputMask | undefined;
  readonly form: { readonly castEvent: typeof castEvent; readonly castHeader: typeof castHeader };
}

export class TerminalRecord {
  readonly #options: TerminalRecordOptions;
  readonly #file: WriteStream;
  readonly #startedAtMs = performance.now();
  readonly #decoder = new StringDecoder("utf8");
  readonly #stream: ReturnType<OutputMask["stream"]> | undefined;
  #bytes = 0;
  #typist: Typist | undefined;
  #isOver = false;
  #problem: string | undefined;
  #ended: Promise<void> | undefined;

  constructor(options: TerminalRecordOptions) {
    this.#options = options;
    this.#stream = options.mask?.stream();
    this.#file = createWriteStream(options.path, { flags: "wx", mode: 0o600, highWaterMark: MAX_PENDING_BYTES });
    this.#file.on("error", (error) => {
      this.#problem ??= error.message;
      this.#isOver = true;
    });
    const { cols: width, rows: height, command } = options;
    this.#line(options.form.castHeader({ width, height, timestamp: Math.floor(Date.now() / 1000), command }));
  }

  /** Why it is not whole; undefined: it is, so far. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** What the program wrote, without what a person typed unseen. Resolves when the disk has taken enough of it. */
  async output(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    this.#event("o", this.#decoder.write(Buffer.from(this.#stream?.push(bytes) ?? bytes)));
    if (!this.#file.writableNeedDrain || this.#isOver) return;
    const drained = new Promise<void>((resolve) => {
      this.#file.once("drain", resolve);
      this.#file.once("close", resolve);
    });
    const { kind } = await waitWithin(drained, { timeoutMs: DISK_MS });
    if (kind === "deadline") this.#giveUp("the disk takes nothing");
  }

  /** What was typed. */
  typed(by: Typist, data: string): void {
    if (by !== this.#typist) {
      this.#typist = by;
      const who = by === "model" ? "typed by the model" : "typed by a person";
      this.#event("m", by === "unseen" ? "a person types what is not shown" : who);
    }
    if (by !== "unseen") this.#event("i", this.#options.mask?.text(data).text ?? data);
  }

  /** Another size. */
  resized(cols: number, rows: number): void {
    this.#event("r", `${cols}x${rows}`);
  }

  /** Ends it. Resolves when it is on the disk, or will not be. Again it is the same end. */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    const rest = this.#stream?.finish();
    this.#event("o", rest === undefined ? "" : this.#decoder.write(Buffer.from(rest)));
    this.#event("o", this.#decoder.end());
    this.#isOver = true;
    // A full one was ended and may still be on its way to the disk; one that failed was destroyed.
    if (this.#file.destroyed) return;
    const ended = new Promise<void>((resolve) => {
      this.#file.once("close", resolve);
      this.#file.end();
    });
    const { kind } = await waitWithin(ended, { timeoutMs: DISK_MS });
    if (kind === "deadline") this.#giveUp("the disk takes nothing");
  }

  #event(code: CastCode, data: string): void {
    if (data === "" || this.#isOver) return;
    this.#line(this.#options.form.castEvent((performance.now() - this.#startedAtMs) / 1000, code, data));
  }

  #line(text: string): void {
    if (this.#isOver) return;
    const line = `${text}\n`;
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes <= this.#options.maxBytes - LAST_LINE_BYTES) {
      this.#bytes += bytes;
      this.#file.write(line);
      return;
    }
    const seconds = (performance.now() - this.#startedAtMs) / 1000;
    this.#problem = `the record is full (${this.#options.maxBytes} bytes)`;
    this.#file.end(`${this.#options.form.castEvent(seconds, "m", this.#problem)}\n`);
    this.#isOver = true;
  }

  #giveUp(problem: string): void {
    this.#problem ??= problem;
    this.#isOver = true;
    this.#file.destroy();
  }
}
