/**
 * SHA-256 of files too large for the memory, and of what they should be: one line, again and again.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Bytes of a file that are read at a time. */
const BLOCK_BYTES = 1024 ** 2;

/** Of a file, in hexadecimal digits. */
export async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const block of createReadStream(path, { highWaterMark: BLOCK_BYTES })) hash.update(block);
  return hash.digest("hex");
}

/** Of the first `bytes` bytes of `line` repeated without end. */
export function digestOfRepeated(line: string, bytes: number): string {
  const hash = createHash("sha256");
  const block = Buffer.from(line.repeat(Math.ceil(BLOCK_BYTES / line.length)));
  let left = bytes;
  for (; left >= block.length; left -= block.length) hash.update(block);
  return hash.update(block.subarray(0, left)).digest("hex");
}
