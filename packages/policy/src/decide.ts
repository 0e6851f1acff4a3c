/**
 * Decides what may run: allow, ask or deny, with every reason.
 *
 * # Theory of operation
 * The order is fixed and strict first: hard blocks, the owner's blocked commands, deny rules, ask rules, then what may
 * be approved without a person (a read-only line, or one whose every command is covered by allow rules), then the
 * mode. Everything that was not understood, and every error on the way, ends at "ask" at best. The decision reads no
 * file and starts no program; what it must know of the outside stands in the request.
 */
import { analyzeCommand, type CommandAnalysis } from "@pi-bash/command";
import type { UnaskedKind } from "@pi-bash/contract";
import type { CommandClass } from "./classify.ts";
import { aboutRequest, type Finding } from "./finding.ts";
import { type ForbiddenConfig, findForbidden, type PlacedCommand } from "./forbidden.ts";
import { GIT_HARDENING, type GitConfigDanger } from "./git-hardening.ts";
import type { ReadOnlyHold, ReadOnlyRun } from "./read-only/hold.ts";
import { concerns, strongest } from "./rules/match.ts";
import type { Rule, RuleSource } from "./rules/rule.ts";
import type { RuleSet } from "./rules/rule-file.ts";
import { escapeForDisplay } from "./suspicious-text.ts";
import { named, runsGit, weighUnattended } from "./unattended.ts";

/**
 * How undecided commands are treated. `default` asks; `acceptEdits` asks as well, files are edited by other tools;
 * `plan` only lets read-only commands run; `dontAsk` denies what it would have to ask; `auto` lets a sandboxed command
 * run; `yolo` runs what neither a rule nor a block forbids.
 */
export type PolicyMode = (typeof POLICY_MODES)[number];

/** All modes, by name: what becomes of a command that no rule decides. */
export const POLICY_MODES = ["default", "plan", "acceptEdits", "auto", "dontAsk", "yolo"] as const;

/** A command that wants to run. */
export interface PolicyRequest {
  /** Exactly the text that will be executed, before the additions of mode `tee`. */
  readonly command: string;
  /** What the caller says it does. */
  readonly description?: string | undefined;
  /**
   * The text as the caller gave it, where what runs was made of it (a leading `cd` became the directory). Whatever
   * forbids, denies or asks is looked for in both; only what runs is ever approved.
   */
  readonly original?: PlacedCommand | undefined;
  /** Working directory, absolute. */
  readonly cwd?: string;
  /** Root of the workspace, absolute. */
  readonly workspace?: string;
  /** Home directory, absolute. */
  readonly home?: string;
  /** Where it runs, when that is another machine, e.g. `ssh:build7`; paths are of that machine. Absent: this machine. */
  readonly place?: string;
  /** Variables the call sets in addition. Their names are judged, and the values of those that are harmless. */
  readonly env?: Readonly<Record<string, string>>;
  readonly mode?: PolicyMode;
  /** The person trusts the workspace: its rules may allow, its git configuration may name programs. Default false. */
  readonly trusted?: boolean;
  /** Someone can answer a question. Default true. */
  readonly interactive?: boolean;
  /** False where the host's settings switched off the question about undecided blocks. Default: as the policy has it. */
  readonly askUndecidedBlocks?: boolean;
  /** The command runs inside a working sandbox. Default false. */
  readonly sandboxed?: boolean;
  /** What can hold a line that is allowed because it only reads. Default: nothing, and the tables alone decide. */
  readonly hold?: ReadOnlyHold;
  /** The caller asks to run where it can write: what would run confined is asked for instead. Default false. */
  readonly unconfined?: boolean;
  /** What may run unasked though it otherwise never does. Default: nothing. */
  readonly allowUnasked?: readonly UnaskedKind[];
  /** Why the session cannot be trusted to mean what the text says (`taintOf`); absent for a clean session. */
  readonly taint?: string;
  /** What `gitConfigDangers` found for the repository; absent when no one looked. */
  readonly gitDangers?: readonly GitConfigDanger[];
  /** What the caller has found that must be asked for in every mode, beside what the policy finds. */
  readonly doubts?: readonly Finding[];
}

/** What a person decided about beforehand. */
export interface PolicyConfig extends ForbiddenConfig {
  readonly ruleSets?: readonly RuleSet[];
}

/** A rule that took part in a decision. */
export interface MatchedRule {
  readonly rule: string;
  readonly behavior: Rule["behavior"];
  readonly source: RuleSource;
  readonly reason?: string;
}

/** The decision about one command line, with its reasons. Data: nothing was asked or run. */
export interface Verdict {
  readonly behavior: "allow" | "ask" | "deny";
  readonly class: CommandClass;
  /** May run beside other commands, in a copy of the session. Only ever true for an allowed read-only command. */
  readonly concurrencySafe: boolean;
  /** Why; for an allowed command what was considered. */
  readonly reasons: readonly Finding[];
  readonly matchedRules: readonly MatchedRule[];
  /** Rules that would allow this and little else. */
  readonly suggestedRules: readonly string[];
  /** The command with hidden characters written out: what a person must be shown. */
  readonly display: string;
  /** Variables the command must run with for the decision to hold; empty for most. */
  readonly environment: Readonly<Record<string, string>>;
  /**
   * How the line has to run, where the approval rests on reading alone. Absent: a rule, a mode, a person or a sandbox
   * allowed it, or it is not allowed. A host that cannot run a line `confined` must not give `hold: "kernel"`.
   */
  readonly reading?: ReadOnlyRun;
}

