/**
 * How a link ended, and what is said of it.
 */
import type { ChildExit } from "./host-child.ts";
import { PlaceError } from "./place-error.ts";
import type { Bye } from "./wire/messages.ts";

/** How a link ended. */
export interface LinkEnd {
  /** `closed`: this side asked for it. */
  readonly kind: "closed" | "cut";
  /** What is known of the reason, as the end of a sentence. */
  readonly reason: string;
  /** The reason of the far side's `Bye`. */
  readonly bye?: Bye;
  /** The far side did not keep to the protocol. */
  readonly isBroken?: boolean;
  /** What is said of a command whose end is not known, as whole sentences, where more is known than `reason`. */
  readonly text?: string;
  /** What is thrown for what had not begun, where more is known than that the place cannot be reached. */
  readonly error?: PlaceError;
  /** The channel's first frame was never sent: nothing was begun over there. */
  readonly isUnsent?: boolean;
}

/** The lease of a link, and since when this host stood still, by its wall clock, where it did. */
export interface LeaseFacts {
  readonly leaseMs: number;
  readonly asleepSince: number | undefined;
}

/** What a lease that ran out means: a sentence without its subject. `what` was ended. */
export function leaseText(what: string, { leaseMs, asleepSince }: LeaseFacts): string {
  const said = `heard nothing for ${leaseMs / 1_000} s and ended ${what}`;
  if (asleepSince === undefined) return said;
  const at = new Date(asleepSince + leaseMs).toTimeString().slice(0, 8);
  return `${said} at about ${at} (this host was asleep)`;
}

/** What a `Bye` means, as the end of a sentence about the place. */
export function byeText({ reason, detail }: Bye, facts: LeaseFacts): string {
  const added = detail === undefined ? "" : ` (${detail})`;
  switch (reason) {
    case "lease":
      return `it ${leaseText("everything", facts)}`;
    case "terminated":
      return `pi-host was ended there${added}`;
    case "displaced":
      return `another connection took its place${added}`;
    default:
      return `pi-host ended the connection: ${reason}${added}`;
  }
}

/** Why a program that carried a link has ended: its last words, or else how. */
export function exitText({ code, signal }: ChildExit, words: string): string {
  if (words !== "") return words;
  return signal === null ? `it ended with status ${code ?? "?"}` : `${signal} ended it`;
}

/** The last line of a text that has one. */
export function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}

/** What is said of a command whose link is gone; `startedMs`: time since its start, where that was reported, in milliseconds. */
export function lostText(place: string, { reason, bye }: LinkEnd, startedMs: number | undefined): string {
  if (startedMs === undefined) {
    return `The connection to ${place} was cut before the start of the command was reported (${reason}). It may have run.`;
  }
  const cut = `The connection to ${place} was cut ${inSeconds(startedMs)} s into the command: ${reason}.`;
  const ended =
    bye === undefined
      ? "The place ends the command and everything it started by itself; that is not confirmed."
      : "The place ended the command and everything it started.";
  return `${cut} ${ended}`;
}

/** What is said beside the result of a command that its link was away from. */
export function absenceText(place: string, awayMs: number, leftOutBytes: number): string {
  const said = `The connection to ${place} was away for ${inSeconds(awayMs)} s; the command went on`;
  return leftOutBytes === 0 ? `${said}.` : `${said}, and ${leftOutBytes} bytes of its live output were left out.`;
}

function inSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}

/** What went wrong, for a caller that had not begun. */
export function unreachable(place: string, end: LinkEnd): PlaceError {
  if (end.error !== undefined) return end.error;
  return new PlaceError("PI_PLACE_UNREACHABLE", place, `${place} cannot be reached: ${end.reason}`);
}
