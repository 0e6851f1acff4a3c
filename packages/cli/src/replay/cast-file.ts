/**
 * A record in a file, read line by line. A last line that was not finished, as a killed host leaves it, ends it.
 */
import { createReadStream } from "node:fs";
import { CastError, type CastEvent, type CastHeader, readCastEvent, readCastHeader } from "@pi-bash/terminal/internal";

/** Longest line, in characters: one event of a program that writes megabytes at once. */
const MAX_LINE_CHARS = 32 * 1024 * 1024;

/** What a record holds. */
export interface CastFile {
  readonly header: CastHeader;
  readonly events: AsyncIterable<CastEvent>;
}

interface NumberedLine {
  readonly number: number;
  readonly text: string;
  /** It has its line feed. */
  readonly isWhole: boolean;
}

/** Opens a record. Rejects with `CastError`, also while events are read, and with what the system says of the file. */
export async function openCast(path: string): Promise<CastFile> {
  const lines = numberedLines(path);
  const first = await lines.next();
  if (first.done === true) throw new CastError(1, "is not there: the file is empty");
  return { header: readCastHeader(first.value.text), events: eventsOf(lines) };
}

async function* eventsOf(lines: AsyncIterable<NumberedLine>): AsyncGenerator<CastEvent> {
  for await (const { number, text, isWhole } of lines) {
    if (text.trim() === "") continue;
    try {
      yield readCastEvent(text, number);
    } catch (error) {
      if (!isWhole && error instanceof CastError) return;
      throw error;
    }
  }
}

async function* numberedLines(path: string): AsyncGenerator<NumberedLine, undefined> {
  let number = 1;
  let rest = "";
  for await (const piece of createReadStream(path, { encoding: "utf8" })) {
    const lines = `${rest}${piece}`.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_LINE_CHARS) throw new CastError(number + lines.length, "is longer than 32 MiB");
    for (const text of lines) {
      yield { number, text, isWhole: true };
      number += 1;
    }
  }
  if (rest !== "") yield { number, text: rest, isWhole: false };
}
