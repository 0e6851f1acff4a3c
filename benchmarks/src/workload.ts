/**
 * The commands that are measured, and what is known of their output. Output comes from files that `/bin/cat` repeats: it
 * writes 128 KiB at a time and is faster than every reader. Programs have their path, so that a shell that brings its own
 * `cat` runs the same ones.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Expected, TAIL_UNITS } from "./measured.ts";

/** A command, what it writes, and how much in MiB. */
export interface Workload {
  readonly command: string;
  readonly expected: Expected;
  readonly mib: number;
}

const BYTES_PER_MIB = 1024 * 1024;

/** What a file holds: about this many bytes, in whole lines. */
const FILE_BYTES = 8 * BYTES_PER_MIB;

/** 79 columns of text. */
const LINE = `${"The quick brown fox jumps over the lazy dog, 1234567890 times. ".repeat(2).slice(0, 79)}\n`;

/** What tools print in colour, with characters of one to four bytes. */
const COLOUR_LINE = "\u001b[32m✓\u001b[0m größer als 漢字 \u001b[1;31m→ 😀 naïve\u001b[0m ────────── ok\n";

/** No newline at all: the worst for whoever looks for lines. */
const BLOCK = "x".repeat(1024);

/** Texts by name. */
const PATTERNS = { lines: LINE, colour: COLOUR_LINE, blocks: BLOCK } as const;

/** Streams about `mib` MiB of a pattern. On a terminal, each newline becomes two characters. */
export function streamed(
  folder: string,
  pattern: keyof typeof PATTERNS,
  { mib, isTerminal = false }: { mib: number; isTerminal?: boolean },
): Workload {
  const unit = PATTERNS[pattern];
  const size = Math.min(FILE_BYTES, mib * BYTES_PER_MIB);
  const times = Math.floor(size / Buffer.byteLength(unit));
  const file = join(folder, `${pattern}-${times}`);
  const text = unit.repeat(times);
  writeFileSync(file, text);
  const copies = Math.max(1, Math.round((mib * BYTES_PER_MIB) / Buffer.byteLength(text)));
  const arrives = isTerminal ? text.replaceAll("\n", "\r\n") : text;
  const expected = expectedOf(arrives, copies);
  return { command: `/bin/cat${` ${file}`.repeat(copies)}`, expected, mib: expected.bytes / BYTES_PER_MIB };
}

/** `count` bytes, each written alone. */
export function oneByteAtATime(folder: string, count: number): Workload {
  const file = join(folder, `bytes-${count}`);
  const text = LINE.repeat(Math.ceil(count / LINE.length)).slice(0, count);
  writeFileSync(file, text);
  const command = `/bin/dd if=${file} bs=1 count=${count} status=none`;
  return { command, expected: expectedOf(text, 1), mib: count / BYTES_PER_MIB };
}

/** `seq 1 20000; exit 7`, whose end comes at once after its last line. */
export function numbersAndExit(isTerminal: boolean): Workload {
  const text = Array.from({ length: 20_000 }, (_, at) => `${at + 1}${isTerminal ? "\r\n" : "\n"}`).join("");
  const expected = { ...expectedOf(text, 1), exitCode: 7 };
  return { command: "/usr/bin/seq 1 20000; exit 7", expected, mib: expected.bytes / BYTES_PER_MIB };
}

/** A command that prints `text`, for latencies. */
export function printing(command: string, text: string): Workload {
  return { command, expected: expectedOf(text, 1), mib: text.length / BYTES_PER_MIB };
}

function expectedOf(text: string, copies: number): Expected {
  const bytes = Buffer.from(text);
  const hash = createHash("sha256");
  for (let copy = 0; copy < copies; copy += 1) hash.update(bytes);
  return {
    bytes: bytes.length * copies,
    units: text.length * copies,
    tail: text.slice(-TAIL_UNITS),
    sha256: hash.digest("hex"),
    exitCode: 0,
  };
}
