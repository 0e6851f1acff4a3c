/**
 * Raw output of a command as the text a model is shown: decoded, made plain, its end within a bound.
 *
 * The native sink does it, as it does while a command runs, so that a part read later from the file reads the same.
 */
import type { RunOutput } from "../natives-port.ts";

export interface TextWindow {
  /** Takes the next raw bytes. */
  push(bytes: Uint8Array): void;
  /** The end of the text, and what it leaves out. */
  finish(): RunOutput;
}

export interface TextWindowOptions {
  /** Most bytes of text. */
  maxBytes: number;
  /** Most lines of text. Default: any number. */
  maxLines?: number | undefined;
  /** Longest line, in bytes; a longer one is cut in the middle. Default: none is cut. */
  maxLineBytes?: number;
}

/** A window. Rejects where the native runtime cannot be loaded. */
export async function openTextWindow({ maxLines, ...options }: TextWindowOptions): Promise<TextWindow> {
  const { OutputSink } = await import("@pi-bash/natives");
  const sink = new OutputSink(options);
  return {
    push: (bytes) => sink.push(bytes),
    finish: () => lastLines(sink.dump(), maxLines),
  };
}

/** The end of a window's text, of at most so many lines. */
function lastLines(output: RunOutput, maxLines: number | undefined): RunOutput {
  if (maxLines === undefined || output.outputLines <= maxLines) return output;
  const lines = output.text.split("\n");
  // The empty rest behind the last newline is not a line.
  const text = lines.slice(-maxLines - (lines.at(-1) === "" ? 1 : 0)).join("\n");
  const { endLine } = output.shownRange;
  return {
    ...output,
    text,
    truncated: true,
    outputLines: maxLines,
    outputBytes: Buffer.byteLength(text),
    shownRange: { startLine: endLine - maxLines + 1, endLine },
  };
}
