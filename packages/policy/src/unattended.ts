/**
 * What may run without a person: a line that only reads, or one whose every command is covered by allow rules.
 *
 * What forbids or restricts a line was looked for before (`decide.ts`), and the mode is looked at afterwards. Here is what
 * stands against running it unasked, and, where nothing does, what the approval rests on: rules, or reading alone.
 */
import type { CommandAnalysis, EffectiveCommand } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { environmentFindings } from "./call-environment.ts";
import type { Classification } from "./classify.ts";
import { type Coverage, coveredFindings, isNamedByRule } from "./coverage.ts";
import type { MatchedRule, PolicyConfig, PolicyRequest, Weighed } from "./decide.ts";
import { aboutRequest, type Finding } from "./finding.ts";
import { isConcurrencySafe } from "./read-only/grade.ts";
import { type ReadOnlyHold, type ReadOnlyRun, runOf, unheldFindings } from "./read-only/hold.ts";
import type { Rule } from "./rules/rule.ts";
import type { RuleSet } from "./rules/rule-file.ts";
import { sessionChangesOf } from "./session-changes.ts";
import { suggestRules } from "./suggest.ts";
import { unaskedObstacles } from "./unasked/unasked-obstacles.ts";

/** Weighs a line that nothing forbids. `undecided`: hard blocks that the text does not decide. */
export function weighUnattended(
  request: PolicyRequest,
  config: PolicyConfig,
  classification: Classification,
  { rules, undecided }: { rules: readonly Rule[]; undecided: readonly Finding[] },
): Weighed {
  const { analysis } = classification;
  // Where the mode allows every line, none rests on reading, and none has to be held.
  const isAllowedByMode = request.mode === "yolo" || (request.mode === "auto" && request.sandboxed === true);
  const hold = isAllowedByMode ? "tables" : (request.hold ?? "tables");
  const basis = basisOf(classification, hold, rules, request);
  // These ask in every mode: a rule or a block that could have denied is not known, or the call changes what programs are.
  const env = environmentFindings(request.env, rules);
  const unasked = unaskedObstacles(request, classification, rules);
  const mustAsk = [...brokenFiles(config.ruleSets ?? []), ...env.dangerous, ...unasked, ...undecided];
  const stays = request.mode === "plan" ? sessionChangesOf(analysis) : [];
  const obstacles = [
    ...mustAsk,
    ...env.unknown,
    ...stays,
    ...taintObstacle(request, rules),
    // Confined, what a repository's configuration starts can only read as well.
    ...(basis.reading === "confined" ? [] : gitObstacle(request, analysis, rules)),
  ];
  const base = {
    class: classOf(classification, basis),
    analysis,
    concurrencySafe:
      basis.isRead && obstacles.length === 0 && request.taint === undefined && isConcurrencySafe(analysis),
  };
  if (obstacles.length === 0 && basis.open.length === 0) {
    const reading = isAllowedByMode ? undefined : basis.reading;
    const matchedRules = basis.coverage.rules.map(named);
    return { ...base, wish: "allow", reasons: classification.findings, matchedRules, reading };
  }
  return {
    ...base,
    wish: mustAsk.length > 0 || classification.class === "unparseable" ? "ask" : "undecided",
    reasons: [...obstacles, ...basis.open],
    suggestedRules: [...suggestRules(basis.coverage.uncovered), ...env.suggestedRules],
  };
}

/** What would allow a line, and what is missing. */
interface Basis {
  /** The line counts as one that only reads. */
  readonly isRead: boolean;
  /** The approval rests on reading alone, and the line runs so. */
  readonly reading: ReadOnlyRun | undefined;
  /** What neither rules nor tables allow. */
  readonly open: readonly Finding[];
  readonly coverage: Coverage;
}

