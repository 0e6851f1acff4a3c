/**
 * `pi-bash completions`: a script that has a shell complete commands, options and their values.
 */
import { parseOptionWords } from "../option-words.ts";
import { bashCompletions } from "../surface/completions/bash.ts";
import { fishCompletions } from "../surface/completions/fish.ts";
import { zshCompletions } from "../surface/completions/zsh.ts";
import { SHELLS } from "../surface/options.ts";
import { UsageError } from "../usage.ts";

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], () => string>> = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
};

/** Runs the words after `completions` and resolves with the exit status. */
export async function completions(words: readonly string[]): Promise<number> {
  const { positionals } = parseOptionWords({ args: [...words], allowPositionals: true, options: {} });
  const shell = SHELLS.find((name) => name === positionals[0]);
  if (shell === undefined || positionals.length > 1) {
    throw new UsageError(`\`completions\` takes one of ${SHELLS.join(", ")}`);
  }
  process.stdout.write(SCRIPTS[shell]());
  return 0;
}
