/**
 * A call whose arguments and details no one has checked: as a model wrote them, or as they were read from a history. Each
 * is taken where it is what it should be.
 */
import { BashDetails, type TextContent } from "@pi-bash/contract";
import { type CallState, callState } from "./call-state.ts";
import { partialObject } from "./partial-json.ts";

/** What is known of a call. */
export interface UncheckedCall {
  /** The arguments, once they are complete; no one needs to have checked them. */
  readonly args?: Arguments | undefined;
  /** The arguments' JSON as far as it was streamed, while it is. */
  readonly argsText?: string | undefined;
  /** Handed to the tool. Default: there are arguments. */
  readonly isStarted?: boolean | undefined;
}

/** What a host knows of a call's answer: a result, an update, or an error's message as content. */
export interface UncheckedAnswer {
  readonly content: readonly TextContent[];
  /** As the tool gave it, or as it was read from a history. */
  readonly details?: unknown;
  readonly isError?: boolean | undefined;
  /** An update of a call that goes on. */
  readonly isPartial?: boolean | undefined;
}

/** Arguments by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Ids that are named one by one. */
const MAX_NAMED = 8;

/** The arguments, as far as they are known. */
export function argumentsOf({ args, argsText }: UncheckedCall): Arguments {
  return args ?? (argsText === undefined ? {} : partialObject(argsText));
}

/** The state of a call, by the facts that any tool's details can have. */
export function uncheckedState(call: UncheckedCall, answer: UncheckedAnswer | undefined): CallState {
  const isStarted = call.isStarted ?? call.args !== undefined;
  if (answer === undefined) return callState(undefined, isStarted);
  return callState({ ...answer, details: bashDetailsOf(answer) }, isStarted);
}

/** The details as those of the bash tool; undefined where they are something else. */
export function bashDetailsOf({ details }: UncheckedAnswer): BashDetails | undefined {
  const parsed = BashDetails.safeParse(details);
  return parsed.success ? parsed.data : undefined;
}

/** A text, if it is one. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The texts of a list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Ids in a line: the first eight, and how many more there are. */
export function namedIds(ids: readonly string[]): string {
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : "";
  return `${ids.slice(0, MAX_NAMED).join(", ")}${more}`;
}
