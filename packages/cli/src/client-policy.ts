/**
 * The policy of a session that another program drives (`mcp`, `rpc`): one by default, with questions for its client.
 *
 * A client that can be asked is asked about what the mode does not allow. One that cannot loses nothing that it had
 * before there was a policy by default: where its command line asked for neither rules nor a mode, only what never runs
 * and what never runs unasked is refused.
 */
import type { Settings } from "@pi-bash/contract";
import type { Policy } from "@pi-bash/policy";
import { askAboutUnasked, TYPED_UNKNOWN } from "@pi-bash/policy/internal";
import { hasPolicy, openPolicy, type PolicyArguments } from "./policy-option.ts";

/** How long a question waits for its answer where no setting says, in milliseconds: a person may be away for a while. */
const DEFAULT_APPROVAL_MS = 10 * 60_000;

/** The settings with a bound for questions. */
export function withApprovalBound(settings: Settings): Settings {
  return { "bash.approvalTimeoutMs": DEFAULT_APPROVAL_MS, ...settings };
}

/** The policy for a client; `canAsk` is asked at each call. Problems of the rules go to `tell`; default: standard error. */
export async function clientPolicy(
  asked: PolicyArguments,
  canAsk: () => boolean,
  tell?: (message: string) => void,
): Promise<Policy> {
  const policy = await openPolicy(asked, tell);
  return {
    ...policy,
    authorize: async (request, options = {}) => {
      if (canAsk()) return policy.authorize(request, options);
      const { approve: _, ...silent } = options;
      if (hasPolicy(asked)) return policy.authorize(request, silent);
      // The owner's `blockedCommands` may be in it, which is not known before it runs.
      // What is typed into a program can do no more than a command that runs unasked here.
      const doubts = (request.doubts ?? []).filter(({ code }) => !TYPED_UNKNOWN.has(code));
      if (doubts.length > 0) return policy.authorize(request, silent);
      const refused = await askAboutUnasked(request, silent);
      if (refused !== undefined) return refused;
      // Everything runs here, so that nothing rests on reading and has to be held.
      const { reading: _held, ...verdict } = policy.decide(request, options.sessionKey);
      // What reads without a variable set for it runs beside others, as for every client.
      const concurrencySafe = verdict.concurrencySafe && Object.keys(verdict.environment).length === 0;
      const allowed = { ...verdict, behavior: "allow" as const, concurrencySafe, environment: {} };
      return { behavior: "allow", verdict: allowed, by: "policy" };
    },
  };
}
