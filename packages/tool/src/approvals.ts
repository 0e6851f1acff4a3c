/**
 * Asks whether a call may run, on the text that will run and on the text it was made of.
 *
 * What never runs (`blockedCommands`, `requireDescription`, wiping the system) is refused in every session, and what
 * never runs unasked is asked about in every session. Everything else is the session's policy's to decide; without one,
 * hosts ask for themselves before they call. See docs/policy.md.
 */
import { homedir } from "node:os";
import type { CallRefusal, Settings } from "@pi-bash/contract";
import type { Approve, Finding, Policy, PolicyRequest } from "@pi-bash/policy";
import {
  announcesWaits,
  askAboutUnasked,
  escapeForDisplay,
  findForbidden,
  MAX_NAMED_REASONS,
  refusalText,
} from "@pi-bash/policy/internal";
import { onlyReads } from "./read-judge.ts";
import { type CallReading, holdOf } from "./read-only/call-reading.ts";
import type { BashToolSession } from "./session.ts";
import { ToolAbortError, ToolError } from "./tool-error.ts";

/** What a session's policy must be able to do; `createPolicy` of `@pi-bash/policy` makes one. */
export type PolicyPort = Pick<Policy, "authorize" | "observe">;

/** How a session's commands are looked at; each part is optional. */
export type PolicyContext = Pick<
  PolicyRequest,
  "mode" | "trusted" | "interactive" | "sandboxed" | "workspace" | "home"
>;

/** A call that wants to run. */
export interface AskedCall {
  /** What will run, URLs expanded. */
  command: string;
  /** As the model gave it. */
  original: string;
  description: string | undefined;
  /** Absolute. */
  cwd: string;
  /** Where the text as the model gave it would start. Absolute. */
  base: string;
  env: Readonly<Record<string, string>>;
  /** It gets a shell of its own, in which no one has changed anything. */
  isAsync: boolean;
  /** It wants a terminal that a person can type into. */
  wantsPty: boolean;
  /** It runs on a terminal that the model types to: nothing about it is only read. Default false. */
  isTerminal?: boolean;
  /** It asks to run where it can write. */
  unconfined: boolean;
  /** What speaks against running it, beside what the policy finds. */
  doubts?: readonly Finding[];
}

/** How a call is asked about. */
export interface AskingOptions {
  settings: Settings;
  /** Ends the question. */
  signal: AbortSignal | undefined;
  /** Awaited before anything that takes time, and never where nothing does. */
  beforeWait: () => Promise<void>;
  /** Asks a person instead of the session's own way. */
  approve?: Approve | undefined;
}

/** What an approved call must and may do. */
export interface ApprovedCall {
  /** Variables that the decision rests on; they win over the call's own. */
  env: Readonly<Record<string, string>>;
  /** It only reads: it may run beside others, in a copy of the session. */
  mayOverlap: boolean;
  /** How it is held where reading alone allowed it. Undefined: it runs as any other. */
  reading?: CallReading | undefined;
}

