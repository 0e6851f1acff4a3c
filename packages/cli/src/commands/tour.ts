/**
 * `pi-bash tour`: the engine at work on real commands, with every claim checked as it is made.
 *
 * This file is the frame: it prints, counts the claims and gives the exit status. What is shown is in
 * `../tour/chapters.ts`.
 */
import { waitAtMost } from "@pi-bash/contract/internal/wait";
import { capabilities } from "@pi-bash/natives";
import { CHAPTERS, type Stage } from "../tour/chapters.ts";
import { UsageError } from "../usage.ts";

/** A chapter that hangs is a claim that fails; no chapter takes longer than some seconds. */
const CHAPTER_LIMIT_MS = 120_000;

/** Prints what happens and keeps count of what did not hold. */
class Report implements Stage {
  claims = 0;
  failures = 0;

  command(text: string): void {
    process.stdout.write(`   $ ${text}\n`);
  }

  shown(text: string): void {
    for (const line of text.trimEnd().split("\n")) process.stdout.write(`   ${line}\n`);
  }

  claim(sentence: string, holds: boolean, found: string): void {
    this.claims += 1;
    if (!holds) this.failures += 1;
    process.stdout.write(holds ? `   ok      ${sentence}\n` : `   FAILED  ${sentence}: ${found}\n`);
  }
}

async function withinLimit(chapter: Promise<void>): Promise<void> {
  const ended = await waitAtMost(() => chapter, CHAPTER_LIMIT_MS);
  if (ended.kind === "error") throw ended.error;
  if (ended.kind !== "value") throw new Error(`did not end within ${CHAPTER_LIMIT_MS / 1000} s`);
}

/** Shows every chapter and resolves with 0 when all claims held, else 1. */
export async function tour(words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new UsageError(`\`tour\` takes no arguments, not \`${words[0]}\``);
  if (capabilities().session !== "persistent") {
    process.stderr.write("pi-bash: the tour needs a persistent session; `pi-bash doctor` says what is missing\n");
    return 1;
  }
  const report = new Report();
  for (const [index, { title, show }] of CHAPTERS.entries()) {
    process.stdout.write(`${index === 0 ? "" : "\n"}${index + 1}. ${title}\n`);
    try {
      await withinLimit(show(report));
    } catch (error) {
      report.claim("the chapter comes to its end", false, error instanceof Error ? error.message : String(error));
    }
  }
  const held = report.claims - report.failures;
  process.stdout.write(`\n${held} of ${report.claims} claims held\n`);
  return report.failures === 0 ? 0 : 1;
}
