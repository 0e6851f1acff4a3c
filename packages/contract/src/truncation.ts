/**
 * What a shown text leaves out, and where the rest is.
 *
 * Counts are of the command's whole output, not of the window: a reader must be able to tell how much is missing.
 */
import * as z from "zod";

const count = z.number().int().nonnegative();

/** Lines of the whole output, counted from 1; both ends belong to it. 0 and 0: none. */
export const LineRange = z.object({ startLine: count, endLine: count });
export type LineRange = z.infer<typeof LineRange>;

/** `details.meta.truncation` of a tool result. */
export const Truncation = z.object({
  /** Which end of the output the text shows; `middle`: both ends, the middle is left out. */
  direction: z.enum(["head", "tail", "middle"]),
  /** Which bound was reached. */
  truncatedBy: z.enum(["bytes", "lines"]),
  /** Lines the command wrote; a last line without a newline counts. */
  totalLines: count,
  /** Bytes the command wrote. */
  totalBytes: count,
  /** Lines of the text that came from the command. */
  outputLines: count,
  /** Bytes of the text that came from the command. */
  outputBytes: count,
  /** The bound, in bytes. */
  maxBytes: count.optional(),
  /** The bound, in lines. Absent: there is none. */
  maxLines: count.optional(),
  /** The lines shown from the end of the output, or all that are shown. */
  shownRange: LineRange.optional(),
  /** The lines shown from the beginning, where there is a head window. */
  headRange: LineRange.optional(),
  /** Id of the artifact with the whole output. Absent: the rest is lost, and `artifactError` says why. */
  artifactId: z.string().optional(),
});
export type Truncation = z.infer<typeof Truncation>;
