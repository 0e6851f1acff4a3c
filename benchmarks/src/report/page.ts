/** Figures as a page in Markdown: a chart and tables for each scenario. */
import { type Row, shown } from "../figures.ts";
import type { Played } from "../play.ts";
import { type Verdict, verdictsOf } from "./aims.ts";

/** Where and when it was measured, a line each. */
export type Circumstances = readonly string[];

/** The page. Charts are looked for beside it, as `<name>.svg`. */
export function pageOf(played: readonly Played[], circumstances: Circumstances): string {
  const parts = [
    "# Figures",
    "Written by `npm run bench -- --write docs/performance`; not edited by hand. What the figures mean, and what they do not,\nstands in [performance.md](../performance.md).",
    circumstances.map((line) => `- ${line}`).join("\n"),
    "## Aims",
    verdictTable(verdictsOf(played)),
    ...played.flatMap(({ name, title, about, quantities }) => [
      `## ${title}`,
      about,
      `![${title.replaceAll("`", "")}](${name}.svg)`,
      ...quantities.map(({ title: what, unit, rows }) => tableOf(`${what}, ${unit}`, rows)),
    ]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function verdictTable(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(
    ({ aim, measured, isMet }) => `| ${escaped(aim)} | ${escaped(measured)} | ${isMet ? "met" : "missed"} |`,
  );
  return ["| aim | measured | |", "|---|---|---|", ...lines].join("\n");
}

function tableOf(title: string, rows: readonly Row[]): string {
  const lines = rows.map(({ contender, figures, ratio, ofLimit, note }) => {
    const numbers = figures === undefined ? [] : [figures.best, figures.p50, figures.p90, figures.p99].map(shown);
    const cells = [
      ...numbers,
      ...Array(4 - numbers.length).fill("–"),
      ratio?.toFixed(2) ?? "–",
      ofLimit?.toFixed(2) ?? "–",
      note,
    ];
    return `| ${[contender, ...cells].map(escaped).join(" | ")} |`;
  });
  return [
    `| ${escaped(title)} | best | p50 | p90 | p99 | ratio | of C | |`,
    "|---|---:|---:|---:|---:|---:|---:|---|",
    ...lines,
  ].join("\n");
}

function escaped(text: unknown): string {
  return String(text).replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}
