/**
 * The screen of a task's terminal as facts for a model: plain rows, the cursor, what is highlighted. Bounded, and without secrets.
 */
import type { TaskScreen } from "@pi-bash/contract";
import { displayLine, MAX_HIGHLIGHTED, MAX_PROMPT_CHARS, MAX_SCREEN_BYTES } from "@pi-bash/contract/internal";
import { clipped, headBytes } from "@pi-bash/contract/internal/text";
import type { VirtualTerminal } from "@pi-bash/terminal";

/** The screen as it stands; `mask` replaces secrets. */
export function screenOf(terminal: VirtualTerminal, mask: (text: string) => string): TaskScreen {
  const oneLine = (text: string): string => clipped(displayLine(mask(text)), MAX_PROMPT_CHARS);
  const { cols, rows } = terminal.size;
  const { row, column } = terminal.cursor;
  const lines = terminal.screen();
  while (lines.at(-1) === "") lines.pop();
  const highlighted = terminal.highlighted(MAX_HIGHLIGHTED).map(oneLine);
  const title = oneLine(terminal.title);
  return {
    cols,
    rows,
    row: row + 1,
    col: column + 1,
    alternate: terminal.isAlternateScreen,
    text: headBytes(mask(lines.join("\n")), MAX_SCREEN_BYTES),
    ...(highlighted.length === 0 ? {} : { highlighted }),
    ...(title === "" ? {} : { title }),
  };
}
