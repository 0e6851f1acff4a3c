/** The loops of a line that go through words, with the words as they are written. */
import type { CommandAnalysis, Word } from "@pi-bash/command";

/** `for NAME in WORDS`, and `select`; without a list, it has no words. */
export interface Loop {
  readonly name: string;
  readonly words: readonly Word[];
}

/** All of a line: the list of a loop begins where the loop does. */
export function loopsOf({ constructs }: CommandAnalysis): readonly Loop[] {
  const lists = new Map(
    constructs.flatMap((each) => (each.kind === "word-list" ? [[each.span.start, each.words] as const] : [])),
  );
  return constructs.flatMap((each) =>
    each.kind === "for" || each.kind === "select" ? [{ name: each.name, words: lists.get(each.span.start) ?? [] }] : [],
  );
}
