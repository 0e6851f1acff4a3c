/**
 * The one place a command line is read: everything the product knows about it, from a single parse.
 *
 * Policy, interception, fixups, internal URLs and the minimizer's plan all start here, so that no two of them can
 * disagree about what a command is. Nothing is judged here; `ok` only says that the text was understood completely.
 */
import { parse } from "unbash";
import { findUrls, type UrlWord } from "./internal-urls.ts";
import { findInvocation, type Invocation } from "./invocation.ts";
import { findLeadingCd, type LeadingCd } from "./leading-cd.ts";
import type { Construct, SimpleCommand, SyntaxProblem } from "./syntax.ts";
import { segmentEnds, type TrailingPipe } from "./trailing-pipe.ts";
import { type EffectiveCommand, unwrap } from "./unwrap.ts";
import { walkText } from "./walk.ts";

/** Longest command line that is analysed, in bytes of UTF-8; a longer one is reported as not understood. */
export const MAX_COMMAND_BYTES = 64 * 1024;

/** What a command line is. */
export interface CommandAnalysis {
  /** True when the whole text was understood; false means: treat it as unknown. */
  readonly ok: boolean;
  readonly errors: readonly SyntaxProblem[];
  /** Every simple command at any nesting, in source order, as written. */
  readonly commands: readonly SimpleCommand[];
  /** What runs in the end: wrappers looked through, texts of `bash -c` read. */
  readonly effective: readonly EffectiveCommand[];
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

/** Analyses a command line. Never throws; problems are in `errors`. */
export function analyzeCommand(command: string): CommandAnalysis {
  const refused = refuseText(command);
  if (refused !== undefined) return { ok: false, errors: [refused], ...NOTHING };
  const script = parse(command);
  const facts = walkText(command, undefined, script);
  const unwrapped = facts.commands.map(unwrap);
  const nested = unwrapped.flatMap((each) => each.nested);
  const constructs = [...facts.constructs, ...nested.flatMap((each) => each.constructs)];
  const effective = unwrapped.flatMap((each) => each.effective);
  const base = {
    errors: facts.errors,
    commands: facts.commands,
    effective,
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

const NOTHING = { commands: [], effective: [], nestedCommands: [], constructs: [], urls: [] };

/** Bytes that no parser should see: bash drops NUL silently, and a lone surrogate has no bytes at all. */
function refuseText(command: string): SyntaxProblem | undefined {
  const nul = command.indexOf("\0");
  if (nul !== -1) return { message: "contains a NUL byte", offset: nul };
  const lone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.exec(command);
  if (lone !== null) return { message: "contains a lone surrogate", offset: lone.index };
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    return { message: `is longer than ${MAX_COMMAND_BYTES} bytes`, offset: 0 };
  }
  return isTooDeep(command) ? { message: "nested too deeply", offset: 0 } : undefined;
}

/** Levels of parentheses or braces in a text that is parsed at all. */
const MAX_OPEN = 64;

/**
 * True for a text whose parentheses or braces nest beyond reason, quotes not considered. The parser reads a text once
 * a level, so that 64 KiB of `$(` would keep it busy for seconds.
 */
function isTooDeep(command: string): boolean {
  let parens = 0;
  let braces = 0;
  for (const char of command) {
    if (char === "(") parens++;
    else if (char === ")") parens = Math.max(0, parens - 1);
    else if (char === "{") braces++;
    else if (char === "}") braces = Math.max(0, braces - 1);
    if (parens > MAX_OPEN || braces > MAX_OPEN) return true;
  }
  return false;
}
