/**
 * Questions to the client's person, and their answers, by number.
 */
import type { Approve } from "@pi-bash/policy";
import type { LineOutput } from "./line-output.ts";

export class ApprovalDesk {
  readonly #output: LineOutput;
  readonly #open = new Map<number, (answer: { allow: boolean; reason?: string | undefined }) => void>();
  #last = 0;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  /** Asks the client. Whatever ends the call, or the client, is a refusal. */
  readonly approve: Approve = async (request, verdict, signal) => {
    const requestId = ++this.#last;
    const { command, cwd, description } = request;
    const answered = new Promise<{ allow: boolean; reason?: string | undefined }>((resolve) => {
      this.#open.set(requestId, resolve);
      const refuse = () => resolve({ allow: false, reason: "no one answered" });
      if (signal.aborted || this.#output.gone.aborted) refuse();
      signal.addEventListener("abort", refuse, { once: true });
      this.#output.gone.addEventListener("abort", refuse, { once: true });
    });
    const { class: commandClass, display, reasons, suggestedRules } = verdict;
    const question = {
      type: "approval_request",
      requestId,
      command,
      display,
      cwd,
      description,
      class: commandClass,
      reasons,
      suggestedRules,
    };
    // Not waited for: a call that is aborted ends, whether its question was read or not.
    void this.#output.send(question);
    const { allow, reason } = await answered;
    this.#open.delete(requestId);
    return { behavior: allow ? "allow" : "deny", ...(reason === undefined ? {} : { reason }) };
  };

  /** Takes an answer; false where no one asked. */
  answer(requestId: number, allow: boolean, reason: string | undefined): boolean {
    const resolve = this.#open.get(requestId);
    resolve?.({ allow, reason });
    return resolve !== undefined;
  }
}