/** Decides about a request. Never throws: an error of our own asks, or denies where no one can answer. */
export function decide(request: PolicyRequest, config: PolicyConfig): Verdict {
  try {
    return conclude(request, weigh(request, config));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const reason = aboutRequest("policy-error", "unknown", `the policy failed: ${why}`);
    return conclude(request, { wish: "ask", reasons: [reason], class: "unparseable", concurrencySafe: false });
  }
}

/** A decision before the mode and the presence of a person are looked at. */
export interface Weighed {
  readonly wish: "allow" | "ask" | "deny" | "undecided";
  readonly reasons: readonly Finding[];
  readonly class: CommandClass;
  readonly concurrencySafe: boolean;
  readonly matchedRules?: readonly MatchedRule[];
  readonly suggestedRules?: readonly string[];
  readonly analysis?: CommandAnalysis;
  /** How it runs where reading alone allows it. */
  readonly reading?: ReadOnlyRun | undefined;
}

function weigh(request: PolicyRequest, config: PolicyConfig): Weighed {
  const { classification, findings, doubts, undecided } = findForbidden(request, config);
  const { analysis } = classification;
  const base = { class: classification.class, concurrencySafe: false, analysis };
  if (findings.length > 0) return { ...base, wish: "deny", reasons: findings };
  const rules = usableRules(config.ruleSets ?? [], request);
  const { original } = request;
  const env = Object.keys(request.env ?? {});
  const restricted = restrict(rules, [
    { analysis, cwd: request.cwd, env },
    ...(original === undefined ? [] : [{ analysis: analyzeCommand(original.command), cwd: original.cwd, env }]),
  ]);
  if (restricted !== undefined) return { ...base, ...restricted };
  const unsure = [...doubts, ...(request.doubts ?? [])];
  if (unsure.length > 0) return { ...base, wish: "ask", reasons: unsure };
  const asksUndecided = config.askUndecidedBlocks !== false && request.askUndecidedBlocks !== false;
  return weighUnattended(request, config, classification, { rules, undecided: asksUndecided ? undecided : [] });
}

/**
 * A project's rules come with the repository: until the folder is trusted they may forbid, not permit. Rules for places
 * count on those.
 */
function usableRules(sets: readonly RuleSet[], { trusted = false, place }: PolicyRequest): Rule[] {
  return sets
    .flatMap((set) => set.rules)
    .filter((rule) => rule.behavior !== "allow" || rule.source !== "project" || trusted)
    .filter(({ places }) => places === undefined || (place !== undefined && places.test(place)));
}

/** Deny before ask, over all sources; a deny rule that may concern the line asks. */
function restrict(
  rules: readonly Rule[],
  texts: readonly {
    readonly analysis: CommandAnalysis;
    readonly cwd: string | undefined;
    readonly env: readonly string[];
  }[],
): Pick<Weighed, "wish" | "reasons" | "matchedRules"> | undefined {
  const results = rules
    .filter((rule) => rule.behavior !== "allow")
    .map((rule) => ({
      rule,
      result: strongest(texts.map(({ analysis, cwd, env }) => concerns(rule, analysis, cwd, env))),
    }))
    .filter(({ result }) => result !== "no");
  const denied = results.find(({ rule, result }) => rule.behavior === "deny" && result === "yes");
  const first = denied ?? results[0];
  if (first === undefined) return undefined;
  const { rule, result } = first;
  const perhaps = result === "maybe" ? "may match" : "matches";
  const because = rule.reason === undefined ? "" : `: ${rule.reason}`;
  const message = `the command ${perhaps} the rule \`${rule.behavior} ${rule.text}\`${because}`;
  return {
    wish: denied === undefined ? "ask" : "deny",
    reasons: [aboutRequest(`rule-${rule.behavior}`, "unknown", message)],
    matchedRules: results.map((each) => named(each.rule)),
  };
}

/** Applies the mode, and turns a question no one can answer into a refusal. */
function conclude(request: PolicyRequest, weighed: Weighed): Verdict {
  const mode = request.mode ?? "default";
  const asks = request.interactive !== false && mode !== "dontAsk" && mode !== "plan";
  const behavior = settle(weighed, mode, request.sandboxed === true);
  const hardened = weighed.analysis !== undefined && runsGit(weighed.analysis);
  const reading = behavior === "allow" && weighed.wish === "allow" ? weighed.reading : undefined;
  return {
    behavior: behavior === "ask" && !asks ? "deny" : behavior,
    class: weighed.class,
    concurrencySafe: behavior === "allow" && weighed.concurrencySafe,
    reasons: weighed.reasons,
    matchedRules: weighed.matchedRules ?? [],
    suggestedRules: behavior === "ask" ? (weighed.suggestedRules ?? []) : [],
    display: escapeForDisplay(request.command),
    environment: hardened && weighed.class === "readonly" ? GIT_HARDENING : {},
    ...(reading === undefined ? {} : { reading }),
  };
}

function settle({ wish, class: kind }: Weighed, mode: PolicyMode, sandboxed: boolean): Verdict["behavior"] {
  if (wish === "deny") return "deny";
  if (mode === "plan" && kind !== "readonly") return "deny";
  if (wish === "allow") return "allow";
  if (wish === "ask") return "ask";
  return mode === "yolo" || (mode === "auto" && sandboxed) ? "allow" : "ask";
}
