/**
 * Says of a call in a session without a policy whether it only reads, so that it may run beside others.
 *
 * A policy of no rules is asked, one for each executor: it remembers what commands did to a session's names. What it
 * would not let run by itself takes its turn; nothing is refused by it.
 */
import { createPolicy, type Policy, type PolicyRequest } from "@pi-bash/policy";
import type { BashToolSession } from "./session.ts";

const judges = new WeakMap<BashToolSession["executor"], Policy>();

/** Whether the call only reads. `sessionKey` is that of the shell it runs in; undefined: one of its own. */
export function onlyReads(
  request: PolicyRequest,
  { executor, sessionKey }: { executor: BashToolSession["executor"]; sessionKey: string | undefined },
): boolean {
  const judge = judges.get(executor) ?? createPolicy();
  judges.set(executor, judge);
  const { mode: _, ...asked } = request;
  const verdict = judge.decide(asked, sessionKey);
  if (sessionKey !== undefined) judge.observe(request.command, sessionKey);
  // What a decision rests on is set for its command; here nothing is set, so that such a one is none.
  return verdict.concurrencySafe && Object.keys(verdict.environment).length === 0;
}
