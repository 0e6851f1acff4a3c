/**
 * A person at a task's terminal, in the model's place.
 *
 * Nothing that a person types is logged or sent as an event. What they type while it is not shown is masked wherever it
 * comes back; what counts is whether it is shown when they press Enter or the key before.
 */
import { PTY_COLUMNS_RANGE } from "@pi-bash/contract/internal";
import type { VirtualTerminal } from "@pi-bash/terminal";
import type { PersonSeat } from "./terminal-port.ts";
import type { TerminalRun } from "./terminal-run.ts";

/** A person who types nothing for so long has gone, in milliseconds. */
const IDLE_MS = 10 * 60_000;

/** Longest line that is followed, in UTF-16 units. */
const MAX_LINE_UNITS = PTY_COLUMNS_RANGE.max * 16;

const ERASE = new Set(["\u007f", "\b"]);
const CLEAR = new Set(["\u0003", "\u0015"]);

interface SeatParts {
  readonly run: TerminalRun;
  readonly terminal: VirtualTerminal;
  /** Gives the terminal back to the model. */
  readonly free: () => void;
}

/** Opens a seat. */
export function openSeat({ run, terminal, free }: SeatParts): PersonSeat {
  let isOpen = true;
  let hidden = "";
  let timer: NodeJS.Timeout | undefined;
  const handBack = (): void => {
    if (!isOpen) return;
    isOpen = false;
    hidden = "";
    clearTimeout(timer);
    free();
  };
  const watch = (): void => {
    clearTimeout(timer);
    timer = setTimeout(handBack, IDLE_MS).unref();
  };
  const follow = (data: string): void => {
    for (const character of data) {
      if (character === "\r" || character === "\n") {
        run.needles.add(hidden);
        hidden = "";
      } else if (CLEAR.has(character)) hidden = "";
      else if (ERASE.has(character)) hidden = [...hidden].slice(0, -1).join("");
      else if (hidden.length < MAX_LINE_UNITS) hidden += character;
    }
  };
  watch();
  return {
    redraw: () => (isOpen ? terminal.redraw() : ""),
    write: (data) => {
      if (!isOpen) throw new Error("the terminal was handed back");
      watch();
      // A line that began unseen stays a secret to its end, whatever is known meanwhile.
      const isUnseen = run.isHidden || hidden !== "";
      if (isUnseen) follow(data);
      run.write(data, isUnseen ? "unseen" : "person");
    },
    resize: (cols, rows) => {
      if (!isOpen) throw new Error("the terminal was handed back");
      run.resize(cols, rows);
    },
    handBack,
  };
}
