/**
 * The console as an overlay of `@earendil-works/pi-tui`: the whole terminal for a program, until it ends.
 *
 * `openConsole` is what `createConsole({ openView })` of `@pi-bash/executor` calls; nothing of that package is imported.
 */
import type { Component, TUI, TuiMouseEvent, TuiMouseEventResult } from "@earendil-works/pi-tui";
import {
  BashConsoleOverlay,
  type ConsoleEnd,
  type ConsoleOverlayOptions,
  type ConsoleProgram,
} from "../console-overlay/overlay.ts";
import { FittedRows } from "./fitted-rows.ts";

/** What the console of `@pi-bash/executor` wants to know of a window. */
export interface ConsoleWindow {
  /** Size of the program's terminal when it opens, in cells. */
  readonly cols: number;
  readonly rows: number;
  readonly answersQueries: true;
  /** Takes the raw output. The promise holds the program back. */
  onData(chunk: string): Promise<void>;
  /** The program has ended: the window closes. */
  onEnd(end: ConsoleEnd): void;
}

/** Opens a window on a program over everything else, with the keys; it closes when the program has ended. */
export function openConsole(
  tui: TUI,
  controls: ConsoleProgram & { readonly command: string },
  options: Omit<ConsoleOverlayOptions, "width" | "rows"> = {},
): ConsoleWindow {
  const overlay = new ConsoleOverlay(tui, controls, options);
  const shown = tui.showOverlay(overlay, { anchor: "top-left", width: "100%", maxHeight: "100%" });
  return {
    ...overlay.size,
    answersQueries: true,
    onData: async (chunk) => {
      await overlay.write(chunk);
      tui.requestRender();
    },
    onEnd: (end) => {
      overlay.finish(end);
      shown.hide();
      overlay.dispose();
      tui.requestRender();
    },
  };
}

/** The window, as large as the terminal. */
class ConsoleOverlay implements Component {
  readonly #tui: TUI;
  readonly #window: BashConsoleOverlay;
  readonly #fitted = new FittedRows("cut");
  #width: number;
  #rows: number;

  constructor(
    tui: TUI,
    controls: ConsoleProgram & { readonly command: string },
    options: Omit<ConsoleOverlayOptions, "width" | "rows"> = {},
  ) {
    this.#tui = tui;
    this.#width = tui.terminal.columns;
    this.#rows = tui.terminal.rows;
    this.#window = new BashConsoleOverlay(controls.command, controls, {
      ...options,
      width: this.#width,
      rows: this.#rows,
    });
  }

  /** Size of the program's terminal, in cells. */
  get size(): { readonly cols: number; readonly rows: number } {
    return this.#window.size;
  }

  /** Takes what the program wrote. Resolves when it is on the window's screen. */
  write(data: string): Promise<void> {
    return this.#window.write(data);
  }

  /** The program has ended; the window shows its last screen and takes no more keys. */
  finish(end: ConsoleEnd): void {
    this.#window.finish(end);
  }

  /** The window's rows; a terminal that has another size now is passed on to the program. */
  render(width: number): string[] {
    const { rows } = this.#tui.terminal;
    if (width !== this.#width || rows !== this.#rows) {
      this.#width = width;
      this.#rows = rows;
      this.#window.resize(width, rows);
    }
    return this.#fitted.of(this.#window.render(), width);
  }

  /** Keys and pastes for the program; Esc (or the key that was chosen) ends it. */
  handleInput(data: string): void {
    this.#window.handleInput(data);
  }

  /** The mouse, where the TUI has it and the program asked for it. */
  handleMouse(event: TuiMouseEvent): TuiMouseEventResult | undefined {
    if (!this.#window.wantsMouse || event.type === "click") return undefined;
    this.#window.handleInput(mouseReport(event));
    return { handled: true };
  }

  /** Nothing is kept between renders. */
  invalidate(): void {
    // The window draws its screen again each time.
  }

  /** Frees the screen. */
  dispose(): void {
    this.#window.dispose();
  }
}

const BUTTONS = { left: 0, middle: 1, right: 2, none: 3 };
const MOVED = 32;
const WHEEL_UP = 64;
const WHEEL_DOWN = 65;

/** The event as a terminal reports it (XTerm Control Sequences, "Extended coordinates", SGR). */
function mouseReport({ type, button, x, y, shift, alt, ctrl, wheelDelta = 0 }: TuiMouseEvent): string {
  const held = (shift ? 4 : 0) + (alt ? 8 : 0) + (ctrl ? 16 : 0);
  const moved = type === "drag" || type === "move" ? MOVED : 0;
  const code = type === "wheel" ? (wheelDelta < 0 ? WHEEL_UP : WHEEL_DOWN) : BUTTONS[button] + moved;
  return `\x1b[<${code + held};${x + 1};${y + 1}${type === "release" ? "m" : "M"}`;
}
