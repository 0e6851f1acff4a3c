/**
 * Cuts a stream of bytes into lines, and bounds what a line may be: a client that never ends one must not fill the memory.
 */

/** Longest line, in bytes: a command of several megabytes with its JSON around it. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** A line without its end; `undefined` stands for one that was too long and is dropped. */
export type InputLine = string | undefined;

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
      yield bytes + at > most ? undefined : Buffer.concat(kept).toString("utf8");
      rest = rest.subarray(at + 1);
      kept = [];
      bytes = 0;
    }
    bytes += rest.length;
    if (bytes > most) kept = [];
    else if (rest.length > 0) kept.push(rest);
  }
  if (bytes > 0) yield bytes > most ? undefined : Buffer.concat(kept).toString("utf8");
}
