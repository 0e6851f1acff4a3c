/**
 * Plays a record on the person's terminal: its screen is drawn as a window's is, so that nothing of what was recorded
 * reaches the terminal itself.
 *
 * # Theory of operation
 * A virtual terminal of the recorded size takes the events when their time has come. What of its screen there is room for is
 * drawn 30 times a second at most, above a line with the time, the newest marker and the keys. Pausing stops the clock.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Theme } from "@pi-bash/renderer";
import { type ConsoleInput, clip, decodeInput, rowText, screenRow, visible } from "@pi-bash/renderer/internal";
import { VirtualTerminal } from "@pi-bash/terminal";
import { type CastEvent, castSize } from "@pi-bash/terminal/internal";
import type { Screen } from "../console/screen.ts";
import type { CastFile } from "./cast-file.ts";

/** Least time between two pictures, in milliseconds: 30 a second. */
const FRAME_MS = 33;
/** Longest step of the clock, in seconds: it is seen to go. */
const STEP_SECONDS = 0.25;
/** Lines above the screen that are kept for the text at the end. */
const SCROLLBACK_LINES = 10_000;

/** How fast. */
export interface Pace {
  /** Recorded seconds in one second. */
  readonly speed: number;
  /** Longest pause between two events, in recorded seconds; undefined: as long as it was. */
  readonly idleLimit: number | undefined;
}

/** The screen of a record, as far as it was played. */
class PlayedScreen {
  readonly terminal: VirtualTerminal;
  /** The newest marker. */
  marker = "";

  constructor({ width, height }: CastFile["header"]) {
    this.terminal = new VirtualTerminal({ cols: width, rows: height, scrollback: SCROLLBACK_LINES });
  }

  /** Takes an event. Codes of newer forms are passed over. */
  async take({ code, data }: CastEvent): Promise<void> {
    if (code === "o") await this.terminal.write(data);
    else if (code === "m") this.marker = data;
    else if (code === "r") {
      const size = castSize(data);
      if (size !== undefined) this.terminal.resize(size.cols, size.rows);
    }
  }
}

/** The scrollback and the last screen, as text. Rejects as the events do. */
export async function lastScreen(file: CastFile): Promise<string> {
  const played = new PlayedScreen(file.header);
  try {
    for await (const event of file.events) await played.take(event);
    return played.terminal.text();
  } finally {
    played.terminal.dispose();
  }
}

/** Where and how it is played. */
export interface PlayerOptions {
  readonly screen: Screen;
  readonly theme: Theme;
  readonly pace: Pace;
}

export class Player {
  readonly #file: CastFile;
  readonly #options: PlayerOptions;
  readonly #played: PlayedScreen;
  readonly #left = new AbortController();
  /** Absent: it is not paused. */
  #paused: { readonly over: Promise<void>; readonly end: () => void } | undefined;
  /** Recorded seconds that are over. */
  #at = 0;
  #drawnAtMs = Number.NEGATIVE_INFINITY;

  constructor(file: CastFile, options: PlayerOptions) {
    this.#file = file;
    this.#options = options;
    this.#played = new PlayedScreen(file.header);
  }

  /** Plays to the end, or until the person leaves. What was on the screen then, as text. */
  async play(): Promise<string> {
    const { screen } = this.#options;
    screen.enterWhole();
    this.#draw();
    let before = 0;
    try {
      for await (const event of this.#file.events) {
        await this.#pass(event.seconds - before);
        if (this.#left.signal.aborted) break;
        before = Math.max(before, event.seconds);
        this.#at = before;
        await this.#played.take(event);
        if (performance.now() - this.#drawnAtMs >= FRAME_MS) this.#draw();
      }
      this.#draw();
      return this.#played.terminal.text();
    } finally {
      screen.leaveWhole();
      this.#played.terminal.dispose();
    }
  }

  /** Takes what the person's terminal sent. */
  take(keys: string): void {
    for (const input of decodeInput(keys, { applicationCursor: false })) this.#handle(input);
  }

  /** The person's terminal has another size. */
  resized(): void {
    this.#options.screen.resized();
    this.#draw();
  }

  /** The person leaves. */
  leave(): void {
    this.#left.abort();
    this.#paused?.end();
  }

  #handle(input: ConsoleInput): void {
    if (input.kind !== "key") return;
    if (input.data === " ") this.#pause();
    else if (input.data === "q" || LEAVING.has(input.name)) this.leave();
  }

  #pause(): void {
    if (this.#paused === undefined) {
      let end = (): void => undefined;
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      this.#paused = { over, end };
    } else {
      this.#paused.end();
      this.#paused = undefined;
    }
    this.#draw();
  }

  /** Lets recorded seconds pass, in steps. */
  async #pass(seconds: number): Promise<void> {
    const { speed, idleLimit = seconds } = this.#options.pace;
    const { signal } = this.#left;
    let left = Math.min(seconds, idleLimit) / speed;
    await this.#paused?.over;
    while (left > 0 && !signal.aborted) {
      const step = Math.min(left, STEP_SECONDS);
      await sleep(step * 1_000, undefined, { signal }).catch(() => undefined);
      left -= step;
      this.#at += step * speed;
      await this.#paused?.over;
      if (left > 0) this.#draw();
    }
  }

  #draw(): void {
    this.#drawnAtMs = performance.now();
    const { screen, theme, pace } = this.#options;
    const { width, height } = screen;
    const { terminal, marker } = this.#played;
    const rows = Math.max(0, height - 1);
    const { row: cursorRow, column } = terminal.cursor;
    // Where there is not room for all rows, those that end with the cursor's are shown.
    const first = Math.max(0, cursorRow - rows + 1);
    const styled = terminal.styledScreen();
    const shown = Array.from({ length: rows }, (_, at) => {
      const cursor = first + at === cursorRow && column < width ? column : undefined;
      const runs = screenRow(styled[first + at] ?? [], { width, cursor, hasColour: theme.hasColour });
      return rowText({ runs, width }, width);
    });
    const said = marker === "" ? "" : ` · ${marker}`;
    const keys = this.#paused === undefined ? "space pauses" : "paused, space goes on";
    const status = clip(visible(`${clock(this.#at)} · ${pace.speed}x${said} · ${keys} · q leaves`), width);
    screen.drawWhole([...shown, rowText({ runs: [{ text: status, style: theme.colours.dim }], width }, width)]);
  }
}

const LEAVING: ReadonlySet<string> = new Set(["escape", "ctrl+c", "ctrl+d"]);

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
