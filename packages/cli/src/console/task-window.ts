/**
 * A person of the console at the terminal of one of its tasks: the task's screen in a window, until it is handed back.
 */
import type { ConsoleControls, ConsoleView, PersonSeat, TaskTerminal } from "@pi-bash/executor";
import type { Theme } from "@pi-bash/renderer";
import { textRows } from "./blocks.ts";
import type { Work } from "./console-session.ts";

/** What the work of a person at a task needs. */
export interface TaskWindowOptions {
  readonly id: string;
  readonly terminal: TaskTerminal;
  readonly theme: Theme;
  /** Opens the window. It is closed when the work is over. */
  readonly open: (controls: ConsoleControls) => ConsoleView;
  /** Prints a line for the person. */
  readonly say: (text: string) => void;
}

/** Takes the terminal and gives it back when the person says so, goes away, or the program ends. */
export function taskWindow({ id, terminal, theme, open, say }: TaskWindowOptions): Work {
  return {
    live: { render: ({ width }) => textRows(`at ${id}`, width, theme, "running"), toggle: () => undefined },
    isKept: false,
    run: async (signal) => {
      let free = (): void => undefined;
      const over = new Promise<void>((resolve) => {
        free = resolve;
      });
      let view: ConsoleView = {};
      let seat: PersonSeat;
      try {
        seat = terminal.take({ onData: (chunk) => void view.onData?.(chunk), onEnd: () => free() });
      } catch (error) {
        say(`${id}: ${error instanceof Error ? error.message : String(error)}`);
        return;
      }
      const handBack = (): void => seat.handBack();
      signal.addEventListener("abort", handBack, { once: true });
      try {
        view = open({
          title: "Console",
          command: id,
          write: (data) => whileHeld(() => seat.write(data)),
          resize: (cols, rows) => void whileHeld(() => seat.resize(cols, rows)),
          kill: handBack,
        });
        const { cols, rows } = view;
        if (cols !== undefined && rows !== undefined) whileHeld(() => seat.resize(cols, rows));
        await view.onData?.(seat.redraw());
        await over;
      } finally {
        signal.removeEventListener("abort", handBack);
        handBack();
      }
      say(terminal.isOver ? `${id} has ended` : `handed ${id} back; it goes on`);
    },
  };
}

/** False where the program has ended, or takes no more. */
function whileHeld(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    // The seat's end, or the screen, says why.
    return false;
  }
}
