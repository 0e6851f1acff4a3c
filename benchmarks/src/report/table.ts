/** Figures as a table of plain text. */
import { type Row, shown } from "../figures.ts";

const HEAD = ["best", "p50", "p90", "p99", "ratio", "of C"] as const;

/** The widest column of numbers. */
const WIDTH = 9;

/** Lines of a table. */
export function tableOf(unit: string, rows: readonly Row[]): string[] {
  const width = Math.max(unit.length, ...rows.map(({ contender }) => contender.length));
  const head = `${unit.padEnd(width)} ${HEAD.map((word) => word.padStart(WIDTH)).join(" ")}`;
  return [head, ...rows.map((row) => `${row.contender.padEnd(width)} ${cells(row)}${row.note && `  ${row.note}`}`)];
}

function cells({ figures, ratio, ofLimit }: Row): string {
  const numbers =
    figures === undefined
      ? HEAD.map(() => "-")
      : [figures.best, figures.p50, figures.p90, figures.p99]
          .map(shown)
          .concat(ratio?.toFixed(2) ?? "-", ofLimit?.toFixed(2) ?? "-");
  return numbers.map((text) => text.padStart(WIDTH)).join(" ");
}
