/**
 * What can hold a call that is allowed because it only reads, and how such a call is held.
 *
 * The kernel holds what the executor runs. A client's terminal and a person's console run commands elsewhere, and so do
 * systems that cannot confine one: there the strict half of the policy's tables decides, or the question, by the setting
 * `readOnly.enforce`. See docs/read-only.md.
 */
import type { ReadOnlyEnforced, Settings } from "@pi-bash/contract";
import type { ReadingGrade, ReadOnlyHold, ReadOnlyRun } from "@pi-bash/policy";
import { hasOwnFolders } from "@pi-bash/policy/internal";
import type { BashToolSession } from "../session.ts";

/** How a call is held that reading alone allowed. */
export type CallReading =
  /** It runs confined. */
  | { readonly kind: "confined" }
  /** Nothing confines it here. */
  | { readonly kind: "unheld"; readonly reason: string }
  /** It ran confined, was refused something, and was approved: it runs again, as any other. */
  | { readonly kind: "approved"; readonly first: ReadOnlyEnforced };

/** What there is to hold a call. */
export interface CallHold {
  readonly hold: ReadOnlyHold;
  /** How the call is held, by what the policy says of it. */
  readingOf(run: ReadOnlyRun | undefined): CallReading | undefined;
}

/** A call, as far as it decides where it runs. */
interface PlacedCall {
  readonly isAsync: boolean;
  readonly wantsPty: boolean;
  readonly isTerminal?: boolean;
}

/** What can hold a call whose line has that grade. The executor is asked only where the line needs it. */
export async function holdOf(
  call: PlacedCall,
  grade: ReadingGrade | undefined,
  { session, settings }: { session: BashToolSession; settings: Settings },
): Promise<CallHold> {
  // What is typed to it later may do anything.
  if (call.isTerminal === true) return { hold: "none", readingOf: () => undefined };
  const enforce = settings["readOnly.enforce"];
  if (enforce === "off") return { hold: "tables", readingOf: () => undefined };
  const kernel: CallHold = {
    hold: "kernel",
    readingOf: (run) => (run === "confined" ? { kind: "confined" } : undefined),
  };
  if (grade === undefined || grade === "session") return kernel;
  const reason = await whyUnheld(call, session);
  if (reason === undefined) return kernel;
  // By such a path the names of the tables may be programs of the project: none of them is known to read.
  const { PATH = "" } = session.executor.environment().env;
  return {
    hold: enforce === "required" || hasOwnFolders(PATH, session.cwd) ? "none" : "strict",
    readingOf: (run) => (run === "unheld" ? { kind: "unheld", reason } : undefined),
  };
}

/** Why nothing can confine a call; undefined: the kernel can. */
async function whyUnheld({ isAsync, wantsPty }: PlacedCall, session: BashToolSession): Promise<string | undefined> {
  const { executor } = session;
  if (!isAsync && executor.sandbox === undefined) {
    if (wantsPty && session.pty !== undefined) return "a console runs it";
    const bridge = session.getClientBridge?.();
    const isClients = bridge?.capabilities.terminal === true && bridge.createTerminal !== undefined;
    if (isClients && !wantsPty) return "the client's terminal runs it";
  }
  const found = await executor.confinement(session.getSessionId?.());
  return found.available ? undefined : found.reason;
}
