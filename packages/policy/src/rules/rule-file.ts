/**
 * Loads files of rules, and checks each rule's own examples while doing so.
 *
 * A rule that does not do what its author meant is worse than none, because somebody relies on it. So a rule may carry
 * commands it must match and must not match; a wrong example, an unknown key or a pattern that does not compile makes
 * the whole file broken. A broken file allows nothing, and since its deny rules may be the missing ones, nothing is
 * approved automatically while it stands.
 */
import { analyzeCommand } from "@pi-bash/command";
import { concerns, covers } from "./match.ts";
import { parseRule, type Rule, type RuleBehavior, type RuleSource } from "./rule.ts";

/** One rule of a file: its text, or its text with examples. */
export type RuleEntry =
  | string
  | {
      readonly rule: string;
      readonly reason?: string;
      /** Commands the rule must match. */
      readonly match?: readonly string[];
      /** Commands the rule must not match. */
      readonly notMatch?: readonly string[];
    };

/** The shape of a rule file. */
export interface RuleFile {
  readonly allow?: readonly RuleEntry[];
  readonly ask?: readonly RuleEntry[];
  readonly deny?: readonly RuleEntry[];
}

/** Rules of one source. */
export interface RuleSet {
  readonly source: RuleSource;
  readonly rules: readonly Rule[];
  /** What makes the file broken; empty for a good one. */
  readonly problems: readonly string[];
  /** Patterns that match more than they seem to. */
  readonly warnings: readonly string[];
}

/** Reads the text of a rule file (JSON). Never throws: what is wrong is in `problems`. */
export function loadRuleFile(text: string, source: RuleSource): RuleSet {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { source, rules: [], problems: [`the rule file is no JSON: ${why}`], warnings: [] };
  }
  const problem = shapeProblem(data);
  if (problem !== undefined) return { source, rules: [], problems: [problem], warnings: [] };
  return loadRules(data as RuleFile, source);
}

/** Builds rules from data of the shape of a rule file. */
export function loadRules(file: RuleFile, source: RuleSource): RuleSet {
  const rules: Rule[] = [];
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const behavior of ["deny", "ask", "allow"] as const) {
    for (const entry of file[behavior] ?? []) {
      const fields: Exclude<RuleEntry, string> = typeof entry === "string" ? { rule: entry } : entry;
      const parsed = parseRule(fields.rule, behavior, source, fields.reason);
      if (!parsed.ok) {
        problems.push(parsed.problem);
        continue;
      }
      if (parsed.warning !== undefined) warnings.push(parsed.warning);
      rules.push(parsed.rule);
      problems.push(...wrongExamples(parsed.rule, fields));
    }
  }
  // Half a file would allow what its other half denies.
  const kept = problems.length === 0 ? rules : rules.filter((rule) => rule.behavior !== "allow");
  return { source, rules: kept, problems, warnings };
}

function wrongExamples(
  rule: Rule,
  { match = [], notMatch = [] }: { match?: readonly string[]; notMatch?: readonly string[] },
): string[] {
  return [
    ...match
      .filter((command) => !matches(rule, command))
      .map((command) => `\`${rule.text}\` does not match \`${command}\``),
    ...notMatch.filter((command) => matches(rule, command)).map((command) => `\`${rule.text}\` matches \`${command}\``),
  ];
}

/** What is wrong with the shape of a file: an unknown key may be a misspelt `deny`. */
function shapeProblem(data: unknown): string | undefined {
  if (!isRecord(data)) return "the rule file is no object with `allow`, `ask` and `deny`";
  for (const [key, entries] of Object.entries(data)) {
    if (!/^(?:allow|ask|deny)$/.test(key)) return `unknown key \`${key}\``;
    if (!Array.isArray(entries)) return `\`${key}\` is no list`;
    const bad = entries.findIndex((entry) => typeof entry !== "string" && !isEntry(entry));
    if (bad !== -1) return `entry ${bad + 1} of \`${key}\` is neither a rule nor \`{ rule, reason, match, notMatch }\``;
  }
  return undefined;
}

function isEntry(entry: unknown): boolean {
  if (!isRecord(entry) || typeof entry["rule"] !== "string") return false;
  return Object.entries(entry).every(([key, value]) => {
    if (key === "rule" || key === "reason") return typeof value === "string";
    const texts = Array.isArray(value) && value.every((each) => typeof each === "string");
    return (key === "match" || key === "notMatch") && texts;
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Examples are judged as the rule would be: an allow rule must cover every command, a restricting one concern any. */
function matches(rule: Rule, command: string): boolean {
  const analysis = analyzeCommand(command);
  const behavior: RuleBehavior = rule.behavior;
  if (behavior !== "allow" || rule.pattern.kind === "write") return concerns(rule, analysis, "/") !== "no";
  return analysis.ok && analysis.effective.length > 0 && analysis.effective.every((each) => covers(rule, each));
}
