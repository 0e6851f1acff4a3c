/**
 * Works out which findings of a command line the allow rules take care of.
 *
 * A rule covers the program it names and nothing else: a redirection needs a `Write` rule, and a substitution, a
 * background list, an assignment or a wrapper is only covered by a rule that names it as it is written. What is left
 * over needs a person.
 */
import type { CommandAnalysis, EffectiveCommand, Redirection } from "@pi-bash/command";
import type { Classification } from "./classify.ts";
import type { PathContext } from "./danger-paths.ts";
import type { Finding } from "./finding.ts";
import { commandsOutside, effectiveFolders, isInside, isMove } from "./folders.ts";
import { covers, coversWrite, coversWritten, redirectionsOf } from "./rules/match.ts";
import type { Rule } from "./rules/rule.ts";

/** What the allow rules leave open. */
export interface Coverage {
  /** Findings no one permitted; empty means that everything is covered. */
  readonly open: readonly Finding[];
  /** Commands no rule covers and no table lists. */
  readonly uncovered: readonly EffectiveCommand[];
  /** Rules that covered something. */
  readonly rules: readonly Rule[];
}

/** Compares the findings of a classification with the allow rules. */
export function coveredFindings(
  classification: Classification,
  rules: readonly Rule[],
  { cwd, home, workspace }: PathContext,
): Coverage {
  const { analysis, findings } = classification;
  // What was not understood is not covered, whatever of it a rule names.
  if (!analysis.ok) return { open: findings, uncovered: [], rules: [] };
  const allowing = rules.filter((rule) => rule.behavior === "allow");
  const everything = allowing.find((rule) => rule.pattern.kind === "everything");
  if (everything !== undefined) return { open: [], uncovered: [], rules: [everything] };

  const asking = [...findings, ...backgroundLists(analysis)];
  if (asking.length === 0) return { open: [], uncovered: [], rules: [] };
  const used = new Set<Rule>();
  const open: Finding[] = [];
  const uncovered = new Set<EffectiveCommand>();
  const commands = byPlace(analysis.effective);
  const redirections = byPlace(redirectionsOf(analysis));
  // After a `cd` the folder of a relative target is not the request's; one outside of the workspace is not the rule's.
  const folder = analysis.effective.some((command) => isMove(command) || command.elsewhere) ? undefined : cwd;
  const folderOf = ({ pattern }: Rule): string | undefined =>
    pattern.kind === "write" && pattern.relative && !isInside(cwd, workspace) ? undefined : folder;
  const start = { cwd, home, workspace };
  const outside = commandsOutside(analysis, start, workspace ?? cwd);
  const folders = effectiveFolders(analysis, start);
  // A rule is about this workspace: another folder has programs, scripts and settings of its own.
  const reaches = (rule: Rule, command: EffectiveCommand): boolean =>
    !outside.has(command) || (!command.elsewhere && rule.folders?.test(folders(command).cwd ?? "") === true);
  for (const finding of asking) {
    const command = commands.get(placeOf(finding))?.find((each) => isAbout(finding, each));
    const redirection = redirections.get(placeOf(finding))?.[0];
    const rule =
      command === undefined
        ? writeRule(finding, redirection, allowing, folderOf)
        : programRule(
            finding,
            command,
            allowing.filter((each) => reaches(each, command)),
          );
    if (rule !== undefined) used.add(rule);
    else open.push(finding);
    if (rule === undefined && command !== undefined) uncovered.add(command);
  }
  return { open, uncovered: [...uncovered], rules: [...used] };
}

/** What stands at each place: a line may have thousands of findings, each about one of thousands of commands. */
function byPlace<T extends { readonly span: Finding["span"] }>(list: readonly T[]): ReadonlyMap<string, readonly T[]> {
  const places = new Map<string, T[]>();
  for (const each of list) {
    const place = placeOf(each);
    const there = places.get(place);
    if (there === undefined) places.set(place, [each]);
    else there.push(each);
  }
  return places;
}

function placeOf({ span }: { readonly span: Finding["span"] }): string {
  return `${span.start}:${span.end}`;
}

/** True when an allow rule names the program of a command, as written or after harmless wrappers. */
export function isNamedByRule(command: EffectiveCommand, rules: readonly Rule[]): boolean {
  return rules.some((rule) => rule.behavior === "allow" && covers(rule, command));
}

function writeRule(
  finding: Finding,
  redirection: Redirection | undefined,
  allowing: readonly Rule[],
  folderOf: (rule: Rule) => string | undefined,
): Rule | undefined {
  if (finding.code !== "redirection" || redirection === undefined) return undefined;
  return allowing.find((rule) => coversWrite(rule, redirection, folderOf(rule)));
}

const NEEDS_WRITTEN: ReadonlySet<string> = new Set(["assignment", "assignment-prefix", "git-elsewhere"]);

/** A rule covers what the tables say about a program; what stands around it needs a rule for the words as written. */
function programRule(finding: Finding, command: EffectiveCommand, allowing: readonly Rule[]): Rule | undefined {
  if (NEEDS_WRITTEN.has(finding.code)) return undefined;
  const around = finding.code === "wrapper" || finding.code === "unresolved";
  return allowing.find((rule) => (around ? coversWritten(rule, command) : covers(rule, command)));
}

/** What goes on in the background outlives the answer that allowed it. */
function backgroundLists(analysis: CommandAnalysis): Finding[] {
  return analysis.constructs.flatMap((construct): Finding[] => {
    if (construct.kind !== "background") return [];
    const message = "a rule does not cover what runs on in the background";
    return [{ code: "background", severity: "session", message, span: construct.span }];
  });
}

function isAbout({ argv }: Finding, command: EffectiveCommand): boolean {
  return argv?.length === command.argv.length && command.argv.every((word, at) => word.display === argv[at]);
}
