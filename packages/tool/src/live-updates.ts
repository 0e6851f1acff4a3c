/**
 * Looks at a call under way: each update replaces the one before and shows the newest tail of the output.
 *
 * How often they come is decided where the output is read (every 50 ms, see `@pi-bash/executor`). A listener that
 * throws is called no more; the command is not to pay for it.
 */
import type { BashDetails, BashToolUpdate } from "@pi-bash/contract";
import { guardListener, warnAboutListener } from "@pi-bash/executor";

/** Told of the newest end of a call's output while it runs. */
export type UpdateListener = (update: BashToolUpdate) => unknown;

export interface LiveUpdates {
  /** Text; undefined: there is nothing to show yet. */
  show(text: string | undefined, details?: BashDetails): void;
}

/** Updates for a listener; for none, they go nowhere. */
export function liveUpdates(listener: UpdateListener | undefined): LiveUpdates {
  const tell = guardListener(listener, warnAboutListener("updates"));
  return {
    show: (text, details = {}) => tell({ content: text === undefined ? [] : [{ type: "text", text }], details }),
  };
}
