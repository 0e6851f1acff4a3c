/**
 * Looks at a call under way: each update replaces the one before and shows the newest tail of the output.
 *
 * How often they come is decided where the output is read (every 50 ms, see `@pi-bash/executor`). A listener that
 * throws is called no more; the command is not to pay for it.
 */
import type { BashDetails, BashToolUpdate } from "@pi-bash/contract";
import { guardListener, warnAboutListener } from "@pi-bash/executor/internal";

/** Notified of the newest end of a call's output while it runs. */
export type UpdateListener = (update: BashToolUpdate) => unknown;

export interface LiveUpdates {
  /** Text; undefined: there is nothing to show yet. */
  show(text: string | undefined, details?: BashDetails): void;
}

/**
 * A listener for one call: `end` is called when the call has settled, and nothing is reported after that, whatever goes on in
 * the background. Undefined stays undefined.
 */
export function untilSettled(listener: UpdateListener | undefined): {
  readonly listener: UpdateListener | undefined;
  end(): void;
} {
  if (listener === undefined) return { listener: undefined, end: () => undefined };
  let isOver = false;
  return {
    listener: (update) => (isOver ? undefined : listener(update)),
    end: () => {
      isOver = true;
    },
  };
}

/** Updates for a listener; for none, they go nowhere. */
export function liveUpdates(listener: UpdateListener | undefined): LiveUpdates {
  const tell = guardListener(listener, warnAboutListener("updates"));
  return {
    show: (text, details = {}) => tell({ content: text === undefined ? [] : [{ type: "text", text }], details }),
  };
}
