/**
 * Draws the line that a person types, with the cursor in its place: rows no wider, and no more of them, than asked for.
 */
import { displayWidth, visible } from "@pi-bash/renderer/internal";
import type { LineEditor } from "./line-editor.ts";
import type { LiveArea } from "./screen.ts";

/** Before the first row; later rows are indented as far. */
const MARK = "› ";
const INDENT = "  ";
const TAB = "    ";

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The prompt in `width` columns and at most `rows` rows, those around the cursor. */
export function promptRows(editor: LineEditor, width: number, rows: number): LiveArea {
  const end = editor.beforeCursor.length;
  const drawn: string[] = [MARK];
  let used = MARK.length;
  let cursor: { row: number; column: number } | undefined;
  const newRow = () => {
    drawn.push(INDENT);
    used = INDENT.length;
  };
  const place = () => {
    if (used >= width) newRow();
    return { row: drawn.length - 1, column: used };
  };
  for (const { segment, index } of SEGMENTER.segment(editor.text)) {
    if (index >= end) cursor ??= place();
    if (segment === "\n") {
      newRow();
      continue;
    }
    for (const part of partsOf(segment)) {
      const columns = displayWidth(part);
      if (used + columns > width) newRow();
      drawn.push(`${drawn.pop() ?? ""}${part}`);
      used += columns;
    }
  }
  cursor ??= place();
  const from = Math.max(0, Math.min(cursor.row - rows + 1, drawn.length - rows));
  return {
    rows: drawn.slice(from, from + rows),
    cursor: { row: cursor.row - from, column: Math.min(cursor.column, width - 1) },
  };
}

/** What is shown of a character; what is hidden is written out, piece by piece so that it can be wrapped. */
function partsOf(segment: string): Iterable<string> {
  if (segment === "\t") return TAB;
  const shown = visible(segment);
  return shown === segment ? [segment] : shown;
}