function basisOf(
  classification: Classification,
  hold: ReadOnlyHold,
  rules: readonly Rule[],
  request: PolicyRequest,
): Basis {
  const { analysis, findings, grade } = classification;
  const run = runOf(grade, hold, analysis);
  const coverage = coveredFindings(classification, rules, request);
  if (run !== undefined) {
    // A mode that only looks keeps to reading, whatever rules allow besides.
    const isByRule = run !== "session" && request.mode !== "plan" && coversAll(classification, rules, request);
    // What the tables refuse is no reader where it is not confined.
    if (isByRule && grade === "kernel") return { isRead: false, reading: undefined, open: [], coverage };
    const reading = isByRule ? undefined : run;
    if (reading === "confined" && request.unconfined === true) return asksToWrite(classification, coverage);
    return { isRead: true, reading, open: [], coverage };
  }
  if (coverage.open.length > 0) return { isRead: false, reading: undefined, open: coverage.open, coverage };
  // The rules cover what the tables refuse. The rest was to run confined, and cannot beside it.
  const unheld = { ...classification, findings: [...findings, ...unheldFindings(analysis, hold)] };
  const whole = coveredFindings(unheld, rules, request);
  return { isRead: false, reading: undefined, open: whole.open, coverage: whole };
}

function asksToWrite({ findings }: Classification, coverage: Coverage): Basis {
  const message = "the call asks to run where it can write; it would run read-only otherwise";
  return {
    isRead: false,
    reading: undefined,
    open: [aboutRequest("asks-to-write", "unknown", message), ...findings],
    // A rule would let each such line run unconfined from then on, which one call has not asked for.
    coverage: { ...coverage, uncovered: [] },
  };
}

/** Whether allow rules cover every command of a line, as if no table knew it. */
function coversAll(classification: Classification, rules: readonly Rule[], request: PolicyRequest): boolean {
  if (!rules.some((rule) => rule.behavior === "allow")) return false;
  const each = classification.analysis.effective.map(({ argv, span }): Finding => {
    return { code: "reads", severity: "unknown", message: "reads", span, argv: argv.map((word) => word.display) };
  });
  const findings = [...classification.findings, ...each];
  return findings.length > 0 && coveredFindings({ ...classification, findings }, rules, request).open.length === 0;
}

/** Only what may run because it reads is `readonly` for those who read the verdict. */
function classOf({ class: kind }: Classification, { isRead }: Basis): Classification["class"] {
  if (isRead) return "readonly";
  return kind === "readonly" ? "not-readonly" : kind;
}

function brokenFiles(sets: readonly RuleSet[]): Finding[] {
  return sets
    .filter((set) => set.problems.length > 0)
    .map((set) =>
      aboutRequest("broken-rules", "unknown", `the rules of \`${set.source}\` are broken: ${set.problems[0] ?? ""}`),
    );
}

/** A rule for every command holds whatever the text means; a mode that only looks needs to know what it means. */
function taintObstacle({ taint, mode }: PolicyRequest, rules: readonly Rule[]): Finding[] {
  if (taint === undefined || (mode !== "plan" && rules.some(allowsEverything))) return [];
  const message = `${taint} changed this session earlier, so the text no longer tells what runs`;
  return [aboutRequest("tainted-session", "session", message)];
}

function allowsEverything({ behavior, pattern }: Rule): boolean {
  return behavior === "allow" && pattern.kind === "everything";
}

/** Only for git calls that no rule allows by name: whoever allows `git commit` knows that it runs hooks. */
function gitObstacle(request: PolicyRequest, analysis: CommandAnalysis, rules: readonly Rule[]): Finding[] {
  const calls = analysis.effective.filter((command) => isGit(command) && !isNamedByRule(command, rules));
  if (calls.length === 0 || request.trusted === true) return [];
  if (request.gitDangers === undefined) {
    return [aboutRequest("git-not-inspected", "exec", "the git configuration of the folder was not looked at")];
  }
  return request.gitDangers.map(({ key, value, origin }) =>
    origin === "index"
      ? aboutRequest("git-embedded", "exec", `\`${value}\` is a repository of its own, which has not been inspected`)
      : aboutRequest("git-config", "exec", `the repository sets \`${key}\`, which makes git run a program`),
  );
}

/** True for a line that runs `git`. */
export function runsGit(analysis: CommandAnalysis): boolean {
  return analysis.effective.some(isGit);
}

function isGit(command: EffectiveCommand): boolean {
  return programName(firstValue(command.argv)) === "git";
}

/** A rule as a verdict names it. */
export function named({ text, behavior, source, reason }: Rule): MatchedRule {
  return { rule: text, behavior, source, ...(reason === undefined ? {} : { reason }) };
}
