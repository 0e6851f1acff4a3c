/**
 * For an agent: the client's `session/request_permission` as the session's way to ask a person.
 *
 * Which calls are asked about is the policy's, and so is what a remembered answer allows: it is one of the rules that the
 * policy has suggested, never a wider one.
 */

import { methods, type PermissionOption } from "@agentclientprotocol/sdk";
import { displayLine, refuseUnknownOptions } from "@pi-bash/contract/internal";
import type { BashToolSession } from "@pi-bash/tool";
import type { AcpSession } from "./client-bridge.ts";

type Approve = NonNullable<BashToolSession["approve"]>;

/** What stands on the choices. */
export interface ApproveLabels {
  /** Default `Allow once`. */
  once?: string;
  /** Default `` Always allow `<rule>` ``. */
  always?: (rule: string) => string;
  /** Default `Reject`. */
  reject?: string;
}

/** The way to ask, for `session.approve`. A prompt that the client has cancelled is a refusal. */
export function acpApprove({ client, sessionId }: AcpSession, labels: ApproveLabels = {}): Approve {
  refuseUnknownOptions("acpApprove", labels, { once: true, always: true, reject: true });
  const { once = "Allow once", always = (rule) => `Always allow \`${rule}\``, reject = "Reject" } = labels;
  let questions = 0;
  return async (_request, verdict, signal) => {
    questions += 1;
    const options: PermissionOption[] = [
      { optionId: "once", name: once, kind: "allow_once" },
      ...verdict.suggestedRules.map((rule, index) => ({
        optionId: `always-${index}`,
        name: always(rule),
        kind: "allow_always" as const,
      })),
      { optionId: "reject", name: reject, kind: "reject_once" },
    ];
    const reasons = verdict.reasons.map(({ message }) => displayLine(message)).join("\n");
    const { outcome } = await client.request(
      methods.client.session.requestPermission,
      {
        sessionId,
        // The tool does not say which call asks.
        toolCall: {
          toolCallId: `permission-${questions}`,
          // Hidden characters are written out: a person must see what would run.
          title: verdict.display,
          kind: "execute",
          status: "pending",
          ...(reasons === "" ? {} : { content: [{ type: "content", content: { type: "text", text: reasons } }] }),
        },
        options,
      },
      { cancellationSignal: signal, stopWaitingOnCancel: true },
    );
    if (outcome.outcome === "cancelled") return { behavior: "deny", reason: "the question was cancelled" };
    if (outcome.optionId === "once") return { behavior: "allow" };
    const remember = verdict.suggestedRules[Number(/^always-(\d+)$/.exec(outcome.optionId)?.[1] ?? -1)];
    return remember === undefined ? { behavior: "deny" } : { behavior: "allow", remember };
  };
}
