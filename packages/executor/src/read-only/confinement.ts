/**
 * Whether commands can run read-only here, and the error of a command that would have to and cannot.
 *
 * What the system says it has is not a proof. So a shell of its own runs nothing, read-only, before the first command is
 * decided about: there the core tries what must fail. Then it is known whom the policy may rely on.
 */
import type { NativesPort, SessionOptions } from "../natives-port.ts";

/** Whether the kernel can hold a command that only reads. */
export type Confinement =
  /** It can, apart from what `degraded` names (`signal`, before Linux 6.12). */
  | { readonly available: true; readonly degraded: readonly string[] }
  | { readonly available: false; readonly reason: string };

/** Stable code of the error. */
const READ_ONLY_UNAVAILABLE = "PI_READ_ONLY_UNAVAILABLE";

/** A command was to run read-only and cannot. It did not run. */
export class ReadOnlyUnavailableError extends Error {
  readonly code = READ_ONLY_UNAVAILABLE;
  readonly reason: string;

  constructor(reason: string) {
    super(`the command cannot run read-only: ${reason}`);
    this.name = "ReadOnlyUnavailableError";
    this.reason = reason;
  }
}

/** Most time that the proof may take, in milliseconds; it takes some tens, and a shell that hangs proves nothing. */
const PROOF_TIMEOUT_MS = 20_000;

/** What the system says, without a proof. */
function claimedConfinement(natives: Pick<NativesPort, "capabilities">): Confinement {
  const { readOnly, clone } = natives.capabilities();
  if (readOnly === undefined || !clone) return { available: false, reason: "this backend cannot confine a command" };
  if (readOnly.available) return { available: true, degraded: readOnly.degraded };
  return { available: false, reason: readOnly.reason ?? "this system cannot confine a command" };
}

/** What the system has, proven once; a command that could not run read-only takes it back. */
export class ConfinementProof {
  readonly #place: () => Promise<ProofPlace>;
  #found: Promise<Confinement> | undefined;

  /** `place`: where a shell for the proof starts. */
  constructor(place: () => Promise<ProofPlace>) {
    this.#place = place;
  }

  /** Never rejects: a shell that does not start confines nothing. */
  found(): Promise<Confinement> {
    this.#found ??= this.#place()
      .then(prove)
      .catch((error: unknown) => {
        // Another try may start a shell.
        this.#found = undefined;
        return { available: false, reason: error instanceof Error ? error.message : String(error) };
      });
    return this.#found;
  }

  /** To be called with what a command was rejected with, which is thrown again. */
  rejected(error: unknown): never {
    const reason = unavailableReason(error);
    if (reason !== undefined) this.#found = Promise.resolve({ available: false, reason });
    throw error;
  }

  /** Resolves when no proof is under way. */
  async settled(): Promise<void> {
    await this.#found;
  }
}

/** What a proof runs on. */
export interface ProofPlace {
  readonly natives: NativesPort;
  readonly session: SessionOptions;
}

async function prove({ natives, session }: ProofPlace): Promise<Confinement> {
  const claimed = claimedConfinement(natives);
  if (!claimed.available) return claimed;
  const shell = new natives.Shell(session);
  try {
    const { readOnly, exitCode } = await shell.run({ command: ":", readOnly: true, timeoutMs: PROOF_TIMEOUT_MS });
    if (readOnly === undefined || exitCode !== 0) return { available: false, reason: "the proof did not end" };
    return { available: true, degraded: readOnly.degraded };
  } catch (error) {
    const reason = unavailableReason(error);
    if (reason === undefined) throw error;
    return { available: false, reason };
  } finally {
    await shell.close();
  }
}

/** Throws where the system does not even claim that it can confine a command. */
export function checkClaim(natives: Pick<NativesPort, "capabilities">): void {
  const claimed = claimedConfinement(natives);
  if (!claimed.available) throw new ReadOnlyUnavailableError(claimed.reason);
}

function unavailableReason(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== READ_ONLY_UNAVAILABLE) return undefined;
  return "reason" in error && typeof error.reason === "string" ? error.reason : error.message;
}
