/**
 * What never runs unasked, with a policy or without one: downloads into a shell, writes below `/etc`, and opening whole
 * folders to everyone.
 *
 * They are not hard blocks: a person may mean them, so they ask, and without anyone to answer they are refused with the
 * name of the option that allows them. They are judged by meaning on the parsed line, and once more with the values of its
 * words in it (`expanded-line.ts`). What a script does is not seen here.
 */
import { analyzeCommand, type CommandAnalysis, type EffectiveCommand, type Span } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import type { UnaskedKind } from "@pi-bash/contract";
import type { PathContext } from "../danger-paths.ts";
import { mayRunHere } from "../dangers.ts";
import type { Finding, Refusal } from "../finding.ts";
import { effectiveFolders, folderAfter } from "../folders.ts";
import { redirectionsOf } from "../rules/match.ts";
import { runsDownload } from "./downloads.ts";
import { expandedLines } from "./expanded-line.ts";
import { withGivenWords } from "./given-words.ts";
import { opensModes } from "./open-modes.ts";
import { type FolderOf, redirectsToSystem, systemWrites } from "./system-writes.ts";

/** A line, as far as this looks at it. */
export interface UnaskedRequest extends PathContext {
  readonly command: string;
  /** Variables the call sets in addition. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Kinds that the owner allows. */
  readonly allowUnasked?: readonly UnaskedKind[] | undefined;
}

/** One finding for each of the kinds that is in the line and not allowed, with what would allow it. Never throws. */
export function findUnasked(request: UnaskedRequest): Finding[] {
  const { command, allowUnasked = [] } = request;
  const analysis = analyzeCommand(command);
  const found = new Map<string, Finding>();
  const whole = { start: 0, end: command.length };
  for (const reading of [undefined, ...readingsOf(request, analysis)]) {
    const read = reading === undefined ? analysis : analyzeCommand(reading);
    for (const finding of findingsIn(read, request)) {
      // Places in another reading are none in this text.
      if (!found.has(finding.code))
        found.set(finding.code, reading === undefined ? finding : { ...finding, span: whole });
    }
  }
  return [...found.values()].filter(({ code }) => !allowUnasked.some((kind) => kind === code));
}

/** Other readings of the line, and of what its wrappers run. */
function readingsOf(request: UnaskedRequest, analysis: CommandAnalysis): readonly string[] {
  const expand = (line: string, read: CommandAnalysis): readonly string[] =>
    expandedLines(line, read, request, request.env);
  const literal = expand(request.command, analysis);
  const given = [analysis, ...literal.map(analyzeCommand)].flatMap((each) =>
    withGivenWords(each, effectiveFolders(each, request)),
  );
  const inside = given.flatMap((text) => expand(text, analyzeCommand(text)));
  return [...new Set([...literal, ...given, ...inside])].slice(0, MAX_READINGS);
}

/** Readings of one line that are looked at. */
const MAX_READINGS = 64;

function findingsIn(analysis: CommandAnalysis, context: PathContext): Finding[] {
  const folderOf = effectiveFolders(analysis, context);
  const findings: Finding[] = [];
  const add = (refusal: Refusal | undefined, span: Span, command?: EffectiveCommand): void => {
    if (refusal === undefined) return;
    const argv = command === undefined ? {} : { argv: command.argv.map((word) => word.display) };
    findings.push({ ...refusal, hint: hintFor(refusal.code), span, ...argv });
  };
  const download = runsDownload(analysis);
  if (download !== undefined) add(download.refusal, download.command.span, download.command);
  const writesSystem = systemWrites(analysis, folderOf);
  const started = mayRunHere(analysis);
  for (const command of [...analysis.effective, ...started]) {
    add(writesSystem(command), command.span, command);
    add(opensModes(command, analysis), command.span, command);
  }
  for (const redirection of [...redirectionsOf(analysis), ...started.flatMap(({ simple }) => simple.redirections)]) {
    add(redirectsToSystem(redirection, folderAt(redirection.span, analysis, folderOf)), redirection.span);
  }
  return findings;
}

function hintFor(kind: string): string {
  return `the setting \`bash.allowUnasked\` with \`${kind}\` lets it run, on the command line \`--allow-unasked ${kind}\``;
}

/** The folder that a place of the line is in: that of the last command before it, or where its `cd` went. */
function folderAt({ start }: Span, analysis: CommandAnalysis, folderOf: FolderOf): string | undefined {
  const before = analysis.effective.filter(({ span }) => span.start <= start).at(-1) ?? analysis.effective[0];
  if (before === undefined) return folderOf({} as EffectiveCommand).cwd;
  const goes = /^(?:cd|pushd)$/.test(firstValue(before.argv)) && before.simple.span.end <= start;
  return goes ? folderAfter(before, folderOf(before)) : folderOf(before).cwd;
}
