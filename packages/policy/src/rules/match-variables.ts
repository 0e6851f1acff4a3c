/**
 * Matches rules about variables, `Env(NAME)`, against a call and its line.
 */
import type { CommandAnalysis, Word } from "@pi-bash/command";
import { assignedNames } from "../assigned-names.ts";
import { DECLARES } from "../builtins.ts";
import type { Pattern } from "./rule.ts";

type EnvPattern = Extract<Pattern, { kind: "env" }>;

/** True where a rule names a variable. */
export function namesVariable({ name, prefix }: EnvPattern, variable: string): boolean {
  return prefix ? variable.startsWith(name) : variable === name;
}

/** How strongly a restricting rule about variables concerns a line: also `NAME=x command` and `export NAME=x`: to set a variable in another way is to set it. */
export function envConcerns(
  pattern: EnvPattern,
  analysis: CommandAnalysis,
  env: readonly string[],
): "yes" | "maybe" | "no" {
  const given = analysis.effective.flatMap(({ assignments }) => assignments.map(({ name }) => name));
  const set = assignedNames(analysis).map(({ name }) => name);
  const exported = analysis.effective.flatMap(({ argv }) => declaredNames(argv));
  const names = [...env, ...given, ...set, ...exported];
  if (names.some((name) => name !== undefined && namesVariable(pattern, name))) return "yes";
  return names.includes(undefined) ? "maybe" : "no";
}

function declaredNames([program, ...words]: readonly Word[]): (string | undefined)[] {
  const name = program?.value ?? "";
  if (!DECLARES.has(name) && name !== "unset") return [];
  return words.map(({ leading, value }) => {
    const name = /^[-+\w]*/.exec(leading)?.[0];
    // Of `export "C$x"` only the start of the name is known.
    return name === "" || (value === null && name === leading) ? undefined : name;
  });
}
