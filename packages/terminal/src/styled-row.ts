/**
 * A row of the screen as runs of text with their colours and attributes, as SGR parameters (ECMA-48 8.3.117).
 */
import type { IBufferCell, IBufferLine } from "@xterm/headless";

/** Text in one style. */
export interface StyledText {
  readonly text: string;
  /** E.g. `1;38;5;208`; empty for none. */
  readonly style: string;
}

/** The runs of a row, without unstyled blanks at its end. */
export function styledRow(line: IBufferLine | undefined, columns: number): StyledText[] {
  const runs: { text: string; style: string }[] = [];
  for (let column = 0; line !== undefined && column < columns; column += 1) {
    const cell = line.getCell(column);
    // The second half of a wide character.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const text = cell.isInvisible() ? " ".repeat(cell.getWidth()) : cell.getChars() || " ";
    const style = styleOf(cell);
    const last = runs.at(-1);
    if (last?.style === style) last.text += text;
    else runs.push({ text, style });
  }
  const last = runs.at(-1);
  if (last?.style === "") last.text = last.text.trimEnd();
  return runs.filter(({ text }) => text !== "");
}

function styleOf(cell: IBufferCell): string {
  const flags: [number, string][] = [
    [cell.isBold(), "1"],
    [cell.isDim(), "2"],
    [cell.isItalic(), "3"],
    [cell.isUnderline(), "4"],
    [cell.isInverse(), "7"],
    [cell.isStrikethrough(), "9"],
  ];
  const attributes = flags.filter(([isOn]) => isOn !== 0).map(([, parameter]) => parameter);
  const foreground = cell.isFgRGB()
    ? rgb(38, cell.getFgColor())
    : cell.isFgPalette()
      ? palette(38, cell.getFgColor())
      : "";
  const background = cell.isBgRGB()
    ? rgb(48, cell.getBgColor())
    : cell.isBgPalette()
      ? palette(48, cell.getBgColor())
      : "";
  return [...attributes, foreground, background].filter((part) => part !== "").join(";");
}

/** The sixteen colours by their short names, which a person's own palette may change. */
function palette(which: 38 | 48, color: number): string {
  const first = which - 8;
  if (color < 8) return String(first + color);
  return color < 16 ? String(first + 60 + color - 8) : `${which};5;${color}`;
}

function rgb(which: 38 | 48, color: number): string {
  return `${which};2;${(color >> 16) & 255};${(color >> 8) & 255};${color & 255}`;
}
