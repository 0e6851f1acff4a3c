/**
 * How a job stands, as a mark, a colour and words: read from its facts, never from words in its output.
 */
import type { ReportedJob } from "@pi-bash/contract";
import { ACTIVE_STANDINGS, type Standing } from "../standing.ts";

/** Of an id that names no job: it was never given out here, or its job is no longer kept. */
export const MISSING_STANDING: Standing = ["⊘", "warning", "not found, or no longer kept"];

/** Of a job. */
export function jobStanding(job: ReportedJob): Standing {
  if (job.isLost) return ["⊘", "error", "lost with its host"];
  switch (job.state) {
    case "running":
      return ACTIVE_STANDINGS.running;
    case "completed":
      return ["✓", "success", "done"];
    case "cancelled":
      // From the request on; the process may take a moment.
      return ["■", "warning", job.endedAtMs === undefined ? "being ended" : "cancelled"];
    case "failed":
      return failedStanding(job);
  }
}

function failedStanding({ exitCode, signal, stopped }: ReportedJob): Standing {
  if (stopped === "deadline") return ["◷", "warning", "timed out"];
  // The exit code of a command that a signal ended only repeats the signal.
  if (signal !== undefined) return ["✗", "error", `killed by ${signal}`];
  return ["✗", "error", exitCode === undefined ? "failed" : `exit ${exitCode}`];
}
