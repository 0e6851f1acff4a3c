/**
 * A policy: rules, the memory of what was approved, and the question to a person.
 *
 * `decide` is pure; this adds what has a lifetime. Rules learnt during a session last as long as the policy, taints as
 * long as their session. The approval is asked at most once a request, and whatever goes wrong with it denies.
 */
import { analyzeCommand } from "@pi-bash/command";
import { type OptionNames, refuseUnknownOptions } from "@pi-bash/contract/internal";
import { withDeadline } from "@pi-bash/contract/internal/abort";
import { clipped } from "@pi-bash/contract/internal/text";
import { unlessAborted } from "@pi-bash/contract/internal/wait";
import { decide, type PolicyConfig, type PolicyRequest, type Verdict } from "./decide.ts";
import type { GitConfigDanger } from "./git-hardening.ts";
import { inspectGitConfig } from "./git-inspection.ts";
import { parseRule } from "./rules/rule.ts";
import { loadRules, type RuleFile, type RuleSet } from "./rules/rule-file.ts";
import { escapeForDisplay } from "./suspicious-text.ts";
import { taintOf } from "./taint.ts";
import { unaskedVerdict } from "./unasked/unasked-verdict.ts";

/** Reasons that are reported one by one: a line may have thousands, and the first ones say what is wrong. */
export const MAX_NAMED_REASONS = 10;
/** Longest reason that is reported, in UTF-16 units; it quotes words of the command. */
const MAX_REASON_CHARS = 300;

/** What a person answered: allow or deny, with a rule to remember and a reason for the model. */
export interface Approval {
  readonly behavior: "allow" | "deny";
  /** A rule to remember while the policy lives, for instance one of `suggestedRules`. It counts for the place that was asked about. */
  readonly remember?: string;
  /** Why, for the model. */
  readonly reason?: string;
}

/** Asks a person about a command; the verdict has the reasons. It is waited for as long as `approvalTimeoutMs`. */
export type Approve = (request: PolicyRequest, verdict: Verdict, signal: AbortSignal) => Promise<Approval>;

/** What a policy is made of. */
export interface PolicyOptions extends Omit<PolicyConfig, "ruleSets"> {
  /** Rules of each source; later sources do not override earlier ones, the strictest rule counts. */
  readonly ruleSets?: readonly RuleSet[];
  /** Asks a person; without it every question is a refusal. */
  readonly approve?: Approve;
  /** Longest wait for an answer, in milliseconds. Default: none, a person may take their time. */
  readonly approvalTimeoutMs?: number;
  /** Looks at the git configuration of a folder; replaced in tests. */
  readonly inspectGit?: (cwd: string) => Promise<readonly GitConfigDanger[] | undefined>;
}

/** The end of a request. */
export interface Authorization {
  readonly behavior: "allow" | "deny";
  readonly verdict: Verdict;
  /** Who decided. */
  readonly by: "policy" | "approval";
  /** What to tell the model when it is denied. */
  readonly message?: string;
}

/** Who asks, and for which session an answer is remembered. */
export interface AuthorizeOptions {
  /** The session the command will run in; absent: a shell of its own, which nothing has changed. */
  readonly sessionKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Asks a person in place of the policy's own `approve`. */
  readonly approve?: Approve | undefined;
  /** Longest wait for the answer, in milliseconds, in place of the policy's own `approvalTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
  /**
   * Awaited once, before the first step that takes time: the look at git's configuration, or the question. A caller
   * records here what it wants to compare afterwards. What it throws rejects `authorize`, and no question is asked.
   */
  readonly beforeWait?: (() => Promise<void>) | undefined;
}

/** A policy of one host: decides each command, asks a person where it has to, and remembers the answers. */
export interface Policy {
  /** Decides without asking anyone. */
  decide(request: PolicyRequest, sessionKey?: string): Verdict;
  /** Decides, looks at the git configuration where git runs, and asks the person where that is needed. */
  authorize(request: PolicyRequest, options?: AuthorizeOptions): Promise<Authorization>;
  /**
   * Notes that a command may run in a session, so that later commands there know of its taint. To be called before it
   * runs: a command that is judged while it runs already meets what it changed.
   */
  observe(command: string, sessionKey: string): void;
  /** Forgets the taint of a session that was replaced by a fresh one. */
  forget(sessionKey: string): void;
  /** Problems and warnings of the rules, for the person, each once. */
  readonly problems: readonly string[];
}

