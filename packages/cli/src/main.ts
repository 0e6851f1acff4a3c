/**
 * `pi-bash`: its version at once, everything else by `dispatch.ts`, which loads what knows all commands.
 */
import { tellUnwrittenOutput } from "./output-failure.ts";
import { ownVersion } from "./version.ts";

const VERSION_WORDS: ReadonlySet<string | undefined> = new Set(["version", "--version", "-V", "-v"]);

/** Runs one command line, without the program's name, and resolves with the exit status. */
export async function main(words: readonly string[]): Promise<number> {
  tellUnwrittenOutput();
  if (words.length !== 1 || !VERSION_WORDS.has(words[0])) return (await import("./dispatch.ts")).dispatch(words);
  process.stdout.write(`${ownVersion()}\n`);
  return 0;
}
