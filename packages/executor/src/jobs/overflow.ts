/**
 * Gives a long result of a job an artifact, so that the preview that is delivered points to the whole.
 */
import type { ArtifactStore } from "../artifacts/store.ts";
import type { JobEnd } from "./job.ts";
import { MAX_DELIVERED_CHARS } from "./job-texts.ts";

/** The end with an artifact, where it needs one and one can be had. Never rejects. */
export async function withArtifact(end: JobEnd, artifacts: Pick<ArtifactStore, "save"> | undefined): Promise<JobEnd> {
  if (end.artifactId !== undefined || artifacts === undefined || end.text.length <= MAX_DELIVERED_CHARS) return end;
  const saved = await artifacts.save("async", end.text).catch(() => undefined);
  return saved === undefined ? end : { ...end, artifactId: saved.id };
}
