/**
 * A chart as SVG: a panel for each quantity, a bar for each contender. Pure: data in, text out. Colours are readable on light
 * and dark pages; nothing is shown by colour alone.
 */
import { shown } from "../figures.ts";

/** One bar. */
export interface Bar {
  readonly label: string;
  /** The length; absent where there is no figure. */
  readonly value?: number;
  /** A second figure, drawn as a line across. */
  readonly mark?: number;
  readonly side: "ours" | "peer" | "limit";
  /** What was not as it should be. */
  readonly note: string;
}

/** Bars that share a scale. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 900;
const LABEL_WIDTH = 250;
const BAR_WIDTH = 520;
const ROW_HEIGHT = 24;
const NOTE_HEIGHT = 14;
const PANEL_HEAD = 38;
const TITLE_HEIGHT = 36;

/** Most of a note that fits a line. */
const NOTE_LENGTH = 95;

/** From this ratio of the longest bar to the shortest, bars are drawn by orders of magnitude. */
const LOG_RATIO = 40;

const FILL = { ours: "#2f81f7", peer: "#8c959f", limit: "#3fb950" } as const;

/** The chart's text. */
export function chartOf(title: string, panels: readonly Panel[]): string {
  const parts: string[] = [];
  let top = TITLE_HEIGHT;
  for (const panel of panels) {
    const { svg, height } = drawPanel(panel, top);
    parts.push(svg);
    top += height;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${top + 10}" viewBox="0 0 ${WIDTH} ${top + 10}" font-family="system-ui, sans-serif" role="img">
<title>${escaped(title)}</title>
<style>text{fill:#1f2328}.quiet{fill:#59636e}.note{fill:#cf222e}.mark{stroke:#1f2328}.step{stroke:#8c959f;stroke-opacity:.35}@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.quiet{fill:#9198a1}.note{fill:#ff7b72}.mark{stroke:#f0f6fc}}</style>
<text x="10" y="24" font-size="17" font-weight="600">${escaped(title)}</text>
${parts.join("\n")}
</svg>
`;
}

function drawPanel({ title, unit, bars }: Panel, top: number): { svg: string; height: number } {
  const scale = scaleOf(bars);
  const head = `${title}, ${unit} (less is better${scale.isLog ? "; logarithmic" : ""})`;
  const lines = [`<text class="quiet" x="10" y="${top + 24}" font-size="13">${escaped(head)}</text>`];
  let y = top + PANEL_HEAD;
  const height = bars.reduce((sum, { note }) => sum + ROW_HEIGHT + (note === "" ? 0 : NOTE_HEIGHT), 0);
  for (const step of scale.steps) {
    const x = (LABEL_WIDTH + 8 + scale.length(step)).toFixed(1);
    lines.push(`<line class="step" x1="${x}" x2="${x}" y1="${y}" y2="${y + height}"/>`);
  }
  for (const bar of bars) {
    lines.push(drawBar(bar, y, scale.length));
    y += ROW_HEIGHT + (bar.note === "" ? 0 : NOTE_HEIGHT);
  }
  return { svg: lines.join("\n"), height: y - top };
}

function drawBar({ label, value, mark, side, note }: Bar, y: number, length: (value: number) => number): string {
  const weight = side === "ours" ? ' font-weight="600"' : "";
  const parts = [
    `<text x="${LABEL_WIDTH}" y="${y + 14}" font-size="12.5" text-anchor="end"${weight}>${escaped(label)}</text>`,
  ];
  const left = LABEL_WIDTH + 8;
  const long = value === undefined ? 0 : length(value);
  const marked = mark === undefined ? 0 : length(mark);
  if (value !== undefined) {
    parts.push(`<rect x="${left}" y="${y + 3}" width="${long.toFixed(1)}" height="14" rx="2" fill="${FILL[side]}"/>`);
  }
  if (mark !== undefined) {
    const x = (left + marked).toFixed(1);
    parts.push(`<line class="mark" x1="${x}" x2="${x}" y1="${y + 1}" y2="${y + 19}" stroke-width="1.5"/>`);
  }
  const end = left + Math.max(long, marked) + 6;
  const figure = value === undefined ? "no figure" : shown(value);
  parts.push(`<text class="quiet" x="${end.toFixed(1)}" y="${y + 14}" font-size="12">${figure}</text>`);
  if (note !== "") {
    const short = note.length > NOTE_LENGTH ? `${note.slice(0, NOTE_LENGTH - 1)}…` : note;
    parts.push(`<text class="note" x="${left}" y="${y + 30}" font-size="11">${escaped(short)}</text>`);
  }
  return parts.join("");
}

/** How long values are drawn. */
interface Scale {
  readonly isLog: boolean;
  /** Powers of ten, which are drawn as lines where bars are by their logarithm. */
  readonly steps: readonly number[];
  readonly length: (value: number) => number;
}

/** How long a value is drawn: in proportion, or by its logarithm where the values are far apart. */
function scaleOf(bars: readonly Bar[]): Scale {
  const values = bars.flatMap(({ value, mark }) => [value, mark]).filter((value) => value !== undefined);
  const positive = values.filter((value) => value > 0);
  const most = Math.max(...positive, Number.MIN_VALUE);
  const least = Math.min(...positive, most);
  if (most / least < LOG_RATIO) {
    return { isLog: false, steps: [], length: (value) => (Math.max(0, value) / most) * BAR_WIDTH };
  }
  const from = Math.floor(Math.log10(least));
  const range = Math.log10(most) - from;
  const length = (value: number) => (value <= 0 ? 0 : ((Math.log10(value) - from) / range) * BAR_WIDTH);
  const steps = Array.from({ length: Math.floor(range) + 1 }, (_, at) => 10 ** (from + at));
  return { isLog: true, steps, length };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
