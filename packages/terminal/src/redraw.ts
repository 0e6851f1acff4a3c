/**
 * A screen as the sequences that draw it again: for someone who begins to look at a terminal that runs.
 *
 * The modes are those of xterm's "DEC Private Mode Set" (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html).
 */
import type { IModes } from "@xterm/headless";
import type { StyledText } from "./styled-row.ts";

const CSI = "\u001b[";

/** Numbers of the modes by which a program asks for the mouse. */
const MOUSE_MODES: Readonly<Record<IModes["mouseTrackingMode"], number | undefined>> = {
  none: undefined,
  x10: 9,
  vt200: 1000,
  drag: 1002,
  any: 1003,
};

/** Sets what differs from a terminal that was just made. */
export function modeSequences(modes: IModes, isAlternate: boolean): string {
  const on = [
    isAlternate ? 1049 : undefined,
    modes.applicationCursorKeysMode ? 1 : undefined,
    modes.bracketedPasteMode ? 2004 : undefined,
    modes.sendFocusMode ? 1004 : undefined,
    MOUSE_MODES[modes.mouseTrackingMode],
  ];
  const keypad = modes.applicationKeypadMode ? "\u001b=" : "";
  return `${keypad}${on.map((mode) => (mode === undefined ? "" : `${CSI}?${mode}h`)).join("")}`;
}

/** Draws rows from the top left of an erased screen, and puts the cursor in its place. */
export function drawing(rows: readonly StyledText[][], { row, column }: { row: number; column: number }): string {
  const drawn = rows
    .map((runs) => runs.map(({ text, style }) => `${CSI}0;${style}m${text}`).join(""))
    .map((text, at) => `${CSI}${at + 1};1H${text}`);
  return `${CSI}0m${CSI}H${CSI}2J${drawn.join("")}${CSI}0m${CSI}${row + 1};${column + 1}H`;
}
