/**
 * Loads files of rules, and checks each rule's own examples while doing so.
 *
 * A rule that does not do what its author meant is worse than none, because someone relies on it. So a rule may carry
 * commands it must match and must not match; a wrong example, an unknown key or a pattern that does not compile makes
 * the whole file broken. A broken file allows nothing, and since its deny rules may be the missing ones, nothing is
 * approved automatically while it stands.
 */
import { analyzeCommand } from "@pi-bash/command";
import { type JsonPath, jsonPathText, nearestNames, readJson, type TextPlace } from "@pi-bash/contract/internal";
import { concerns, covers } from "./match.ts";
import { namesVariable } from "./match-variables.ts";
import { parseRule, type Rule, type RuleBehavior, type RuleSource } from "./rule.ts";

/** In the order in which they are looked at. */
const BEHAVIORS = ["deny", "ask", "allow"] as const;

/** One rule of a file: its text, or its text with examples. */
export type RuleEntry =
  | string
  | {
      readonly rule: string;
      readonly reason?: string;
      /** Commands the rule must match; for `Env(…)` names of variables. */
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

/** Rules of one source, checked. A set with problems allows nothing. */
export interface RuleSet {
  readonly source: RuleSource;
  readonly rules: readonly Rule[];
  /** What makes the file broken; empty for a good one. */
  readonly problems: readonly string[];
  /** Patterns that match more than they seem to. */
  readonly warnings: readonly string[];
}

/**
 * Reads the text of a rule file (JSON). Never throws: what is wrong is in `problems`, each with its line, its column and
 * the field. `file` is the name that problems begin with.
 */
export function loadRuleFile(text: string, source: RuleSource, file?: string): RuleSet {
  const json = readJson(text);
  const at = ({ line, column }: TextPlace): string =>
    file === undefined ? `line ${line}, column ${column}: ` : `${file}:${line}:${column}: `;
  if ("problem" in json) {
    return {
      source,
      rules: [],
      problems: [`${at(json.place)}the rule file is not JSON: ${json.problem}`],
      warnings: [],
    };
  }
  const describe: Describe = (path, problem) => {
    const field = path.length === 0 ? "" : `\`${jsonPathText(path)}\`: `;
    return `${at(json.placeOf(path))}${field}${problem}`;
  };
  const problems = shapeProblems(json.value).map(({ path, problem }) => describe(path, problem));
  if (problems.length > 0) return { source, rules: [], problems, warnings: [] };
  return rulesOf(json.value as RuleFile, source, describe);
}

/** Builds rules from data of the shape of a rule file. */
export function loadRules(file: RuleFile, source: RuleSource): RuleSet {
  return rulesOf(file, source, (_, problem) => problem);
}

/** What is said of a problem in a part of the file. */
type Describe = (path: JsonPath, problem: string) => string;

function rulesOf(file: RuleFile, source: RuleSource, describe: Describe): RuleSet {
  const read = BEHAVIORS.flatMap((behavior) =>
    (file[behavior] ?? []).map((entry, index) => readEntry(entry, [behavior, index], { behavior, source, describe })),
  );
  const rules = read.flatMap(({ rule }) => rule ?? []);
  const problems = read.flatMap((each) => each.problems);
  const warnings = read.flatMap((each) => each.warnings);
  // Half a file would allow what its other half denies.
  const kept = problems.length === 0 ? rules : rules.filter((rule) => rule.behavior !== "allow");
  return { source, rules: kept, problems, warnings };
}

function readEntry(
  entry: RuleEntry,
  path: JsonPath,
  { behavior, source, describe }: { behavior: RuleBehavior; source: RuleSource; describe: Describe },
): { rule?: Rule; problems: string[]; warnings: string[] } {
  const fields: Exclude<RuleEntry, string> = typeof entry === "string" ? { rule: entry } : entry;
  const parsed = parseRule(fields.rule, behavior, source, fields.reason);
  if (!parsed.ok) {
    const place = typeof entry === "string" ? path : [...path, "rule"];
    return { problems: [describe(place, parsed.problem)], warnings: [] };
  }
  const { rule, warning } = parsed;
  const problems = wrongExamples(rule, fields).map((each) => describe([...path, ...each.path], each.problem));
  return { rule, problems, warnings: warning === undefined ? [] : [describe(path, warning)] };
}

/** Something wrong in a part of the file. */
interface Problem {
  readonly path: JsonPath;
  readonly problem: string;
}

function wrongExamples(
  rule: Rule,
  { match = [], notMatch = [] }: { match?: readonly string[]; notMatch?: readonly string[] },
): Problem[] {
  const wrong = (
    field: "match" | "notMatch",
    commands: readonly string[],
    isWanted: boolean,
    verb: string,
  ): Problem[] =>
    commands.flatMap((command, index) =>
      matches(rule, command) === isWanted
        ? []
        : [{ path: [field, index], problem: `\`${rule.text}\` ${verb} \`${command}\`` }],
    );
  return [...wrong("match", match, true, "does not match"), ...wrong("notMatch", notMatch, false, "matches")];
}

/** What is wrong with the shape of a file: an unknown key may be a misspelt `deny`. */
function shapeProblems(data: unknown): Problem[] {
  if (!isRecord(data)) return [{ path: [], problem: "the rule file is not an object with `allow`, `ask` and `deny`" }];
  return Object.entries(data).flatMap(([key, entries]): Problem[] => {
    if (!BEHAVIORS.some((name) => name === key)) return [unknownField([], key, BEHAVIORS)];
    if (!Array.isArray(entries)) return [{ path: [key], problem: "is not a list of rules" }];
    return entries.flatMap((entry, index) => entryProblems([key, index], entry));
  });
}

const FIELDS = ["rule", "reason", "match", "notMatch"];

function entryProblems(path: JsonPath, entry: unknown): Problem[] {
  if (typeof entry === "string") return [];
  if (!isRecord(entry)) return [{ path, problem: "is neither a rule nor `{ rule, reason, match, notMatch }`" }];
  const problems = Object.entries(entry).flatMap(([key, value]): Problem[] => {
    if (!FIELDS.includes(key)) return [unknownField(path, key, FIELDS)];
    if (key === "rule" || key === "reason") {
      return typeof value === "string" ? [] : [{ path: [...path, key], problem: "is not a string" }];
    }
    if (!Array.isArray(value)) return [{ path: [...path, key], problem: "is not a list of commands" }];
    const bad = value.findIndex((each) => typeof each !== "string");
    return bad === -1 ? [] : [{ path: [...path, key, bad], problem: "is not a command in quotes" }];
  });
  return entry["rule"] === undefined ? [...problems, { path, problem: "has no `rule`" }] : problems;
}

function unknownField(path: JsonPath, key: string, known: readonly string[]): Problem {
  const nearest = nearestNames(key, known).map((name) => `\`${name}\``);
  const names = known.map((name) => `\`${name}\``).join(", ");
  const meant = nearest.length === 0 ? `there are ${names}` : `the nearest is ${nearest.join(", ")}`;
  return { path: [...path, key], problem: `unknown key; ${meant}` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Examples are judged as the rule would be: an allow rule must cover every command, a restricting one concern any. */
function matches(rule: Rule, command: string): boolean {
  if (rule.pattern.kind === "env") return namesVariable(rule.pattern, command);
  const analysis = analyzeCommand(command);
  const behavior: RuleBehavior = rule.behavior;
  if (behavior !== "allow" || rule.pattern.kind === "write") return concerns(rule, analysis, "/") !== "no";
  return analysis.ok && analysis.effective.length > 0 && analysis.effective.every((each) => covers(rule, each));
}
