/**
 * Where a call stands, read from its result's facts. Everything that is drawn differently by state asks here.
 */
import type { BashDetails, TextContent } from "@pi-bash/contract";
import type { Run } from "./text/styled.ts";
import type { Colours, Role } from "./theme.ts";

/** The states a person can distinguish. */
export type CallState =
  | "pending"
  | "running"
  | "partial"
  | "success"
  | "left running"
  | "failed"
  | "timed out"
  | "cancelled"
  | "backgrounded"
  | "blocked";

/** What a host knows of a call's answer: a result, an update, or an error's message as content. */
export interface CallAnswer {
  readonly content: readonly TextContent[];
  readonly details?: BashDetails | undefined;
  readonly isError?: boolean | undefined;
  /** An update of a call that goes on. */
  readonly isPartial?: boolean | undefined;
}

/** The state of a call. `isStarted`: its arguments are complete and it was handed to the tool. */
export function callState(answer: CallAnswer | undefined, isStarted: boolean): CallState {
  if (answer === undefined) return isStarted ? "running" : "pending";
  const { details, isError, isPartial } = answer;
  if (details?.refusal !== undefined || details?.suggestedTool !== undefined) return "blocked";
  if (details?.async?.state === "running") return "backgrounded";
  if (isPartial) return "partial";
  if (details?.stopped === "deadline") return "timed out";
  if (details?.stopped === "cancelled") return "cancelled";
  if (isError) return "failed";
  return details?.survivors !== undefined && details.survivors.length > 0 ? "left running" : "success";
}

/** A mark for each state: distinguished without colour, too. */
export const STATE_MARKS: Readonly<Record<CallState, string>> = {
  pending: "·",
  running: "▸",
  partial: "▸",
  success: "✓",
  "left running": "↗",
  failed: "✗",
  "timed out": "◷",
  cancelled: "■",
  backgrounded: "↗",
  blocked: "⊘",
};

const STATE_ROLES: Readonly<Record<CallState, Role>> = {
  pending: "dim",
  running: "running",
  partial: "running",
  success: "success",
  "left running": "warning",
  failed: "error",
  "timed out": "warning",
  cancelled: "warning",
  backgrounded: "accent",
  blocked: "error",
};

/** The mark of a state in its colour, with a blank behind it. */
export function stateMark(state: CallState, colours: Colours): Run {
  return { text: `${STATE_MARKS[state]} `, style: colours[STATE_ROLES[state]] };
}
