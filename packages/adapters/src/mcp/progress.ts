/**
 * Progress notifications of one call: the newest end of its output, and a sign of life while it writes nothing.
 *
 * Only for a client that asked (a progress token). One notification is under way at a time and the newest look waits
 * for it, so that a slow client slows nothing down and nothing piles up.
 */

import type { ServerContext } from "@modelcontextprotocol/server";
import type { BashToolUpdate } from "@pi-bash/contract";
import { tailUnits } from "@pi-bash/contract/internal/text";
import { textOf } from "../answer.ts";

/** Most of a message, in UTF-16 units: a client shows a line or some, and each look is sent again. */
const MAX_MESSAGE_CHARS = 2_000;

export interface CallProgress {
  /** Tells of an update. */
  show(update: BashToolUpdate): void;
  /** Nothing is reported after this: an answer ends the progress. */
  end(): void;
}

/** Progress for the client of this request; for one that did not ask, it goes nowhere. */
export function openProgress(request: ServerContext["mcpReq"], keepAliveMs: number): CallProgress {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return { show: () => undefined, end: () => undefined };
  let progress = 0;
  let isOver = false;
  let isUnderWay = false;
  /** What to tell next; undefined: nothing new. */
  let next: { message?: string } | undefined;

  const send = async (): Promise<void> => {
    if (isUnderWay) return;
    isUnderWay = true;
    try {
      while (next !== undefined && !isOver) {
        const update = next;
        next = undefined;
        progress += 1;
        timer.refresh();
        await request.notify({ method: "notifications/progress", params: { progressToken, progress, ...update } });
      }
    } catch {
      // The client is gone, or reads no more. The call itself is reported by its signal.
      isOver = true;
    } finally {
      isUnderWay = false;
    }
  };
  const tell = (update: { message?: string }): void => {
    if (isOver) return;
    next = update;
    void send();
  };
  const timer = setInterval(() => tell(next ?? {}), keepAliveMs);
  timer.unref();
  return {
    show: (update) => {
      const text = textOf(update);
      if (text !== "") tell({ message: tailUnits(text, MAX_MESSAGE_CHARS) });
    },
    end: () => {
      isOver = true;
      clearInterval(timer);
    },
  };
}
