/**
 * How much of an output a model reads: a window in bytes and in lines, with or without a beginning.
 *
 * The settings name it; whoever cuts (the sink by bytes, the executor by lines) is given it in this form.
 */
import { DEFAULT_MAX_BYTES } from "./limits.ts";
import type { Settings } from "./settings.ts";

/** A window. What does not fit is in the artifact. */
export interface OutputWindow {
  /** Most bytes of text. */
  readonly maxBytes: number;
  /** Most lines of text, the marker between beginning and end counted. Absent: no bound. */
  readonly maxLines?: number;
  /** Bytes of the beginning; 0: the end alone. */
  readonly headBytes: number;
  /** Most lines of the beginning. Absent: half of `maxLines`. */
  readonly headLines?: number;
}

/** The settings that say what a window is. */
export type OutputWindowSettings = Partial<
  Pick<Settings, "bash.outputMaxBytes" | "bash.outputMaxLines" | "bash.outputHeadBytes" | "bash.outputHeadLines">
>;

/** The window of some settings; what they do not say has its default: 51,200 bytes, any number of lines, the end alone. */
export function outputWindow(settings: OutputWindowSettings): OutputWindow {
  const maxLines = settings["bash.outputMaxLines"];
  const headLines = settings["bash.outputHeadLines"];
  return {
    maxBytes: settings["bash.outputMaxBytes"] ?? DEFAULT_MAX_BYTES,
    headBytes: settings["bash.outputHeadBytes"] ?? 0,
    ...(maxLines === undefined ? {} : { maxLines }),
    ...(headLines === undefined ? {} : { headLines }),
  };
}
