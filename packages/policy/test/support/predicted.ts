/** Compares what bash executed with what the analysis predicted. */
import type { CommandAnalysis, Word } from "@pi-bash/command";

/** True when a command that ran is one of those found in the text. */
export function isPredicted(executed: readonly string[], analysis: CommandAnalysis): boolean {
  const written = [...analysis.commands, ...analysis.nestedCommands].map(({ argv }) => argv);
  const candidates = [
    ...written.map((argv) => ({ argv, open: false })),
    ...analysis.effective.map(({ argv, argvComplete }) => ({ argv, open: !argvComplete })),
    // `nice env ls` runs `env ls` on the way to `ls`.
    ...written.filter((argv) => STARTS_ANOTHER.test(argv[0]?.value ?? "")).flatMap(suffixes),
  ];
  return candidates.some(({ argv, open }) => fits(argv, executed, open));
}

/** The wrappers the recorder looks through. */
const STARTS_ANOTHER = /^(?:timeout|nice|nohup|env|xargs|command)$/;

function suffixes(argv: readonly Word[]): { argv: readonly Word[]; open: boolean }[] {
  return argv.map((_, at) => ({ argv: argv.slice(at), open: argv[0]?.value === "xargs" }));
}

/** Matches words against arguments; one that expands stands for as many as its kind allows. */
function fits(words: readonly Word[], args: readonly string[], open: boolean): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return open || args.length === 0;
  if (word.value !== null) return args[0] === word.value && fits(rest, args.slice(1), open);
  const several = word.splits || word.expansions.glob || word.expansions.brace;
  const least = word.splits ? 0 : 1;
  const most = several ? args.length : 1;
  for (let count = least; count <= most && count <= args.length; count++) {
    const starts = args.slice(0, word.splits ? 1 : count).every((arg) => count === 0 || arg.startsWith(word.leading));
    if (starts && fits(rest, args.slice(count), open)) return true;
  }
  return false;
}