const NAMES: OptionNames<PolicyOptions & RuleFile> = {
  blockShutdown: true,
  askUndecidedBlocks: true,
  blockedCommands: true,
  requireDescription: true,
  ruleSets: true,
  approve: true,
  approvalTimeoutMs: true,
  inspectGit: true,
  allow: true,
  ask: true,
  deny: true,
};

/**
 * Makes a policy. Rules may be given as loaded sets, or as one plain list of the user's own.
 *
 * ```ts
 * import { createPolicy } from "@pi-bash/policy";
 *
 * const policy = createPolicy({ allow: ["Bash(npm test)"], deny: ["Bash(rm **)"] });
 * const place = { cwd: "/project", workspace: "/project", home: "/home/ada" };
 * console.log((await policy.authorize({ command: "ls -l", ...place })).behavior); // "allow": it only reads
 * console.log((await policy.authorize({ command: "sudo rm -r x", ...place })).behavior); // "deny": the rule sees through `sudo`
 * ```
 *
 * @throws UnknownOptionError for an option that there is not
 */
export function createPolicy(given: PolicyOptions | RuleFile | readonly RuleSet[] = {}): Policy {
  if (!Array.isArray(given)) refuseUnknownOptions("createPolicy", given, NAMES);
  const policy = makePolicy(given);
  ANNOUNCING.add(policy);
  return policy;
}

/** The policies of this module, which call `beforeWait`. */
const ANNOUNCING = new WeakSet<object>();

/**
 * Whether a policy is known to call `beforeWait` before every step that takes time. False for a policy of the host's own
 * and for a copy of ours, whose `authorize` may ask by itself.
 */
export function announcesWaits(policy: object): boolean {
  return ANNOUNCING.has(policy);
}

function makePolicy(given: PolicyOptions | RuleFile | readonly RuleSet[]): Policy {
  const options = asOptions(given);
  const learnt: { readonly rule: string; readonly place: string | undefined }[] = [];
  const taints = new Map<string, string>();
  const sets = options.ruleSets ?? [];

  // What a person allowed on one machine says nothing about another one.
  const configFor = ({ place }: PolicyRequest): PolicyConfig => {
    const allow = learnt.filter((each) => each.place === place).map(({ rule }) => rule);
    return { ...options, ruleSets: allow.length === 0 ? sets : [...sets, loadRules({ allow }, "session")] };
  };
  const withTaint = (request: PolicyRequest, sessionKey: string | undefined): PolicyRequest => {
    const taint = sessionKey === undefined ? undefined : taints.get(sessionKey);
    return taint === undefined || request.taint !== undefined ? request : { ...request, taint };
  };

  return {
    problems: sets.flatMap((set) => [...set.problems, ...set.warnings].map((text) => `${set.source}: ${text}`)),
    decide: (request, sessionKey) => decide(withTaint(request, sessionKey), configFor(request)),
    async authorize(
      request,
      { sessionKey, signal, approve = options.approve, timeoutMs = options.approvalTimeoutMs, beforeWait } = {},
    ) {
      const announce = once(beforeWait);
      const isConfined =
        request.hold === "kernel" && decide(withTaint(request, sessionKey), configFor(request)).reading === "confined";
      // What a repository makes git run can do no harm there, so that there is nothing to look for.
      const inspected = isConfined ? request : await withGit(request, options.inspectGit ?? inspectGitConfig, announce);
      // Looked up last: the session may have changed while git was asked.
      const known = withTaint(inspected, sessionKey);
      const verdict = decide(known, configFor(request));
      if (verdict.behavior !== "ask") return settled(verdict, verdict.behavior);
      if (approve === undefined) return settled(verdict, "deny");
      await announce();
      const approval = await askOnce(approve, timeoutMs, known, verdict, signal);
      if (approval.behavior === "allow" && isRule(approval.remember)) {
        learnt.push({ rule: approval.remember, place: request.place });
      }
      return approved(verdict, approval);
    },
    observe(command, sessionKey) {
      const taint = taintOf(analyzeCommand(command));
      if (taint !== undefined && !taints.has(sessionKey)) taints.set(sessionKey, taint);
    },
    forget: (sessionKey) => void taints.delete(sessionKey),
  };
}

