/** Writes a run into a folder: a page, a chart for each scenario, and everything as data. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Played } from "../play.ts";
import { chartOf } from "./chart.ts";
import { type Circumstances, pageOf } from "./page.ts";

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
  writeFileSync(
    join(folder, "figures.json"),
    `${JSON.stringify({ circumstances, scenarios: played }, undefined, 2)}\n`,
  );
}
