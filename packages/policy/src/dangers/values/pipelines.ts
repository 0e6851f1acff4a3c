/**
 * Where the commands of a line read from and write to: the stages of its pipelines and the redirections around blocks.
 */
import type {
  CommandAnalysis,
  Construct,
  EffectiveCommand,
  Redirection,
  SimpleCommand,
  Span,
  Word,
} from "@pi-bash/command";

/** A redirection, with the block that it stands behind. */
interface BlockRedirection {
  readonly redirection: Redirection;
  readonly span: Span;
}

/** Who feeds whom in one line. */
export class Pipelines {
  readonly #analysis: CommandAnalysis;
  #feeders: Map<SimpleCommand, readonly SimpleCommand[]> | undefined;
  #blocks: readonly BlockRedirection[] | undefined;

  constructor(analysis: CommandAnalysis) {
    this.#analysis = analysis;
  }

  /** The stage of the pipeline that a command reads from. */
  feederOf({ simple, written }: EffectiveCommand): readonly SimpleCommand[] | undefined {
    return this.feederOfSimple(simple) ?? this.feederOfSimple(written);
  }

  /** As `feederOf`, for a command as written. */
  feederOfSimple(command: SimpleCommand): readonly SimpleCommand[] | undefined {
    this.#feeders ??= feedersOf(this.#analysis);
    return this.#feeders.get(command);
  }

  /** The redirections of input that count for a command: its own, else those of the innermost block that has any. */
  inputsOf({ simple, written }: EffectiveCommand): readonly Redirection[] {
    // Those of other descriptors, which `/dev/fd/3` may name, leave the input what it was.
    const others: Redirection[] = [];
    for (const { redirections } of simple === written ? [simple] : [simple, written]) {
      const own = redirections.filter(isInput);
      if (own.some(isStandardInput)) return own;
      others.push(...own);
    }
    const at = written.span.start;
    const around = this.#blockRedirections().filter(
      ({ redirection, span }) => isInput(redirection) && contains(span, at),
    );
    const innermost = Math.max(...around.map(({ span }) => span.start));
    return [...others, ...around.flatMap(({ redirection, span }) => (span.start === innermost ? [redirection] : []))];
  }

  /** The commands that write into the `>(…)` that a command stands in. */
  writersInto({ written }: EffectiveCommand): readonly SimpleCommand[] {
    if (!written.context.substitution || !written.context.readsPipe) return [];
    const at = written.span.start;
    const around = this.#analysis.constructs.filter(
      ({ kind, span, text }) => kind === "process-substitution" && text.startsWith(">(") && contains(span, at),
    );
    const start = Math.max(...around.map(({ span }) => span.start));
    const { commands } = this.#analysis;
    const takes = takesFrom(start);
    const blocks = this.#blockRedirections().filter(({ redirection }) => takes(redirection.target));
    return commands.filter(
      ({ argv, redirections, span }) =>
        argv.some(takes) ||
        redirections.some(({ target }) => takes(target)) ||
        blocks.some((block) => contains(block.span, span.start)),
    );
  }

  #blockRedirections(): readonly BlockRedirection[] {
    this.#blocks ??= redirectionsOfBlocks(this.#analysis.constructs);
    return this.#blocks;
  }
}

/** True for the word of `>(…)` that begins at a place. */
function takesFrom(start: number): (word: Word | null) => boolean {
  return (word) => word !== null && word.span.start <= start && start < word.span.end;
}

function contains({ start, end }: Span, at: number): boolean {
  return start <= at && at < end;
}

function isInput({ operator }: Redirection): boolean {
  return operator.startsWith("<");
}

/** True where a redirection of input is not one of another descriptor: `3< f`. */
export function isStandardInput({ descriptor }: Redirection): boolean {
  return descriptor === undefined || descriptor === 0;
}

/** For each command the stage that it reads from; an inner pipeline comes later and wins. */
function feedersOf(analysis: CommandAnalysis): Map<SimpleCommand, readonly SimpleCommand[]> {
  const feeders = new Map<SimpleCommand, readonly SimpleCommand[]>();
  for (const construct of analysis.constructs) {
    if (construct.kind !== "pipeline") continue;
    for (const [at, stage] of construct.stages.entries()) {
      const before = construct.stages[at - 1];
      if (before !== undefined) for (const command of stage) feeders.set(command, before);
    }
  }
  return feeders;
}

const BLOCK = /^(?:subshell|group|if|while|case|for|select)$/;

/** The redirections of blocks: such a one stands behind the block, and nothing but other redirections is between them. */
function redirectionsOfBlocks(constructs: readonly Construct[]): BlockRedirection[] {
  const blocks = constructs.filter(({ kind }) => BLOCK.test(kind));
  const last = new Map<number, Span>();
  for (const { span } of blocks) {
    const known = last.get(span.end);
    if (known === undefined || span.start < known.start) last.set(span.end, span);
  }
  const ends = [...last.keys()].sort((a, b) => a - b);
  return constructs.flatMap((construct) => {
    if (construct.kind !== "redirection") return [];
    const span = last.get(lastUpTo(ends, construct.span.start) ?? -1);
    return span === undefined ? [] : [{ redirection: construct.redirection, span }];
  });
}

/** The last number of an ordered list that is not over a limit. */
function lastUpTo(ordered: readonly number[], limit: number): number | undefined {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordered[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return ordered[low - 1];
}
