/**
 * Where things stand: a command at the margin, and behind a gutter everything that belongs to it.
 *
 * ```
 * ✗ $ for part in core docs; do
 *   >   build $part
 *   > done
 *   │ core: 2 errors
 *   │ ! Still running: 4711 esbuild --watch
 *   └ exit 1 · 12.40s · timeout 300s
 * ```
 *
 * The signs say what a row is without any colour: `$` and `>` are bash's own prompts, `│` is output, `!` must not be missed,
 * `└` is the end. So no output can be read as a command, and no line of a command as output.
 */
import { noteRows, previewRows, type RenderOptions, themeOf } from "./preview.ts";
import { plainRun, type Run, type StyledLine } from "./text/styled.ts";
import { columnsOf, displayWidth } from "./text/width.ts";
import { cutLine, firstRow, lastRows, prefixed, type Row, wrapWords } from "./text/wrap.ts";

/** Columns of the gutter. */
const GUTTER_COLUMNS = 4;
/** A terminal with fewer columns has no gutter: there everything is at the margin. */
const LEAST_COLUMNS = 20;

const CONTINUED = "  > ";
/** Where a row of a command goes on that was too long: behind its prompt, and a step further. */
const HANGING = "      ";
/** Before what belongs to an entry of a list. */
const STEP = "  ";
/** What a reader must not miss. */
const NOTICE = "! ";
/** Before the rows that belong to a call, and before the last of them. */
const GUTTER = "  │ ";
const END = "  └ ";
const BELOW_END = "    ";

function hasGutter({ width }: RenderOptions): boolean {
  return columnsOf(width) >= LEAST_COLUMNS;
}

/** The options for what stands behind the gutter: as wide as there is room. */
export function inGutter(options: RenderOptions): RenderOptions {
  return hasGutter(options) ? { ...options, width: columnsOf(options.width) - GUTTER_COLUMNS } : options;
}

/** Rows that were made with `inGutter`, behind the gutter, which ends with the last of them. */
export function behindGutter(rows: readonly Row[], options: RenderOptions): Row[] {
  if (!hasGutter(options)) return [...rows];
  const style = themeOf(options).colours.border;
  const status = rows.findIndex(({ isEnd }) => isEnd === true);
  const last = status === -1 ? rows.length - 1 : status;
  return rows.map((row, at) => prefixed(row, [{ text: at < last ? GUTTER : at === last ? END : BELOW_END, style }]));
}

/** The status of a call, in rows that end the gutter. */
export function statusRows(lines: readonly StyledLine[], options: RenderOptions): Row[] {
  return lines.flatMap((line) => wrapWords(line, options.width)).map((row) => ({ ...row, isEnd: true }));
}

/**
 * A command, its first line with the mark and what else stands before it. Broken between words. Of one that is longer than a
 * preview its first row and its last ones.
 */
export function commandRows(lines: readonly StyledLine[], options: RenderOptions): Row[] {
  const isWide = hasGutter(options);
  const hanging: StyledLine = isWide ? [{ text: HANGING, style: "" }] : [];
  const signed = [...lines.slice(0, 1), ...continuedLines(lines.slice(1), options)];
  if (options.expanded) return signed.flatMap((line) => wrapWords(line, options.width, hanging));
  const most = previewRows(options.rows);
  const { rows, total } = lastRows(signed, options.width, most, hanging);
  if (total <= most) return rows;
  const [first] = firstRow(signed[0] ?? [], columnsOf(options.width));
  const hidden = total - most;
  const note = `${isWide ? CONTINUED : ""}… ${hidden} more ${hidden === 1 ? "line" : "lines"}`;
  return [first, ...noteRows(note, options), ...rows.slice(1 - most)];
}

/** The options for rows that belong to the one above them in a list. */
export function indentedOptions(options: RenderOptions): RenderOptions {
  return hasGutter(options) ? { ...options, width: columnsOf(options.width) - STEP.length } : options;
}

/** Rows that were made with `indentedOptions`, a step further in. */
export function indented(rows: readonly Row[], options: RenderOptions): Row[] {
  if (!hasGutter(options)) return [...rows];
  return rows.map((row) => prefixed(row, [{ text: STEP, style: "" }]));
}

/** The other lines of a command in a list, with the sign of those before them. */
export function continuedLines(lines: readonly StyledLine[], options: RenderOptions): StyledLine[] {
  if (!hasGutter(options)) return [...lines];
  const sign: Run = { text: CONTINUED, style: themeOf(options).colours.prompt };
  return lines.map((line) => [sign, ...line]);
}

/** What a reader must not miss, as a line with a sign before it. */
export function noticeLine(text: string, options: RenderOptions): StyledLine {
  return [plainRun(`${NOTICE}${text}`, themeOf(options).colours.warning)];
}

/** Such lines, broken between words. */
export function noticeRows(texts: readonly string[], options: RenderOptions): Row[] {
  return texts.flatMap((text) => wrapWords(noticeLine(text, options), options.width, [plainRun("  ")]));
}

/** A call that is long past, in one row: its command as far as it fits, and how it ended. */
export function collapsedRow(lines: readonly StyledLine[], facts: StyledLine, options: RenderOptions): Row {
  const columns = columnsOf(options.width);
  const [first = [], ...rest] = lines;
  const separated: StyledLine = facts.length === 0 ? [] : [{ text: " · ", style: "" }, ...facts];
  const used = separated.reduce((sum, { text }) => sum + displayWidth(text), 0);
  const head = rest.length === 0 ? first : [...first, { text: " …", style: "" }];
  // On a terminal so narrow that the end alone fills it, the command says more.
  if (used > columns / 2) return cutLine(head, columns);
  const row = cutLine(head, columns - used);
  return { runs: [...row.runs, ...separated], width: row.width + used };
}
