/**
 * Where things stand: a command at the margin, and behind a gutter everything that belongs to it.
 *
 * ```
 * ✗ $ for part in core docs; do
 *   >   build $part
 *   > done
 *   │ core: 2 errors
 *   ! Still running: 4711 esbuild --watch
 *   └ exit 1 · 12.40s
 * ```
 *
 * The signs say what a row is without any colour: `$` and `>` are bash's own prompts, `│` is what a command wrote, `!` must
 * not be missed, `└` is how it ended; a row without a sign is ours. So no output can be read as anything else.
 */
import { noteRows, previewRows, type RenderOptions, themeOf } from "./preview.ts";
import { plainRun, type Run, type StyledLine } from "./text/styled.ts";
import { columnsOf, displayWidth } from "./text/width.ts";
import { cutLine, firstRow, lastRows, prefixed, type Row, signedAs, wrapWords } from "./text/wrap.ts";

/** Columns of the gutter. */
const GUTTER_COLUMNS = 4;
/** A terminal with fewer columns has no gutter: there everything is at the margin. */
const LEAST_COLUMNS = 20;

const CONTINUED = "  > ";
/** Where a row of a command goes on that was too long: behind its prompt, and a step further. */
const HANGING = "      ";
/** Before the output of an entry of a list, and before words of ours that belong to it. */
const ENTRY_OUTPUT = "│ ";
const ENTRY_WORDS = "  ";
/** What a reader must not miss. */
const NOTICE = "! ";
/** Before the rows that belong to a call. */
const OUTPUT = "  │ ";
const WORDS = "    ";
const STATUS = "  └ ";

function hasGutter({ width }: RenderOptions): boolean {
  return columnsOf(width) >= LEAST_COLUMNS;
}

/** How a call is drawn, for what stands behind its gutter. */
export interface InnerOptions extends RenderOptions {
  /** There is a gutter, whose signs the rows need not have in their text. */
  readonly hasGutter: boolean;
}

/** The options for what stands behind the gutter: as wide as there is room. */
export function inGutter(options: RenderOptions): InnerOptions {
  return hasGutter(options)
    ? { ...options, width: columnsOf(options.width) - GUTTER_COLUMNS, hasGutter: true }
    : { ...options, hasGutter: false };
}

/** Rows that were made with `inGutter`, behind the gutter: each with the sign of what it is. */
export function behindGutter(rows: readonly Row[], options: RenderOptions): Row[] {
  if (!hasGutter(options)) return [...rows];
  const { colours } = themeOf(options);
  const status = rows.findIndex(({ sign }) => sign === "status");
  return rows.map((row, at) => {
    if (row.sign === undefined) return prefixed(row, [{ text: OUTPUT, style: colours.border }]);
    if (row.sign === "notice") return prefixed(row, [{ text: `  ${NOTICE}`, style: colours.warning }]);
    return prefixed(row, [{ text: at === status ? STATUS : WORDS, style: colours.border }]);
  });
}

/** The status of a call, in rows that end the gutter. */
export function statusRows(lines: readonly StyledLine[], options: RenderOptions): Row[] {
  return lines.flatMap((line) => signedAs("status", wrapWords(line, options.width)));
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
export function inEntry(options: InnerOptions): InnerOptions {
  return options.hasGutter ? { ...options, width: columnsOf(options.width) - ENTRY_WORDS.length } : options;
}

/** Rows that were made with `inEntry`, a step further in: what a task wrote, and words of ours. */
export function belowEntry(rows: readonly Row[], options: InnerOptions): Row[] {
  if (!options.hasGutter) return signedAs("words", rows);
  const style = themeOf(options).colours.border;
  const below = rows.map((row) =>
    prefixed(row, [{ text: row.sign === undefined ? ENTRY_OUTPUT : ENTRY_WORDS, style }]),
  );
  return signedAs("words", below);
}

/** The other lines of a command, with the sign that they have before them. */
export function continuedLines(lines: readonly StyledLine[], options: RenderOptions): StyledLine[] {
  if (!hasGutter(options)) return [...lines];
  const sign: Run = { text: CONTINUED, style: themeOf(options).colours.prompt };
  return lines.map((line) => [sign, ...line]);
}

/** What a reader must not miss, as a line of a list with a sign before it. */
export function noticeLine(text: string, options: RenderOptions): StyledLine {
  return [plainRun(`${NOTICE}${text}`, themeOf(options).colours.warning)];
}

/** What a reader must not miss, broken between words: the gutter has the sign, where there is one. */
export function noticeRows(texts: readonly string[], options: InnerOptions): Row[] {
  const style = themeOf(options).colours.warning;
  return texts.flatMap((text) => {
    if (!options.hasGutter) return wrapWords(noticeLine(text, options), options.width);
    return signedNotice(wrapWords([plainRun(text, style)], options.width));
  });
}

/** Rows of one notice. */
export function signedNotice([first, ...others]: readonly Row[]): Row[] {
  return first === undefined ? [] : [{ ...first, sign: "notice" }, ...signedAs("words", others)];
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