/**
 * Asks about what never runs unasked, for a host without a policy. Undefined: there is nothing of it in the line. Without
 * a way to ask the answer is a refusal that names the option.
 */
export async function askAboutUnasked(
  request: PolicyRequest,
  { approve, timeoutMs, signal, beforeWait }: Omit<AuthorizeOptions, "sessionKey"> = {},
): Promise<Authorization | undefined> {
  const verdict = unaskedVerdict(request);
  if (verdict === undefined) return undefined;
  if (approve === undefined) return settled({ ...verdict, behavior: "deny" }, "deny");
  await beforeWait?.();
  return approved(verdict, await askOnce(approve, timeoutMs, request, verdict, signal));
}

/** A text that is no rule is not learnt: as a broken set it would stop every approval. */
function isRule(text: string | undefined): text is string {
  return text !== undefined && parseRule(text, "allow", "session").ok;
}

function asOptions(given: PolicyOptions | RuleFile | readonly RuleSet[]): PolicyOptions {
  if (Array.isArray(given)) return { ruleSets: given as readonly RuleSet[] };
  const { allow, ask, deny, ...options } = given as PolicyOptions & RuleFile;
  if (allow === undefined && ask === undefined && deny === undefined) return options;
  const own = loadRules({ allow: allow ?? [], ask: ask ?? [], deny: deny ?? [] }, "user");
  return { ...options, ruleSets: [...(options.ruleSets ?? []), own] };
}

/** Git is only inspected where a line would run it, because looking starts a process. */
async function withGit(
  request: PolicyRequest,
  inspect: NonNullable<PolicyOptions["inspectGit"]>,
  announce: () => Promise<void>,
): Promise<PolicyRequest> {
  const skip = request.gitDangers !== undefined || request.cwd === undefined || request.trusted === true;
  if (skip || !/\bgit\b/.test(request.command)) return request;
  await announce();
  const dangers = await inspect(request.cwd).catch(() => undefined);
  return dangers === undefined ? request : { ...request, gitDangers: dangers };
}

/** The same work, done at the first call. */
function once(work: (() => Promise<void>) | undefined): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work?.() ?? Promise.resolve();
    return done;
  };
}

async function askOnce(
  approve: Approve,
  timeoutMs: number | undefined,
  request: PolicyRequest,
  verdict: Verdict,
  signal: AbortSignal | undefined,
): Promise<Approval> {
  if (signal?.aborted) return { behavior: "deny", reason: "the question was cancelled" };
  const ended = withDeadline(timeoutMs, signal === undefined ? [] : [signal]);
  try {
    const asked = (async () => approve(request, verdict, ended.signal))();
    const answer = await unlessAborted(asked, ended.signal);
    return answer === "aborted" ? { behavior: "deny", reason: "no one answered" } : answer;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { behavior: "deny", reason: `the question failed: ${why}` };
  } finally {
    ended.end();
  }
}

function settled(verdict: Verdict, behavior: "allow" | "deny"): Authorization {
  if (behavior === "allow") return { behavior, verdict, by: "policy" };
  return { behavior, verdict, by: "policy", message: refusalText(verdict) };
}

function approved(verdict: Verdict, approval: Approval): Authorization {
  if (approval.behavior === "allow") return { behavior: "allow", verdict, by: "approval" };
  const reason = approval.reason === undefined ? "" : `: ${approval.reason}`;
  return { behavior: "deny", verdict, by: "approval", message: `Command was not approved${reason}.` };
}

/** Tells a model why, what would make it acceptable, and not to try the same thing in other words. */
export function refusalText(verdict: Pick<Verdict, "reasons" | "suggestedRules">): string {
  const named = verdict.reasons.slice(0, MAX_NAMED_REASONS);
  const reasons = named.map(
    ({ message, hint }) =>
      `- ${clipped(escapeForDisplay(message), MAX_REASON_CHARS)}${hint === undefined ? "" : ` (${hint})`}`,
  );
  const left = verdict.reasons.length - named.length;
  if (left > 0) reasons.push(`- and ${left} more`);
  const rules = verdict.suggestedRules.map((rule) => `\`${rule}\``).join(", ");
  const remedy = rules === "" ? [] : [`No one is there to be asked; a person can allow it with ${rules}.`];
  return ["Command blocked by policy; do not retry it in another form.", ...reasons, ...remedy].join("\n");
}
