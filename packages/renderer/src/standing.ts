/**
 * How a task or a job stands, as a mark, a colour and words: what all lists say alike of those that have not ended. What is
 * said of an end is each list's own.
 */
import { plainRun, type Run } from "./text/styled.ts";
import type { Colours, Role } from "./theme.ts";

/** Its mark, distinguished without colour, too; its colour; its words. */
export type Standing = readonly [mark: string, role: Role, words: string];

/** Of what has not ended. */
export const ACTIVE_STANDINGS = {
  queued: ["·", "dim", "queued"],
  running: ["▸", "running", "running"],
  awaiting_report: ["▸", "running", "awaiting its report"],
} as const satisfies Readonly<Record<string, Standing>>;

/** Its words: in the colour of its mark where it did not end well, so that a failure is seen in a list. */
export function standingRun([, role, words]: Standing, colours: Colours): Run {
  return plainRun(words, role === "error" || role === "warning" ? colours[role] : colours.dim);
}
