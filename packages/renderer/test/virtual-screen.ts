/** A terminal without a window for terminal libraries: what they write is on its screen, what is typed goes to them. */
import type { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { Terminal } from "@earendil-works/pi-tui";
import { VirtualTerminal } from "@pi-bash/terminal";
import { onTestFinished } from "vitest";

/** Longest wait for something to be on a screen, in milliseconds. */
const PATIENCE_MS = 20_000;

/** A screen of some size, and everything that was written to it. */
export class VirtualScreen {
  readonly #terminal: VirtualTerminal;
  cols: number;
  rows: number;
  /** All bytes, in order. */
  written = "";

  constructor(cols: number, rows: number) {
    this.cols = cols;
    this.rows = rows;
    this.#terminal = new VirtualTerminal({ cols, rows, scrollback: 0 });
    onTestFinished(() => this.#terminal.dispose());
  }

  write(data: string): void {
    this.written += data;
    void this.#terminal.write(data);
  }

  resize(cols: number, rows: number): void {
    this.cols = cols;
    this.rows = rows;
    this.#terminal.resize(cols, rows);
  }

  /** The rows, without blanks at their ends. */
  async screen(): Promise<string[]> {
    await this.#terminal.settled();
    return this.#terminal.screen().map((row) => row.trimEnd());
  }

  /** Waits until a text is on the screen, or is not any more. */
  async shows(text: string, isThere = true): Promise<string[]> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const rows = await this.screen();
      if (rows.join("\n").includes(text) === isThere) return rows;
      if (Date.now() > deadline)
        throw new Error(`\`${text}\` is ${isThere ? "not" : "still"} on the screen:\n${rows.join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** The screen as pi-tui wants a terminal, with what a person does at it. */
export function piTuiTerminal(screen: VirtualScreen): Terminal & { type(keys: string): void; resized(): void } {
  let input: (data: string) => void = () => undefined;
  let onResize: () => void = () => undefined;
  return {
    start: (onInput, resized) => {
      input = onInput;
      onResize = resized;
    },
    stop: () => undefined,
    drainInput: async () => undefined,
    write: (data) => screen.write(data),
    get columns() {
      return screen.cols;
    },
    get rows() {
      return screen.rows;
    },
    kittyProtocolActive: false,
    moveBy: (lines) => screen.write(lines === 0 ? "" : `\x1b[${Math.abs(lines)}${lines > 0 ? "B" : "A"}`),
    hideCursor: () => screen.write("\x1b[?25l"),
    showCursor: () => screen.write("\x1b[?25h"),
    clearLine: () => screen.write("\x1b[K"),
    clearFromCursor: () => screen.write("\x1b[J"),
    clearScreen: () => screen.write("\x1b[2J\x1b[H"),
    setTitle: () => undefined,
    setProgress: () => undefined,
    type: (keys) => input(keys),
    resized: () => onResize(),
  };
}

/** The screen as the streams that Ink wants. */
export function inkStreams(screen: VirtualScreen) {
  const output = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      // A terminal in raw mode still turns line feeds into new lines.
      screen.write(String(chunk).replaceAll("\n", "\r\n"));
      done();
    },
  });
  const size = { isTTY: true, get: (name: "cols" | "rows") => screen[name] };
  const stdout = Object.defineProperties(output, {
    isTTY: { value: size.isTTY },
    columns: { get: () => size.get("cols") },
    rows: { get: () => size.get("rows") },
  }) as unknown as NodeJS.WriteStream;
  const keyboard = new PassThrough();
  const stdin = Object.assign(keyboard, {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  }) as unknown as NodeJS.ReadStream;
  return {
    stdout,
    stdin,
    type: (keys: string) => void keyboard.write(keys),
    resized: () => void (stdout as unknown as EventEmitter).emit("resize"),
  };
}
