/**
 * Which of the findings of `find-unasked.ts` a person still has to be asked about, where there are rules.
 *
 * A rule that names the command is an answer given beforehand. `Bash` alone names none: who allows everything has not
 * said that downloads may run.
 */
import type { Classification } from "../classify.ts";
import { coveredFindings } from "../coverage.ts";
import type { PolicyRequest } from "../decide.ts";
import type { Finding } from "../finding.ts";
import type { Rule } from "../rules/rule.ts";
import { findUnasked } from "./find-unasked.ts";

/** What must be asked about in every mode; empty where allow rules name all commands of the line. */
export function unaskedObstacles(
  request: PolicyRequest,
  classification: Classification,
  rules: readonly Rule[],
): Finding[] {
  const { original } = request;
  const found = new Map(
    [request, ...(original === undefined ? [] : [{ ...request, ...original }])]
      .flatMap(findUnasked)
      .map((finding) => [finding.code, finding]),
  );
  if (found.size === 0) return [];
  const naming = rules.filter(({ pattern }) => pattern.kind !== "everything");
  const { open, rules: used } = coveredFindings(classification, naming, request);
  return open.length === 0 && used.length > 0 ? [] : [...found.values()];
}
