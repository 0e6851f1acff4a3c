/**
 * The windows of programs in an app of Ink: opened by the console of `@pi-bash/executor`, drawn by `ConsoleScreen`.
 *
 * Outside of React, because a program is started by a tool and not by a component.
 */
import {
  BashConsoleOverlay,
  type ConsoleEnd,
  type ConsoleOverlayOptions,
  type ConsoleProgram,
} from "../console-overlay/overlay.ts";

/** How windows look. Their size is that of Ink's terminal. */
export type InkConsoleOptions = Omit<ConsoleOverlayOptions, "width" | "rows">;

/** What the console of `@pi-bash/executor` wants to know of a window. */
export interface InkConsoleView {
  /** Size of the program's terminal when it opens, in cells. */
  readonly cols: number;
  readonly rows: number;
  readonly answersQueries: true;
  /** Takes the raw output. The promise holds the program back. */
  onData(chunk: string): Promise<void>;
  /** The program has ended: the window closes. */
  onEnd(end: ConsoleEnd): void;
}

/** Windows on programs, the newest on top. */
export class ConsoleWindows {
  readonly #options: InkConsoleOptions;
  readonly #listeners = new Set<() => void>();
  #open: readonly BashConsoleOverlay[] = [];
  #size = { width: 80, rows: 24 };
  #version = 0;

  constructor(options: InkConsoleOptions = {}) {
    this.#options = options;
  }

  /** Opens a window on a program: hand it to `createConsole({ openView })` as it is. */
  readonly openView = (controls: ConsoleProgram & { readonly command: string }): InkConsoleView => {
    const window = new BashConsoleOverlay(controls.command, controls, { ...this.#options, ...this.#size });
    this.#open = [...this.#open, window];
    this.#changed();
    return {
      ...window.size,
      answersQueries: true,
      onData: async (chunk) => {
        await window.write(chunk);
        this.#changed();
      },
      onEnd: (end) => {
        window.finish(end);
        this.#open = this.#open.filter((other) => other !== window);
        window.dispose();
        this.#changed();
      },
    };
  };

  /** Whether there is a window, which then has the keys. */
  readonly isOpen = (): boolean => this.#open.length > 0;

  /** The window on top. */
  get top(): BashConsoleOverlay | undefined {
    return this.#open.at(-1);
  }

  /** Ink's terminal has another size, in cells. */
  resize(width: number, rows: number): void {
    if (width === this.#size.width && rows === this.#size.rows) return;
    this.#size = { width, rows };
    for (const window of this.#open) window.resize(width, rows);
    this.#changed();
  }

  /** Calls `listener` after each change; returns what ends that. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Another number after each change. */
  readonly version = (): number => this.#version;

  #changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
