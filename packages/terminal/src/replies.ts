/**
 * Answers that `@xterm/headless` leaves to a window: colours and sizes in pixels. Status, cursor, modes and device
 * attributes it answers itself.
 *
 * Programs ask at their start and wait, some for seconds, to choose colours for a light or a dark background.
 */
import type { Terminal } from "@xterm/headless";

/** The usual colours of a dark terminal, as `XParseColor` writes them. */
const FOREGROUND = "rgb:e5e5/e5e5/e5e5";
const BACKGROUND = "rgb:0000/0000/0000";

/** Pixels of a cell. No one draws here; they only have to agree with each other. */
const CELL = { width: 8, height: 16 } as const;

/** Operating system commands of the dynamic colours, with the answer to `?`. */
const COLOURS = [
  [10, FOREGROUND],
  [11, BACKGROUND],
  [12, FOREGROUND],
] as const;

/** Adds the answers to a terminal. */
export function registerReplies(terminal: Terminal, reply: (text: string) => void): void {
  for (const [command, colour] of COLOURS) {
    terminal.parser.registerOscHandler(command, (data) => {
      if (data !== "?") return false;
      reply(`\u001b]${command};${colour}\u001b\\`);
      return true;
    });
  }
  terminal.parser.registerOscHandler(4, (data) => {
    const asked = [...data.matchAll(/(\d+);\?/g)].map(([, index]) => Number(index)).filter((index) => index < 256);
    for (const index of asked) reply(`\u001b]4;${index};${paletteColour(index)}\u001b\\`);
    return asked.length > 0;
  });
  terminal.parser.registerCsiHandler({ final: "t" }, ([operation]) => {
    const { cols, rows } = terminal;
    const answers: Readonly<Record<number, string>> = {
      14: `4;${rows * CELL.height};${cols * CELL.width}`,
      16: `6;${CELL.height};${CELL.width}`,
      18: `8;${rows};${cols}`,
    };
    const answer = typeof operation === "number" ? answers[operation] : undefined;
    if (answer !== undefined) reply(`\u001b[${answer}t`);
    // Moving, raising and naming windows, and telling their names: there is no window.
    return true;
  });
}

/** The levels of the colour cube of 6 × 6 × 6, and of the first 16 colours as the system's names have them. */
const CUBE = [0x00, 0x5f, 0x87, 0xaf, 0xd7, 0xff];

function paletteColour(index: number): string {
  const [red, green, blue] = paletteLevels(index).map((level) => level.toString(16).padStart(2, "0").repeat(2));
  return `rgb:${red}/${green}/${blue}`;
}

function paletteLevels(index: number): number[] {
  if (index >= 232) return Array.from({ length: 3 }, () => 8 + (index - 232) * 10);
  if (index >= 16) {
    const cell = index - 16;
    return [Math.floor(cell / 36), Math.floor(cell / 6) % 6, cell % 6].map((level) => CUBE[level] ?? 0);
  }
  const lit = index >= 8 ? 0xff : 0xcd;
  return [index & 1, index & 2, index & 4].map((bit) => (bit ? lit : index === 8 ? 0x7f : 0));
}
