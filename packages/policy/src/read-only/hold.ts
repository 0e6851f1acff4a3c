/**
 * Whether a line may run because it only reads, given what can hold it, and how it has to run then.
 *
 * What a line needs is its grade (`grade.ts`); what there is to hold it, the caller knows. See docs/policy.md.
 */
import type { CommandAnalysis, EffectiveCommand } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import type { Finding } from "../finding.ts";
import { isSessionCommand, isStrict, needsOutside, type ReadingGrade } from "./grade.ts";

/**
 * What holds a line that is allowed because it only reads.
 *
 * - `kernel`: it runs confined, so that a hole in the tables costs nothing
 * - `strict`: nothing can confine it; the strict half of the tables decides alone
 * - `none`: it would have to run confined and cannot; only builtins run unasked
 * - `tables`: the host does not want it confined; all of the tables decide
 */
export type ReadOnlyHold = "kernel" | "strict" | "none" | "tables";

/**
 * How a line runs that is allowed because it only reads.
 *
 * - `session`: in its session, as any other: it has builtins alone
 * - `confined`: where the kernel keeps it from everything but reading
 * - `unheld`: as any other; the tables alone have decided
 */
export type ReadOnlyRun = "session" | "confined" | "unheld";

/** How a line of a grade runs; undefined where it does not run unasked. */
export function runOf(grade: ReadingGrade | undefined, hold: ReadOnlyHold, analysis: CommandAnalysis) {
  if (grade === undefined || grade === "session") return grade;
  switch (hold) {
    case "kernel":
      return analysis.effective.some(needsOutside) ? undefined : "confined";
    case "strict":
      return grade === "strict" ? "unheld" : undefined;
    case "none":
      return undefined;
    case "tables":
      return grade === "kernel" ? undefined : "unheld";
  }
}

/**
 * What stands against the commands of a line that the tables allow, where the line does not run confined: because a rule
 * allowed another part of it, or because nothing can confine it. Rules may cover each of these findings.
 */
export function unheldFindings(analysis: CommandAnalysis, hold: ReadOnlyHold): Finding[] {
  if (hold === "tables") return [];
  return analysis.effective.flatMap((command) => {
    const message = obstacle(command, hold);
    if (message === undefined) return [];
    const argv = command.argv.map((word) => word.display);
    return [{ code: "needs-confinement", severity: "unknown" as const, message, span: command.span, argv }];
  });
}

function obstacle(command: EffectiveCommand, hold: Exclude<ReadOnlyHold, "tables">): string | undefined {
  if (isSessionCommand(command)) return undefined;
  const name = programName(firstValue(command.argv));
  if (hold === "none") return `\`${name}\` has to run confined, and this system cannot confine it`;
  if (hold === "kernel" && needsOutside(command))
    return `\`${name}\` reaches out of a confined run, so it cannot use one`;
  if (isStrict(command)) return undefined;
  return hold === "kernel"
    ? `\`${name}\` is only known to read where it runs confined, and this line does not as a whole`
    : `\`${name}\` is only known to read where it runs confined, which it cannot here`;
}
