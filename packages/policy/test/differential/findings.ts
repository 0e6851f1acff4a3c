/**
 * Tries cases: what `classify` calls read-only is run, and every effect is a finding, with the shortest line that shows it.
 */
import { classify } from "../../src/classify.ts";
import { READ_ONLY_PROGRAMS } from "../../src/read-only/programs.ts";
import { type Case, WORKSPACE } from "./case.ts";
import type { Subject } from "./generate.ts";
import { optionsOf } from "./options.ts";
import { isInstalled, KNOWN } from "./programs.ts";
import type { Fixture } from "./sandbox.ts";

/** A line that is called read-only and is not. */
export interface Found {
  readonly case: Case;
  readonly effects: readonly string[];
}

/** Counts of a run. */
export interface Tried {
  /** Cases that were made. */
  readonly made: number;
  /** Cases that were called read-only and run, each text once. */
  readonly run: number;
  /** Cases that were stopped for their time. */
  readonly timedOut: number;
  readonly found: readonly Found[];
}

/** True where `classify` would let the case run unasked. */
export function isCalledReadOnly({ line, cwd }: Case): boolean {
  return classify(line, { cwd: cwd ?? WORKSPACE, workspace: WORKSPACE, home: "/home/me" }).class === "readonly";
}

/** The programs of the read-only tables that are here, with their options, and those that are not. */
export function subjectsHere(manuals: boolean): { readonly subjects: Subject[]; readonly absent: string[] } {
  const names = [...READ_ONLY_PROGRAMS.keys()];
  const here = names.filter(isInstalled);
  const subjects = here.flatMap((name): Subject[] => {
    const known = KNOWN[name];
    const own = { words: [name], options: optionsOf([name], manuals, known?.more) };
    const inner = (name === "git" ? gitSubcommands() : (known?.subcommands ?? [])).map((word) => ({
      words: [name, word],
      options: name === "systemctl" ? own.options : optionsOf([name, word], manuals),
    }));
    return [own, ...inner];
  });
  return { subjects, absent: names.filter((name) => !isInstalled(name)) };
}

const GIT_READING =
  "status diff log show whatchanged rev-list shortlog reflog diff-tree diff-files diff-index range-diff blame annotate ls-files ls-tree rev-parse describe name-rev merge-base cat-file for-each-ref show-ref show-branch cherry count-objects check-ignore check-attr check-ref-format grep branch tag remote config stash worktree notes submodule bisect version var help symbolic-ref archive fsck verify-commit hash-object ls-remote";

function gitSubcommands(): string[] {
  return GIT_READING.split(" ");
}

/** Cases of a batch: large enough that starting a sandbox costs little, small enough to show progress. */
const BATCH = 400;
/** Findings after which a run ends: more are most often the same hole. */
const MOST_FOUND = 40;

/** Tries cases until `enough` says so; two sandboxes work side by side. */
export async function tryCases(
  cases: Iterable<Case>,
  fixture: Fixture,
  enough: (tried: { readonly made: number; readonly run: number }) => boolean,
): Promise<Tried> {
  const source = cases[Symbol.iterator]();
  const seen = new Set<string>();
  const found: Found[] = [];
  let [made, run, timedOut] = [0, 0, 0];
  let isOver = false;
  const takeBatch = (): Case[] => {
    const batch: Case[] = [];
    while (batch.length < BATCH && !isOver) {
      if (enough({ made, run: run + batch.length })) break;
      const next = source.next();
      if (next.done === true) isOver = true;
      else {
        made++;
        const key = JSON.stringify(next.value);
        if (seen.has(key) || !isCalledReadOnly(next.value)) continue;
        seen.add(key);
        batch.push(next.value);
      }
    }
    run += batch.length;
    return batch;
  };
  const work = async (): Promise<void> => {
    for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
      const observed = await fixture.run(batch);
      for (const [index, { effects, timedOut: isLate }] of observed.entries()) {
        if (isLate) timedOut++;
        const given = batch[index];
        if (effects.length === 0 || given === undefined) continue;
        const confirmed = await confirm(given, batch[index - 1], fixture);
        if (confirmed !== undefined) found.push(await shorten(confirmed, fixture));
      }
      if (found.length >= MOST_FOUND) isOver = true;
    }
  };
  await Promise.all([work(), work()]);
  return { made, run, timedOut, found };
}

/** Runs a case again, and the one before it, whose late effect it may have been. */
async function confirm(given: Case, before: Case | undefined, fixture: Fixture): Promise<Found | undefined> {
  for (const each of before === undefined ? [given] : [given, before]) {
    const [again] = await fixture.run([each]);
    if (again !== undefined && again.effects.length > 0) return { case: each, effects: again.effects };
  }
  return undefined;
}

/** Takes words and characters of a line away while it stays read-only and keeps an effect. */
async function shorten(from: Found, fixture: Fixture): Promise<Found> {
  let best = from;
  for (let isShorter = true; isShorter; ) {
    isShorter = false;
    const candidates = shorterThan(best.case).filter(isCalledReadOnly);
    const observed = await fixture.run(candidates);
    for (const [index, { effects }] of observed.entries()) {
      const smaller = candidates[index];
      if (effects.length === 0 || smaller === undefined || isShorter) continue;
      best = { case: smaller, effects };
      isShorter = true;
    }
  }
  return best;
}

function shorterThan(given: Case): Case[] {
  const words = given.line.split(" ");
  const lines = words.length < 2 ? [] : words.map((_, index) => without(words, index, 1).join(" "));
  const pairs = words.length < 4 ? [] : words.slice(1).map((_, index) => without(words, index, 2).join(" "));
  const files = given.files?.map((_, index) => ({ ...given, files: without(given.files ?? [], index, 1) })) ?? [];
  return [...[...pairs, ...lines].map((line) => ({ ...given, line })), ...files];
}

/** What a run covered, for its output. */
export function summarize(
  kind: string,
  { made, run, timedOut, found }: Tried,
  subjects: readonly Subject[],
  absent: readonly string[],
): string {
  const programs = new Set(subjects.map(({ words }) => words[0]));
  const options = subjects.reduce((sum, subject) => sum + subject.options.length, 0);
  const missing = absent.length === 0 ? "none" : absent.join(" ");
  return `${kind}: ${made} lines made, ${run} read-only ones run (${timedOut} stopped for their time), ${found.length} findings; ${programs.size} programs with ${subjects.length - programs.size} subcommands and ${options} options, not here: ${missing}\n`;
}

/** A report of findings that can be read, and run again. */
export function describeFindings(found: readonly Found[]): string {
  return found
    .map(({ case: given, effects }) => `${JSON.stringify(given)}\n    ${effects.slice(0, 3).join("; ")}`)
    .join("\n");
}

function without(words: readonly string[], index: number, count: number): string[] {
  return [...words.slice(0, index), ...words.slice(index + count)];
}
