/**
 * What the policy says of the commands of `run`, and how each has to run by that.
 *
 * There is no one to ask. What is allowed because it only reads runs read-only where the kernel can hold it: not on a
 * terminal, and not where a command is given FIFOs for its input or its errors, which it opens by their paths. There the
 * strict half of the policy's tables decides.
 */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { READ_ONLY_ENV } from "@pi-bash/executor/internal";
import { capabilities } from "@pi-bash/natives";
import type { PlaceFacts } from "@pi-bash/places";
import type { Policy, ReadOnlyHold } from "@pi-bash/policy";
import type { RunArguments } from "./run-arguments.ts";

/** How a permitted command runs. */
export interface Permit {
  /** Variables that the decision rests on. */
  readonly env: Readonly<Record<string, string>>;
  /** It runs read-only. */
  readonly isConfined: boolean;
}

/** Key under which the policy remembers what the commands of one call did to their shell. */
const SESSION = "run";

/** Asks the policy about each command of a call. */
export class Permits {
  readonly #policy: Policy;
  readonly #asked: RunArguments;
  /** Where the commands run, when that is not this machine. */
  readonly #place: PlaceFacts | undefined;
  #hold: ReadOnlyHold;

  constructor(policy: Policy, asked: RunArguments, hasOwnStreams: boolean, place?: PlaceFacts) {
    this.#policy = policy;
    this.#asked = asked;
    this.#place = place;
    const { readOnly } = place?.capabilities ?? capabilities();
    this.#hold = !asked.pty && !hasOwnStreams && readOnly.available ? "kernel" : "strict";
  }

  /** Runs a command by `once` where it is permitted. Undefined: it is refused, which standard error says. */
  async run<Result>(
    command: string,
    isFirst: boolean,
    once: (permit: Permit) => Promise<Result>,
  ): Promise<Result | undefined> {
    const permit = await this.#permitOf(command, isFirst);
    if (permit === undefined) return undefined;
    if (!permit.isConfined) return once(permit);
    try {
      return await once(permit);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "PI_READ_ONLY_UNAVAILABLE")) throw error;
      // Nothing ran, and nothing will run confined here.
      this.#hold = "strict";
      return this.run(command, isFirst, once);
    }
  }

  async #permitOf(command: string, isFirst: boolean): Promise<Permit | undefined> {
    const asked = this.#asked;
    const workspace = resolve(this.#place?.cwd ?? ".", asked.cwd ?? ".");
    const answer = await this.#policy.authorize(
      {
        command,
        workspace,
        // Where earlier commands of a session went is not known here.
        ...(isFirst ? { cwd: workspace } : {}),
        home: this.#place === undefined ? homedir() : (this.#place.home ?? "/"),
        env: asked.env,
        allowUnasked: asked.allowUnasked,
        hold: this.#hold,
        ...(asked.mode === undefined ? {} : { mode: asked.mode }),
      },
      asked.session ? { sessionKey: SESSION } : {},
    );
    if (answer.behavior === "deny") {
      process.stderr.write(`pi-bash: ${answer.message ?? "refused"}\n`);
      return undefined;
    }
    if (asked.session) this.#policy.observe(command, SESSION);
    const isConfined = answer.verdict.reading === "confined";
    const { environment } = answer.verdict;
    return { env: isConfined ? { ...READ_ONLY_ENV, ...asked.env, ...environment } : environment, isConfined };
  }
}
