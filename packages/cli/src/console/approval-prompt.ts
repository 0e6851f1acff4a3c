/**
 * Questions of the policy to the person at the console: the command in full, why it is asked, and what keys answer.
 *
 * The question is printed for good, so that a long command can be read by scrolling; only the line with the keys is live.
 * Questions wait for each other. Whatever ends the call is a refusal.
 */

import { displayText } from "@pi-bash/contract";
import { displayLine } from "@pi-bash/contract/internal";
import type { Approval, Approve, Verdict } from "@pi-bash/policy";
import type { ConsoleInput } from "@pi-bash/renderer/internal";

/** What the questions need of the console. */
export interface ApprovalPorts {
  /** Prints the question. */
  ask(text: string): void;
  /** Prints the answer. */
  tell(text: string): void;
  /** There is a question, or there is none any more. */
  changed(): void;
}

interface Question {
  readonly text: string;
  readonly rule: string | undefined;
  readonly answer: (approval: Approval) => void;
}

export class ApprovalPrompt {
  readonly #ports: ApprovalPorts;
  #questions: Question[] = [];

  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
  }

  /** The keys that answer; undefined: nothing is asked. */
  get keys(): string | undefined {
    const [question] = this.#questions;
    if (question === undefined) return undefined;
    const always = question.rule === undefined ? "" : `a: yes, from now on with ${question.rule}   `;
    return `Run it?   y: yes   n: no   ${always}`.trimEnd();
  }

  /** Asks the person. */
  readonly approve: Approve = (request, verdict, signal) =>
    new Promise((resolve) => {
      const question: Question = {
        text: questionText(request.description, request.cwd, verdict),
        rule: verdict.suggestedRules[0],
        answer: (approval) => {
          signal.removeEventListener("abort", refuse);
          const isShown = this.#questions[0] === question;
          this.#questions = this.#questions.filter((each) => each !== question);
          resolve(approval);
          if (isShown) this.#showNext();
          this.#ports.changed();
        },
      };
      const refuse = () => question.answer({ behavior: "deny", reason: "no one answered" });
      this.#questions.push(question);
      signal.addEventListener("abort", refuse, { once: true });
      if (signal.aborted) refuse();
      else if (this.#questions[0] === question) this.#showNext();
    });

  /** Takes a key while something is asked. Only keys answer: what is pasted was not meant for the question. */
  take(input: ConsoleInput): void {
    const [question] = this.#questions;
    if (question === undefined || input.kind !== "key") return;
    const key = input.name.toLowerCase();
    if (key === "y") {
      this.#ports.tell("Approved.");
      question.answer({ behavior: "allow" });
    } else if (key === "a" && question.rule !== undefined) {
      this.#ports.tell(`Approved, and from now on with ${question.rule}.`);
      question.answer({ behavior: "allow", remember: question.rule });
    } else if (key === "n" || key === "escape" || key === "ctrl+c" || key === "ctrl+d") {
      this.#ports.tell("Not approved.");
      question.answer({ behavior: "deny", reason: "the person said no" });
    }
  }

  #showNext(): void {
    const [question] = this.#questions;
    if (question !== undefined) this.#ports.ask(question.text);
    this.#ports.changed();
  }
}

function questionText(description: string | undefined, cwd: string | undefined, verdict: Verdict): string {
  const reasons = verdict.reasons.map(
    ({ message, hint }) => `- ${displayLine(message)}${hint === undefined ? "" : ` (${hint})`}`,
  );
  return [
    "The model wants to run:",
    "",
    ...verdict.display.split("\n").map((line) => `  ${line}`),
    "",
    ...(cwd === undefined ? [] : [`in ${displayText(cwd)}`]),
    ...(description === undefined ? [] : [`It says: ${displayText(description)}`]),
    ...reasons,
  ].join("\n");
}
