/** Writes a run into a folder: a page, a chart for each scenario, and everything as data. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Played } from "../play.ts";
import { chartOf } from "./chart.ts";
import { type Circumstances, pageOf } from "./page.ts";

/** Digits of a number that are kept: more would say nothing. */
const DIGITS = 5;

/** Writes `figures.md`, `figures.json` and `<scenario>.svg`. */
export function writeRun(folder: string, played: readonly Played[], circumstances: Circumstances): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, title, quantities } of played) {
    const panels = quantities.map(({ title: what, unit, rows }) => ({
      title: `${what}: best round, with the median as a line`,
      unit,
      bars: rows.map(({ contender, side, figures, note }) => ({
        label: contender,
        side,
        note,
        ...(figures === undefined ? {} : { value: figures.best, mark: figures.p50 }),
      })),
    }));
    writeFileSync(join(folder, `${name}.svg`), chartOf(title.replaceAll("`", ""), panels));
  }
  writeFileSync(join(folder, "figures.md"), pageOf(played, circumstances));
  writeData(join(folder, "figures.json"), played, circumstances);
}

/** Writes a run as data. */
export function writeData(file: string, played: readonly Played[], circumstances: Circumstances): void {
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
  writeFileSync(file, `${JSON.stringify({ circumstances, scenarios: played }, rounded, 1)}\n`);
}
