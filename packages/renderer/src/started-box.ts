/**
 * The box at the start of a background job: its id, its command, and where its output is.
 */
import { artifactUrl, displayLine } from "@pi-bash/contract/internal";
import { type RenderOptions, themeOf } from "./preview.ts";
import { plainRun, type StyledLine } from "./text/styled.ts";
import { clip, displayWidth } from "./text/width.ts";
import { type Row, wrapLines } from "./text/wrap.ts";

/** Widest box, in columns. */
const MAX_WIDTH = 72;
/** A terminal that is narrower has lines without a box. */
const MIN_WIDTH = 24;

/** What is reported of a job that was started. */
export interface StartedJob {
  readonly id: string;
  readonly command: string | undefined;
  readonly artifactId: string | undefined;
}

/** The rows of the box, within `options.width`. */
export function startedBox({ id, command, artifactId }: StartedJob, options: RenderOptions): Row[] {
  const { colours } = themeOf(options);
  const facts = [
    `Task: ${id}`,
    ...(command === undefined ? [] : [`Command: ${displayLine(command)}`]),
    ...(artifactId === undefined ? [] : [`Output: ${artifactUrl(artifactId)}`]),
  ];
  const title = "Background task started";
  const width = Math.min(MAX_WIDTH, options.width);
  if (width < MIN_WIDTH + displayWidth(title) / 2) {
    return wrapLines(
      [title, ...facts].map((text) => [plainRun(text, colours.accent)]),
      options.width,
    );
  }
  const inner = width - 4;
  const top = `┌─ ${title} ${"─".repeat(Math.max(0, width - displayWidth(title) - 5))}┐`;
  const lines: StyledLine[] = [
    [plainRun(top, colours.accent)],
    ...facts.map((fact): StyledLine => {
      const text = clip(fact, inner);
      const blanks = " ".repeat(Math.max(0, inner - displayWidth(text)));
      return [
        plainRun("│ ", colours.accent),
        plainRun(`${text}${blanks}`, colours.dim),
        plainRun(" │", colours.accent),
      ];
    }),
    [plainRun(`└${"─".repeat(width - 2)}┘`, colours.accent)],
  ];
  return wrapLines(lines, options.width);
}
