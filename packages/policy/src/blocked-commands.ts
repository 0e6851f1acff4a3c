/**
 * The owner's list of commands that never run (`blockedCommands`).
 *
 * Compared by words, at any nesting and through wrappers, not as text inside text: `rm -rf /` in the list does not
 * block `rm -rf /tmp/build`, and `echo 'rm -rf /'` runs nothing. What is dangerous by meaning is in `dangers.ts` and
 * needs no list.
 */
import { analyzeCommand, type CommandAnalysis } from "@pi-bash/command";
import { programName } from "@pi-bash/command/internal";
import type { Finding } from "./finding.ts";
import { mayBeginWith } from "./rules/match.ts";

/** The first blocked command found, as a finding; undefined when there is none. */
export function findBlockedCommand(
  analysis: CommandAnalysis,
  command: string,
  blocked: readonly string[],
): Finding | undefined {
  for (const entry of blocked) {
    const span = analysis.ok ? blockedSpan(analysis, entry) : spanInText(command, entry);
    if (span === undefined) continue;
    // The wording is part of the specification.
    return { code: "blocked-command", severity: "block", message: `Command contains blocked pattern: ${entry}`, span };
  }
  return undefined;
}

/**
 * A blocked command that the line may run, where no one can tell before it runs: a program that is known only then, a
 * wrapper whose options are not understood, words that expand.
 */
export function findDoubtfulCommand(analysis: CommandAnalysis, blocked: readonly string[]): Finding | undefined {
  if (!analysis.ok) return undefined;
  const entry = blocked.find((each) => {
    const wanted = wantedOf(each);
    return wanted.length > 0 && wanted.every((words) => mayBeginWith(words, analysis));
  });
  if (entry === undefined) return undefined;
  const message = `the command may run \`${entry}\`, which is blocked: what runs is known only when it runs`;
  const hint = "write the program and its arguments literally";
  return { code: "blocked-command-doubt", severity: "unknown", message, hint, span: { start: 0, end: 0 } };
}

/** The words of each command of an entry; none where the entry is not a command line. */
function wantedOf(entry: string): string[][] {
  const parsed = analyzeCommand(entry);
  if (!parsed.ok) return [];
  return parsed.commands
    .map((each) => each.argv.map((word) => word.value ?? word.text))
    .filter((words) => words.length > 0);
}

/** All commands of an entry must be there, each as the beginning of one that runs. */
function blockedSpan(analysis: CommandAnalysis, entry: string): Finding["span"] | undefined {
  const wanted = wantedOf(entry);
  if (wanted.length === 0) return undefined;
  const running = [...analysis.effective, ...analysis.commands, ...analysis.nestedCommands];
  const hits = wanted.map((words) =>
    running.find((each) =>
      beginsWith(
        each.argv.map((word) => word.value ?? word.text),
        words,
      ),
    ),
  );
  return hits.includes(undefined) ? undefined : hits[0]?.span;
}

function beginsWith(argv: readonly string[], words: readonly string[]): boolean {
  return words.every((word, at) =>
    at === 0 ? word === argv[0] || word === programName(argv[0] ?? "") : word === argv[at],
  );
}

/** Text that was not understood is searched as text: too often blocked is better than run. */
function spanInText(command: string, entry: string): Finding["span"] | undefined {
  const start = command.indexOf(entry);
  return start === -1 ? undefined : { start, end: start + entry.length };
}
