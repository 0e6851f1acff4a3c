/**
 * The whole screen for a program on a terminal of its own: the window that the console of `@pi-bash/executor` opens, and
 * that of a task whose terminal a person takes.
 */
import type { ConsoleControls, ConsoleView, PtyEnd } from "@pi-bash/executor";
import { BashConsoleOverlay, type Theme } from "@pi-bash/renderer";
import type { Screen } from "./screen.ts";

/** Least time between two pictures, in milliseconds: 30 a second, also where timers are late. */
const FRAME_MS = 30;

/** What a window is made of. */
export interface ProgramWindowOptions {
  readonly screen: Screen;
  readonly theme: Theme;
  /** Esc is a key like any other, and ctrl+] ends the program. */
  readonly escapeToProgram: boolean;
  /** The program is a task's: its terminal answers what it asks, and ctrl+] hands it back instead of ending it. */
  readonly isTask?: boolean;
  /** Called once, when the screen is the session's again. */
  readonly closed: () => void;
}

export class ProgramWindow {
  readonly #screen: Screen;
  readonly #overlay: BashConsoleOverlay;
  readonly #closed: () => void;
  #timer: NodeJS.Timeout | undefined;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(
    controls: ConsoleControls,
    { screen, theme, escapeToProgram, isTask = false, closed }: ProgramWindowOptions,
  ) {
    this.#screen = screen;
    this.#closed = closed;
    this.#overlay = new BashConsoleOverlay(controls.command, controls, {
      theme,
      escapeToProgram,
      ...(isTask ? { killHint: "hands the terminal back", answersQueries: false } : {}),
      width: screen.width,
      rows: screen.height,
    });
    screen.enterWhole();
    this.#draw();
  }

  /** What the console is given. The window's terminal answers what programs ask. */
  get view(): ConsoleView {
    return {
      ...this.#overlay.size,
      answersQueries: true,
      onData: async (chunk: string) => {
        await this.#overlay.write(chunk);
        this.#timer ??= setTimeout(() => this.#draw(), Math.max(0, this.#drawnAt + FRAME_MS - performance.now()));
      },
      onEnd: (end: PtyEnd) => this.close(end),
    };
  }

  /** What the person's terminal sent. */
  take(keys: string): void {
    this.#overlay.handleInput(keys);
  }

  /** The person's terminal has another size. */
  resized(): void {
    this.#overlay.resize(this.#screen.width, this.#screen.height);
    this.#draw();
  }

  /** The program has ended: the screen is the session's again. */
  close(end: PtyEnd): void {
    if (this.#overlay.isOver) return;
    this.#overlay.finish(end);
    clearTimeout(this.#timer);
    this.#screen.leaveWhole();
    this.#overlay.dispose();
    this.#closed();
  }

  #draw(): void {
    this.#timer = undefined;
    if (this.#overlay.isOver) return;
    this.#drawnAt = performance.now();
    this.#screen.reportMouse(this.#overlay.wantsMouse);
    this.#screen.drawWhole(this.#overlay.render());
  }
}
