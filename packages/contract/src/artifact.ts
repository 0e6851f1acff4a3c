/**
 * An artifact: a file of a session that keeps an output whole, and the address a model reads it by.
 */
import * as z from "zod";

/** An id that can stand in an address and in a file name. It is looked up in a table, never joined to a path. */
export const ARTIFACT_ID_PATTERN = /^[A-Za-z0-9_-]+$/;

/** What is kept: a command's output, the text a minimizer replaced, or a job's output. */
export const ArtifactKind = z.enum(["bash", "bash-original", "async"]);
export type ArtifactKind = z.infer<typeof ArtifactKind>;

/** An allocated artifact: its id, and the file that its owner writes. */
export const ArtifactAllocation = z.object({
  id: z.string().regex(ARTIFACT_ID_PATTERN),
  /** Absolute path; nothing is there until the first byte is written. */
  path: z.string(),
});
export type ArtifactAllocation = z.infer<typeof ArtifactAllocation>;

/** The address of an artifact, as a model reads it. */
export function artifactUrl(id: string): string {
  return `artifact://${id}`;
}
