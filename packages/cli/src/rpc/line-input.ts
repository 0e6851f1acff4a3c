/**
 * Cuts a stream of bytes into lines, and bounds what a line may be: a client that never ends one must not fill the memory.
 */
import { isUtf8 } from "node:buffer";

/** Longest line, in bytes: a command of several megabytes with its JSON around it. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A line without its end, or why it was dropped: it is too long, or its bytes are no text. */
export type InputLine = string | { readonly problem: string };

const TOO_LONG: InputLine = { problem: "the line is too long" };

/** The lines of `input`; the last one needs no newline. Ends with the input, or with an error of it. */
export async function* linesOf(
  input: AsyncIterable<Buffer | string>,
  most = MAX_LINE_BYTES,
): AsyncGenerator<InputLine> {
  let kept: Buffer[] = [];
  let bytes = 0;
  for await (const piece of input) {
    let rest = typeof piece === "string" ? Buffer.from(piece) : piece;
    for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
      kept.push(rest.subarray(0, at));
      yield bytes + at > most ? TOO_LONG : textOf(kept);
      rest = rest.subarray(at + 1);
      kept = [];
      bytes = 0;
    }
    bytes += rest.length;
    if (bytes > most) kept = [];
    else if (rest.length > 0) kept.push(rest);
  }
  if (bytes > 0) yield bytes > most ? TOO_LONG : textOf(kept);
}

/** Bytes that are no UTF-8 are refused: replaced by another character, a command would be another command. */
function textOf(pieces: readonly Buffer[]): InputLine {
  const line = Buffer.concat(pieces);
  return isUtf8(line) ? line.toString("utf8") : { problem: "the line is not UTF-8" };
}
