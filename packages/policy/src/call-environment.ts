/**
 * What the variables of a call mean for its decision.
 *
 * Known dangerous names ask in every mode; names that are not known to be harmless ask by default, until a rule such as
 * `Env(NAME)` allows them. The tables of names are in `environment.ts` and `harmless-environment.ts`.
 */
import { kindOfVariable } from "./environment.ts";
import type { Finding } from "./finding.ts";
import { namesVariable } from "./rules/match-variables.ts";
import type { Rule } from "./rules/rule.ts";

/** What stands against a call because of its variables. */
export interface EnvironmentFindings {
  readonly dangerous: readonly Finding[];
  readonly unknown: readonly Finding[];
  /** Rules that would allow the unknown names. */
  readonly suggestedRules: readonly string[];
}

/** Judges the variables that a call sets. */
export function environmentFindings(
  env: Readonly<Record<string, string>> | undefined,
  rules: readonly Rule[],
): EnvironmentFindings {
  const allowing = rules.filter((rule) => rule.behavior === "allow");
  const judged = Object.entries(env ?? {})
    .map(([name, value]) => ({ name, kind: kindOfVariable(name, String(value)) }))
    .filter(
      ({ name, kind }) => kind !== "harmless" && !allowing.some((rule) => allows(rule, name, kind === "dangerous")),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const unknown = judged.filter(({ kind }) => kind === "unknown");
  return {
    dangerous: judged
      .filter(({ kind }) => kind === "dangerous")
      .map(({ name }) => finding("dangerous-variable", `setting \`${name}\` can make programs run other code`)),
    unknown: unknown.map(({ name }) =>
      finding("unknown-variable", `setting \`${name}\` may change what programs do; it is not known to be harmless`),
    ),
    suggestedRules: unknown.flatMap(({ name }) => (/^[A-Za-z_]\w*$/.test(name) ? [`Env(${name})`] : [])),
  };
}

/** Whoever allows every command allows its variables, but a dangerous one has to be named in full. */
function allows(rule: Rule, name: string, dangerous: boolean): boolean {
  const { pattern } = rule;
  if (pattern.kind === "everything") return !dangerous;
  return pattern.kind === "env" && namesVariable(pattern, name) && !(dangerous && pattern.prefix);
}

function finding(code: string, message: string): Finding {
  return { code, severity: "exec", message, span: { start: 0, end: 0 } };
}
