/** May this command run. No one inside the package imports from here. */
export { type Classification, type ClassifyContext, type CommandClass, classify } from "./classify.ts";
export type { PathContext } from "./danger-paths.ts";
export type { DangerOptions } from "./dangers.ts";
export {
  decide,
  type MatchedRule,
  POLICY_MODES,
  type PolicyConfig,
  type PolicyMode,
  type PolicyRequest,
  type Verdict,
} from "./decide.ts";
export type { Finding, Severity } from "./finding.ts";
export type { ForbiddenConfig, PlacedCommand } from "./forbidden.ts";
export { GIT_HARDENING, type GitConfigDanger, gitConfigDangers } from "./git-hardening.ts";
export { inspectGitConfig } from "./git-inspection.ts";
export { DEFAULT_INTERCEPTOR_RULES, type DefaultRule } from "./interception/default-rules.ts";
export {
  checkBashInterception,
  type InterceptionOptions,
  type InterceptionResult,
  type InvalidRule,
} from "./interception/interceptor.ts";
export {
  type Approval,
  type Approve,
  type Authorization,
  type AuthorizeOptions,
  createPolicy,
  type Policy,
  type PolicyOptions,
} from "./policy.ts";
export type { ReadingGrade } from "./read-only/grade.ts";
export type { ReadOnlyHold, ReadOnlyRun } from "./read-only/hold.ts";
export { type ParsedRule, parseRule, type Rule, type RuleBehavior, type RuleSource } from "./rules/rule.ts";
export { loadRuleFile, loadRules, type RuleEntry, type RuleFile, type RuleSet } from "./rules/rule-file.ts";
export { taintOf } from "./taint.ts";