/** Resolves when the call may run. Throws `ToolError` with the reasons when it may not, `ToolAbortError` when aborted. */
export async function approveCall(
  call: AskedCall,
  session: BashToolSession,
  { settings, signal, beforeWait, ...asking }: AskingOptions,
): Promise<ApprovedCall> {
  checkTerminal(call, session);
  const request = { ...requestOf(call, session), allowUnasked: settings["bash.allowUnasked"] };
  const { classification, findings, doubts } = findForbidden(request, settings);
  const { policy } = session;
  // A policy asks for what is in doubt; without one there is no one to be asked.
  const reasons = policy === undefined ? [...findings, ...doubts] : findings;
  if (reasons.length > 0) throw refused("policy", { class: classification.class, reasons }, call);
  const approve: Approve | undefined = asking.approve ?? session.approve?.bind(session);
  const timeoutMs = settings["bash.approvalTimeoutMs"];
  const sessionKey = call.isAsync ? undefined : (session.getSessionId?.() ?? "");
  if (policy === undefined) {
    await checkUnasked(request, call, { approve, timeoutMs, signal, beforeWait });
    return { env: {}, mayOverlap: onlyReads(request, { executor: session.executor, sessionKey }) };
  }

  const { askUndecidedBlocks } = settings;
  const held = await holdOf(call, classification.grade, { session, settings });
  const judged = {
    ...request,
    doubts: [...doubts, ...(call.doubts ?? [])],
    askUndecidedBlocks,
    hold: held.hold,
    unconfined: call.unconfined,
  };
  // A host's own policy may ask by itself, or take its time otherwise.
  if (!announcesWaits(policy)) await beforeWait();
  const answer = await policy.authorize(judged, { sessionKey, signal, approve, timeoutMs, beforeWait });
  const { verdict } = answer;
  if (signal?.aborted) throw new ToolAbortError();
  if (answer.behavior === "deny") throw refused(answer.by, verdict, call, answer.message);
  // A host's own policy may think so; unconfined it is not what was permitted.
  if (verdict.reading === "confined" && held.hold !== "kernel") throw new ToolError(CANNOT_CONFINE);
  // Before it runs: whatever is judged while it runs already meets what it changes.
  if (sessionKey !== undefined) policy.observe(call.command, sessionKey);
  // What a person approved is no longer what the tables allow.
  const reading = answer.by === "policy" ? held.readingOf(verdict.reading) : undefined;
  return { env: verdict.environment, mayOverlap: verdict.concurrencySafe, reading };
}

/** What runs on a terminal goes on to run what is typed: a mode that only reads has no place for it. */
function checkTerminal({ isTerminal }: AskedCall, session: BashToolSession): void {
  const mode = session.policy === undefined ? undefined : session.policyContext?.().mode;
  if (isTerminal !== true || mode !== "plan") return;
  throw new ToolError("`tty` is refused while only reading is allowed (mode `plan`). Run the command without it.");
}

const CANNOT_CONFINE = "The policy allows this command only where it runs confined, and nothing confines it here";

/** Without a policy only what never runs unasked is asked about, or refused where there is no way to ask. */
async function checkUnasked(
  request: PolicyRequest,
  call: AskedCall,
  asking: NonNullable<Parameters<typeof askAboutUnasked>[1]>,
): Promise<void> {
  const answer = await askAboutUnasked(request, asking);
  if (asking.signal?.aborted) throw new ToolAbortError();
  if (answer?.behavior === "deny") throw refused(answer.by, answer.verdict, call, answer.message);
}

function requestOf(
  { command, original, base, description, cwd, env }: AskedCall,
  session: BashToolSession,
): PolicyRequest {
  return {
    command,
    ...(original === command ? {} : { original: { command: original, cwd: base } }),
    description,
    cwd,
    env,
    workspace: session.cwd,
    ...(session.place === undefined ? {} : { place: session.place.name }),
    home:
      session.place === undefined
        ? ((session.hostEnv ?? process.env)["HOME"] ?? homedir())
        : (session.place.home ?? "/"),
    ...session.policyContext?.(),
  };
}

function refused(
  by: CallRefusal["by"],
  verdict: { class: CallRefusal["class"]; reasons: readonly Finding[]; suggestedRules?: readonly string[] },
  call: AskedCall,
  message?: string,
): ToolError {
  const { reasons, suggestedRules = [] } = verdict;
  const refusal: CallRefusal = {
    by,
    class: verdict.class,
    reasons: reasons.slice(0, MAX_NAMED_REASONS).map(({ argv, needsKernel: _, ...reason }) => ({
      ...reason,
      ...(argv === undefined ? {} : { argv: [...argv] }),
    })),
    suggestedRules: [...suggestedRules],
    display: escapeForDisplay(call.command),
  };
  return new ToolError(message ?? refusalText({ reasons, suggestedRules }), { details: { refusal } });
}
