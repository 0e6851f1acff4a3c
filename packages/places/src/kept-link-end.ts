/**
 * How a link that comes back ends after all: which ends of a connection are cuts, and what is said where it did not come back.
 */
import type { LinkEnd } from "./link-end.ts";
import { PlaceError } from "./place-error.ts";

/** Whether a connection can be made again after this end. */
export function mayComeBack({ kind, bye, isBroken }: LinkEnd): boolean {
  if (kind === "closed" || isBroken === true) return false;
  // `closed`: what carries the streams has ended the one that goes there.
  return bye === undefined || bye.reason === "lease" || bye.reason === "closed";
}

/** Whether the far side has ended everything by itself. */
export function hasEndedAll(end: LinkEnd | undefined): boolean {
  return end?.bye?.reason === "terminated";
}

/** What is known where a link did not come back. */
export interface Absence {
  readonly place: string;
  /** The `pi-host` that was kept. */
  readonly instance: string;
  /** Time for which it was, and for which the link was away, in milliseconds. */
  readonly keepMs: number;
  readonly awayMs: number;
  /** No later try could work; otherwise the time was over. */
  readonly isRefused: boolean;
  /** What the last try failed with. */
  readonly error: unknown;
  /** Why the connection was cut. */
  readonly cutReason: string;
  /** Why `pi-host` is gone, as a whole sentence, where more is known than that it is. */
  whyGone(): Promise<string | undefined>;
}

/** The end of a link that did not come back. */
export async function endOf(absence: Absence): Promise<LinkEnd> {
  const { place, instance, keepMs, awayMs, isRefused, cutReason } = absence;
  const error = absence.error instanceof PlaceError ? absence.error : undefined;
  const reason = error?.message ?? String(absence.error);
  const seconds = keepMs / 1_000;
  const isGone = error?.code === "PI_PLACE_LOST";
  if (!isRefused || (isGone && awayMs >= keepMs)) {
    const text = `The connection to ${place} was away for longer than ${seconds} s; ${place} ends the command by itself.`;
    return { kind: "cut", reason: `it was away for longer than ${seconds} s (${reason})`, text };
  }
  if (isGone) {
    const why =
      (await absence.whyGone()) ??
      `The connection to ${place} was cut (${cutReason}), and pi-host there has ended since, with everything that it ran.`;
    return { kind: "cut", reason, text: `${why} The command did not finish, and the state of its session is lost.` };
  }
  const sooner = error?.code === "PI_PLACE_VERSION" ? ` Sooner: \`pi-host end ${instance}\` there.` : "";
  const text = `The connection to ${place} was cut and cannot be made again: ${reason}. ${place} ends the command by itself within ${seconds} s.${sooner}`;
  return { kind: "cut", reason, text, ...(error === undefined ? {} : { error }) };
}
