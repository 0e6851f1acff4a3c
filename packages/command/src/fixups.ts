/**
 * Keeps what a trailing `| head` or `| tail` would hide, and drops a trailing `2>&1` that changes nothing.
 *
 * # Theory of operation
 * Mode `tee` (the default) leaves the command line as it is and returns the pipes; `teeTrailingPipes` then makes
 * each consumer read through a `tee` that appends the producer's stream to a file. Exit status, `PIPESTATUS`,
 * `pipefail`, visible text and the early stop by SIGPIPE stay as they were. Mode `strip` removes the stage: the
 * producer runs to its end, its whole output is visible and its own exit status counts.
 *
 * The rewritten consumer is `( … { head -5; } < <(… exec tee -a FILE /dev/fd/3 …); … kill tee … )`:
 * - `tee` writes the file before the pipe, so that what `head` has seen is in the file when `head` ends;
 * - once `head` has ended `tee` is killed, so that the producer gets SIGPIPE at its next write, no later than without;
 * - it is one stage, so `PIPESTATUS` keeps its length, and its status is that of `head` or `tail`;
 * - the additions are invisible to `set -x`, and a file that cannot be written changes nothing but the copy, which
 *   `tee` complains about in a file of its own.
 */
import { keptByText } from "./kept-by-text.ts";
import { parsedText } from "./parsed-text.ts";
import { findTextProblem, parsedLength } from "./text-limits.ts";
import { type SegmentEnd, segmentEnds, type TrailingPipe } from "./trailing-pipe.ts";

/** `tee` keeps the command's meaning, `strip` removes the trailing stage. */
export type FixupMode = "tee" | "strip";

/** A command line after the fixups. */
export interface BashFixups {
  /** The command to check and to run (in mode `tee` after `teeTrailingPipes`). */
  readonly command: string;
  /** What was taken out, as written and in order: `["| tail -3", "2>&1"]`. */
  readonly stripped: readonly string[];
  /** Mode `tee`: the pipes of `command` whose producer can be kept, with spans into `command`. */
  readonly pipes: readonly TrailingPipe[];
}

const fixed = {
  tee: keptByText((command) => fix(command, "tee")),
  strip: keptByText((command) => fix(command, "strip")),
};

/** Applies the fixups; text that does not parse or has several lines is returned unchanged. */
export function applyBashFixups(command: string, mode: FixupMode = "tee"): BashFixups {
  return fixed[mode](command);
}

function fix(command: string, mode: FixupMode): BashFixups {
  if (findTextProblem(command) !== undefined || parsedLength(command) < command.length)
    return { command, stripped: [], pipes: [] };
  const script = parsedText(command);
  if ((script.errors?.length ?? 0) > 0) return { command, stripped: [], pipes: [] };
  const cuts: Cut[] = [];
  const ends = segmentEnds(command, script, mode === "tee");
  for (const { pipe, redirect } of ends) {
    if (pipe !== undefined && mode === "strip") cuts.push(cut(command, pipe.producer.end, pipe.consumer.end));
    if (redirect !== undefined && (mode === "strip" || !redirect.feedsTrailingPipe)) {
      cuts.push(cut(command, redirect.span.start, redirect.span.end));
    }
  }
  const left = applyCuts(command, cuts);
  return {
    command: left,
    stripped: cuts.map((each) => each.text),
    pipes: mode === "strip" ? [] : pipesIn(left === command ? ends : segmentEnds(left, parsedText(left), true)),
  };
}

/**
 * Rewrites a command line so that the producers of `pipes` are appended to the file at `path`.
 *
 * Only what runs changes; show, check and log `fixups.command`. The file should exist: `tee` creates it with the
 * session's umask otherwise. What `tee` has to say (a full disk) is written over the beginning of the file at
 * `complaints`, which is never made or cut: one that has its bytes already can be written to on a full disk.
 */
export function teeTrailingPipes(
  fixups: Pick<BashFixups, "command" | "pipes">,
  path: string,
  complaints?: string,
): string {
  let command = fixups.command;
  for (const pipe of [...fixups.pipes].sort((a, b) => b.consumer.start - a.consumer.start)) {
    const consumer = command.slice(pipe.consumer.start, pipe.consumer.end);
    const stage = teeingStage(consumer, path, complaints);
    command = command.slice(0, pipe.consumer.start) + stage + command.slice(pipe.consumer.end);
  }
  return command;
}

function teeingStage(consumer: string, path: string, complaints: string | undefined): string {
  const plain = `exec tee -a -- ${singleQuoted(path)} /dev/fd/3 3>&1 >/dev/null`;
  const place = complaints === undefined ? "" : singleQuoted(complaints);
  // Tried first: where the file is gone, `exec` would end without a `tee`, and the stage would read nothing.
  const copy = place === "" ? plain : `if [ -w ${place} ]; then ${plain} 2<>${place}; else ${plain}; fi`;
  const tee = `{ set +x; ${copy}; } 2>/dev/null`;
  // `$!` is the process substitution where bash sets it for one (4.4 and later); an older bash leaves the session's
  // last job there, which must live.
  const start = `{ set -- "\${!-}"; } 2>/dev/null`;
  const end = `{ set -- "$?" "$1"; set +exu; [ "$!" = "$2" ] || kill -s KILL "$!"; exit "$1"; } 2>/dev/null`;
  // A group, because bash expands the redirection of a plain command in the child, where `$!` would be lost.
  return `( ${start}; { ${consumer}; } < <(${tee}); ${end} )`;
}

/** Quotes a text for a shell so that it is one literal word. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

interface Cut {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A cut takes the blanks before it along; its text is reported without them. */
function cut(source: string, start: number, end: number): Cut {
  let from = start;
  while (/[ \t]/.test(source[from - 1] ?? "")) from--;
  return { start: from, end, text: source.slice(start, end).trim() };
}

function applyCuts(source: string, cuts: readonly Cut[]): string {
  let fixed = source;
  for (const { start, end } of [...cuts].sort((a, b) => b.start - a.start)) {
    fixed = fixed.slice(0, start) + fixed.slice(end);
  }
  return fixed;
}

function pipesIn(ends: readonly SegmentEnd[]): TrailingPipe[] {
  return ends.flatMap(({ pipe }) => (pipe === undefined ? [] : [pipe]));
}
