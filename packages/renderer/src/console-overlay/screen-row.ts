/**
 * A row of a program's screen as it is drawn in a window: its colours, its cursor, exactly as wide as asked for.
 */
import type { Run, StyledLine } from "../text/styled.ts";
import { visible } from "../text/visible.ts";
import { clustersOf, clusterWidth } from "../text/width.ts";
import { wrapLine } from "../text/wrap.ts";

/** How a row is drawn. */
export interface ScreenRowOptions {
  /** Columns. What is wider is cut. */
  readonly width: number;
  /** Column of the cursor, from 0. Absent: it is not in this row, or not shown. */
  readonly cursor?: number | undefined;
  readonly hasColour: boolean;
}

/** Draws a row. Hidden characters are written out. */
export function screenRow(runs: readonly Run[], { width, cursor, hasColour }: ScreenRowOptions): StyledLine {
  const shown = runs.map(({ text, style }) => ({ text: visible(text), style: hasColour ? style : "" }));
  const line = cursor === undefined ? shown : withCursor(shown, cursor);
  const [first] = wrapLine(line, width);
  const padding = " ".repeat(Math.max(0, width - (first?.width ?? 0)));
  return [...(first?.runs ?? []), { text: padding, style: "" }];
}

/** The line with the cell at `column` inverted, blanks put before it where the line ends earlier. */
function withCursor(line: StyledLine, column: number): StyledLine {
  const runs: Run[] = [];
  let at = 0;
  for (const run of line) {
    for (const cluster of clustersOf(run.text)) {
      runs.push(at === column ? { text: cluster, style: inverted(run.style) } : { ...run, text: cluster });
      at += clusterWidth(cluster);
    }
  }
  if (at > column) return runs;
  return [...runs, { text: " ".repeat(column - at), style: "" }, { text: " ", style: "7" }];
}

function inverted(style: string): string {
  return style === "" ? "7" : `${style};7`;
}
