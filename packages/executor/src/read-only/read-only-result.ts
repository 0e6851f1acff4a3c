/**
 * What a result says of a command that ran read-only: what the core reports, and what the output tells beside it.
 *
 * The kernel answers the program. What a failed command printed is read by the mechanism that reads it for sandboxes
 * (`../refusals.ts`), with the profile of a read-only run.
 */
import type { ReadOnlyEnforced } from "@pi-bash/contract";
import type { ReadOnlyFacts } from "../natives-port.ts";
import { hintsIn, type Profile } from "../refusals.ts";

/** The core's report in the contract's form. */
export function enforcedOutcome({ degraded, stateDropped }: ReadOnlyFacts): ReadOnlyEnforced {
  return { enforced: true, degraded: [...degraded], stateDropped, refusals: [] };
}

/** Landlock refuses in its own words, and nothing but a temporary folder can be written. */
const HOLDER: Profile["report"] = { backend: "landlock", network: false, degraded: ["protected-paths"] };

/** With what the output of a failed command tells of refusals. `cwd`: where relative paths are taken from. */
export async function withRecognized(
  outcome: ReadOnlyEnforced,
  output: string,
  cwd: string,
): Promise<ReadOnlyEnforced> {
  const isRoot = process.getuid?.() === 0;
  const profile: Profile = { report: HOLDER, writablePaths: [], cwd, isRoot, isReadOnly: true };
  return { ...outcome, refusals: await hintsIn(output, profile) };
}
