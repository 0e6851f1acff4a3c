/**
 * Jobs as rows: one each with how it stands, and with what it wrote when expanded.
 *
 * In a row the facts come first and the command last, so that a narrow terminal cuts the command. While jobs are waited for,
 * the newest line of each that runs is below it: that is what a person who waits looks at.
 */
import type { ReportedJob } from "@pi-bash/contract";
import { artifactUrl } from "@pi-bash/contract/internal";
import { durationText, warningTexts } from "../footer.ts";
import { belowEntry, continuedLines, type InnerOptions, inEntry, noticeLine } from "../layout.ts";
import { expandHint, hiddenRows, noteRows, previewRows, themeOf } from "../preview.ts";
import { splitResult } from "../result-text.ts";
import { type Standing, standingRun } from "../standing.ts";
import { highlight } from "../syntax.ts";
import { plainRun, type Run, type StyledLine, styledLines } from "../text/styled.ts";
import { clip, displayWidth } from "../text/width.ts";
import { cutLine, type Row, signedAs, wrapLines, wrapWords } from "../text/wrap.ts";
import { jobStanding, MISSING_STANDING } from "./job-standing.ts";

/** Most columns of an id, a name or a state in a row: ours are short, and the rest of the row says more. */
const MAX_FACT_COLUMNS = 32;

/** Most rows of a note beside collapsed jobs: ours have one or two on a narrow terminal. */
const MAX_NOTE_ROWS = 6;

/** What an answer tells of jobs. */
export interface ReportedJobs {
  readonly jobs: readonly ReportedJob[];
  readonly missingIds: readonly string[];
  /** The call goes on. */
  readonly isWaiting: boolean;
}

/** The rows of an answer. */
export function jobRows({ jobs, missingIds, isWaiting }: ReportedJobs, options: InnerOptions): Row[] {
  const missing = missingIds.map((id) => factRuns(id, MISSING_STANDING, options));
  if (options.expanded) {
    return [...jobs.flatMap((job) => wholeRows(job, options)), ...signedAs("words", wrapLines(missing, options.width))];
  }
  const most = previewRows(options.rows);
  const shown = jobs.slice(0, most);
  const others = missing.slice(0, most - shown.length);
  const hidden = jobs.length + missing.length - shown.length - others.length;
  return [
    ...shown.flatMap((job) => shortRows(job, isWaiting, options)),
    ...signedAs("words", wrapLines(others, options.width)),
    ...(hidden > 0 ? hiddenRows(hidden, "job", options) : outputHint(shown, options)),
  ];
}

/** That there is output to see. */
function outputHint(jobs: readonly ReportedJob[], options: InnerOptions): Row[] {
  const count = jobs.filter((job) => outputOf(job).trim() !== "").length;
  if (count === 0) return [];
  const whose = count === 1 ? "a job" : `${count} jobs`;
  return noteRows(`… output of ${whose} (${expandHint(options)})`, options);
}

/** A job in a row, what a reader must not miss of it, and the newest line of one that is waited for. */
function shortRows(job: ReportedJob, isWaiting: boolean, options: InnerOptions): Row[] {
  const newest = isWaiting && job.endedAtMs === undefined ? newestRow(job, options) : [];
  const { width } = inEntry(options);
  const notes = noteLines(job, options).flatMap((line) => wrapWords(line, width).slice(0, MAX_NOTE_ROWS));
  return [...signedAs("words", headRows(job, options)), ...newest, ...belowEntry(signedAs("words", notes), options)];
}

/** Everything that the answer has of a job. */
function wholeRows(job: ReportedJob, options: InnerOptions): Row[] {
  const { colours, hasColour } = themeOf(options);
  const [first = [], ...rest] = highlight(job.label, colours);
  const head = [...jobRuns(job, options), { text: " $ ", style: colours.prompt }, ...first];
  const place = job.output === undefined || job.artifactId === undefined ? [] : [artifactUrl(job.artifactId)];
  const words: StyledLine[] = [
    ...noteLines(job, options),
    ...place.map((url) => [plainRun(`Whole output: ${url}`, colours.dim)]),
  ];
  const { width } = inEntry(options);
  return [
    ...signedAs("words", wrapLines([head, ...continuedLines(rest, options)], options.width)),
    ...belowEntry(wrapLines(styledLines(outputOf(job), hasColour), width), options),
    ...belowEntry(signedAs("words", wrapLines(words, width)), options),
  ];
}

/** `✗ bg_1 · exit 2 · 3.10s $ npm run lint`. Of a narrow terminal the facts fill as many rows as they need. */
function headRows(job: ReportedJob, options: InnerOptions): Row[] {
  const { colours } = themeOf(options);
  const facts = jobRuns(job, options);
  const used = facts.reduce((sum, { text }) => sum + displayWidth(text), 0);
  if (used > options.width) return wrapWords(facts, options.width);
  const [command = []] = highlight(job.label, colours);
  return [cutLine([...facts, { text: " $ ", style: colours.prompt }, ...command], options.width)];
}

function jobRuns(job: ReportedJob, options: InnerOptions): Run[] {
  return factRuns(job.id, jobStanding(job), options, { title: job.title, elapsedMs: job.elapsedMs });
}

/** `✗ bg_1 lint · exit 2 · 3.10s` */
function factRuns(
  id: string,
  standing: Standing,
  options: InnerOptions,
  { title, elapsedMs }: { title?: string | undefined; elapsedMs?: number } = {},
): Run[] {
  const { colours } = themeOf(options);
  const [mark, role] = standing;
  const words = standingRun(standing, colours);
  const elapsed = elapsedMs === undefined ? "" : ` · ${durationText(elapsedMs)}`;
  return [
    { text: `${mark} `, style: colours[role] },
    shortRun(id, colours.accent),
    ...(title === undefined || title === "" ? [] : [{ text: " ", style: "" }, shortRun(title, "")]),
    { text: " · ", style: colours.dim },
    shortRun(words.text, words.style),
    { text: elapsed, style: colours.dim },
  ];
}

function shortRun(text: string, style: string): Run {
  return { text: clip(plainRun(text).text, MAX_FACT_COLUMNS), style };
}

/** The last line that is not blank. */
function newestRow(job: ReportedJob, options: InnerOptions): Row[] {
  const lines = styledLines(outputOf(job), themeOf(options).hasColour);
  const line = lines.findLast((each) => each.some(({ text }) => text.trim() !== ""));
  return line === undefined ? [] : belowEntry([cutLine(line, inEntry(options).width)], options);
}

/** What a job wrote, without the lines that the tool put after it for the model: their facts are in the row. */
function outputOf({ output = "" }: ReportedJob): string {
  return splitResult([{ type: "text", text: output }]).output;
}

/** What still runs of it, and its note. */
function noteLines({ survivors, note }: ReportedJob, options: InnerOptions): StyledLine[] {
  const { colours } = themeOf(options);
  const texts = survivors === undefined ? [] : warningTexts({ survivors });
  const warnings = texts.map((text) => noticeLine(text, options));
  return note === undefined ? warnings : [...warnings, [plainRun(note, colours.dim)]];
}
