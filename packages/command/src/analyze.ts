/**
 * The one place a command line is read: everything the product knows about it, from a single parse.
 *
 * Policy, interception, fixups, internal URLs and the minimizer's plan all start here, so that no two of them can
 * disagree about what a command is. Nothing is judged here; `ok` only says that the text was understood completely.
 */
import { aliasCalls } from "./alias-calls.ts";
import { type GitAround, gitAround } from "./git-settings.ts";
import { findUrls, type UrlWord } from "./internal-urls.ts";
import { findInvocation, type Invocation } from "./invocation.ts";
import { keptByText } from "./kept-by-text.ts";
import { findLeadingCd, type LeadingCd } from "./leading-cd.ts";
import type { Construct, SimpleCommand, SyntaxProblem } from "./syntax.ts";
import { findTextProblem } from "./text-limits.ts";
import { segmentEnds, type TrailingPipe } from "./trailing-pipe.ts";
import { unwrap } from "./unwrap.ts";
import { TOO_LARGE } from "./unwrap-shell.ts";
import { type EffectiveCommand, initialState, opaque, type Unwrapped } from "./unwrap-state.ts";
import { walkText } from "./walk.ts";

/** What a command line is. */
export interface CommandAnalysis {
  /** True when the whole text was understood; false means: treat it as unknown. */
  readonly ok: boolean;
  readonly errors: readonly SyntaxProblem[];
  /** Every simple command at any nesting, in source order, as written. */
  readonly commands: readonly SimpleCommand[];
  /** What runs in the end: wrappers looked through, texts of `bash -c` read. */
  readonly effective: readonly EffectiveCommand[];
  /** What a wrapper that was not understood may run: each of its words taken for the program. Never a proof. */
  readonly perhaps: readonly EffectiveCommand[];
  /** Simple commands found inside texts given to shells. */
  readonly nestedCommands: readonly SimpleCommand[];
  /** All other syntax, that of texts given to shells included. */
  readonly constructs: readonly Construct[];
  readonly leadingCd?: LeadingCd;
  /** The trailing `| head` or `| tail` of the last segment. */
  readonly trailingPipe?: TrailingPipe;
  readonly urls: readonly UrlWord[];
  readonly invocation?: Invocation;
}

const analyzed = keptByText(analyzeSafely);

/**
 * Analyses a command line. Never throws; problems are in `errors`. The same text gives the same object for a while.
 *
 * ```ts
 * import { analyzeCommand } from "@pi-bash/command";
 *
 * const { ok, effective } = analyzeCommand("cd src && sudo -u ada env X=1 make test");
 * console.log(ok, effective.map(({ argv }) => argv.map(({ value }) => value).join(" "))); // true [ "cd src", "make test" ]
 * ```
 */
export function analyzeCommand(command: string): CommandAnalysis {
  return analyzed(command);
}

/** A text that breaks the parser or the walk, for instance by its depth, is one that was not understood. */
function analyzeSafely(command: string): CommandAnalysis {
  try {
    return analyze(command);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { ok: false, errors: [{ message: "nested too deeply", offset: 0 }], ...NOTHING };
  }
}

function analyze(command: string): CommandAnalysis {
  const refused = findTextProblem(command);
  if (refused !== undefined) return { ok: false, errors: [refused], ...NOTHING };
  const { script, ...facts } = walkText(command);
  const git = gitAround(facts.commands);
  const unwrapped = facts.commands.map((simple) => unwrap(simple, git));
  const called = throughCalls(facts.commands, unwrapped, git);
  const nested = [...unwrapped, ...called].flatMap((each) => each.nested);
  const constructs = [...facts.constructs, ...nested.flatMap((each) => each.constructs)];
  const effective = unwrapped.flatMap((each) => each.effective);
  const base = {
    errors: facts.errors,
    commands: facts.commands,
    effective,
    perhaps: [...unwrapped, ...called].flatMap((each) => each.perhaps),
    nestedCommands: nested.flatMap((each) => each.commands),
    constructs,
    urls: findUrls(command, facts.commands, facts.constructs),
  };
  if (facts.errors.length > 0) return { ok: false, ...base };
  const leadingCd = findLeadingCd(command, script);
  const trailingPipe = segmentEnds(command, script).at(-1)?.pipe;
  const invocation = findInvocation(facts.commands.length, constructs, effective);
  return {
    ok: true,
    ...base,
    ...(leadingCd && { leadingCd }),
    ...(trailingPipe && { trailingPipe }),
    ...(invocation && { invocation }),
  };
}

/** The calls of aliases that the line defines: what they run is found as what perhaps runs. */
function throughCalls(
  commands: readonly SimpleCommand[],
  unwrapped: readonly Unwrapped[],
  git: GitAround,
): Unwrapped[] {
  const all = [...commands, ...unwrapped.flatMap(({ nested }) => nested.flatMap((each) => each.commands))];
  const running = unwrapped.flatMap(({ effective }) => effective);
  const { calls, exceeding } = aliasCalls(all, running);
  const found = calls.flatMap(({ facts, written }) => [
    { effective: [], nested: [facts], perhaps: [] },
    ...facts.commands.map((simple) => unwrap(simple, git, written)),
  ]);
  if (exceeding !== undefined) found.push(opaque(exceeding.argv, initialState(exceeding), TOO_LARGE));
  return found.map(({ effective, nested, perhaps }) => ({
    effective: [],
    nested,
    perhaps: [...effective, ...perhaps],
  }));
}

const NOTHING = { commands: [], effective: [], perhaps: [], nestedCommands: [], constructs: [], urls: [] };
