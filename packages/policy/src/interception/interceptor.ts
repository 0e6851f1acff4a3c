/**
 * Tells a model to use a better tool than the shell, before the command runs.
 *
 * A rule only holds while its tool is there, and it judges each simple command by itself: a text in quotes
 * (`echo "cat file"`) is no command, and a stage that reads a pipe has no file to read. Rules from settings are
 * regular expressions in linear time (see `../linear-pattern.ts`); one that does not compile is reported once and
 * skipped, because a typing error must not block every call. This is guidance and no permission check.
 */
import { analyzeCommand, type CommandAnalysis, type SimpleCommand, type Span } from "@pi-bash/command";
import type { InterceptorRule } from "@pi-bash/contract";
import { compilePattern, type LinearPattern } from "../linear-pattern.ts";
import { escapeForDisplay } from "../suspicious-text.ts";
import { DEFAULT_INTERCEPTOR_RULES } from "./default-rules.ts";

/** A rule that cannot be used. */
export interface InvalidRule {
  readonly rule: InterceptorRule;
  /** Lower-case, e.g. "pattern `(` of the rule for `read` does not compile: missing closing )". */
  readonly problem: string;
}

/** What interception decided: the command passes, or a tool takes it, with the message for the model. */
export type InterceptionResult =
  | { readonly block: false }
  | {
      readonly block: true;
      /** `Blocked: <message>`, a blank line, `Original command: <command>`. */
      readonly message: string;
      /** The tool to use instead. */
      readonly suggestedTool: string;
      /** The simple command that a rule matched, in UTF-16 offsets into the checked text. */
      readonly span: Span;
    };

/** Further choices of a check. */
export interface InterceptionOptions {
  /** What the message quotes, where the checked text is a rewritten form of it. Default: the checked text. */
  readonly originalCommand?: string;
  /** Notified of each invalid rule, once for a list of rules. */
  readonly onInvalidRule?: (invalid: InvalidRule) => void;
}

/**
 * Checks a command against the rules; no rules, or an empty list, means the default ones.
 *
 * `toolNames` are the tools the model can call now. The compiled form of a list of rules is kept while the list is.
 */
export function checkBashInterception(
  command: string,
  toolNames: Iterable<string>,
  rules?: readonly InterceptorRule[],
  options: InterceptionOptions = {},
): InterceptionResult {
  const tools = new Set(toolNames);
  const matchers =
    rules === undefined || rules.length === 0 ? DEFAULT_MATCHERS : compiled(rules, options.onInvalidRule);
  const analysis = analyzeCommand(command);
  const candidates = candidatesOf(command, analysis);
  for (const matcher of matchers) {
    const tool = matcher.tools.find((name) => tools.has(name));
    if (tool === undefined) continue;
    const hit = candidates.find((candidate) => matcher.matches(candidate));
    if (hit === undefined) continue;
    const message = `Blocked: ${matcher.message(tool)}\n\nOriginal command: ${escapeForDisplay(options.originalCommand ?? command)}`;
    return { block: true, message, suggestedTool: tool, span: hit.span };
  }
  return { block: false };
}

/** What a rule looks at: one simple command, or a text that is none. */
interface Candidate {
  /** As written, without leading assignments. */
  readonly text: string;
  /** Absent where the text could not be understood. */
  readonly command?: SimpleCommand;
  readonly span: Span;
}

interface Matcher {
  readonly tools: readonly string[];
  readonly message: (tool: string) => string;
  readonly matches: (candidate: Candidate) => boolean;
}

const DEFAULT_MATCHERS: readonly Matcher[] = DEFAULT_INTERCEPTOR_RULES.map((rule) => ({
  tools: rule.tools,
  message: rule.message,
  matches: ({ command }) => command !== undefined && rule.matches(command),
}));

const COMPILED = new WeakMap<readonly InterceptorRule[], readonly Matcher[]>();

function compiled(
  rules: readonly InterceptorRule[],
  onInvalid: InterceptionOptions["onInvalidRule"],
): readonly Matcher[] {
  const known = COMPILED.get(rules);
  if (known !== undefined) return known;
  const matchers: Matcher[] = [];
  for (const rule of rules) {
    const result = compilePattern(rule.pattern, rule.flags);
    if (result.ok) matchers.push(matcherOf(rule, result.pattern));
    else {
      const problem = `pattern \`${rule.pattern}\` of the rule for \`${rule.tool}\` does not compile: ${result.problem}`;
      onInvalid?.({ rule, problem });
    }
  }
  COMPILED.set(rules, matchers);
  return matchers;
}

function matcherOf(rule: InterceptorRule, pattern: LinearPattern): Matcher {
  return {
    tools: [rule.tool],
    message: () => rule.message,
    matches: (candidate) => pattern.test(candidate.text) && !isAllowedSubcommand(rule, candidate),
  };
}

/** `allowSubcommands: ["log"]` lets `git log` pass a rule for `git`. */
function isAllowedSubcommand(rule: InterceptorRule, candidate: Candidate): boolean {
  if (rule.allowSubcommands === undefined) return false;
  const subcommand = candidate.command?.argv.slice(1).find((word) => word.value?.startsWith("-") === false)?.value;
  return subcommand !== undefined && subcommand !== null && rule.allowSubcommands.includes(subcommand);
}

/**
 * The simple commands whose place a tool could take.
 *
 * What reads a pipe, feeds a substitution, or runs in a loop or a function works for the shell, not for the model. A
 * text that is no command line is checked as a whole, so that a rule cannot be dodged by a missing quote.
 */
function candidatesOf(command: string, analysis: CommandAnalysis): Candidate[] {
  const found = analysis.commands.flatMap((simple): Candidate[] => {
    const { readsPipe, substitution, loop, functionName } = simple.context;
    if (readsPipe || substitution || loop || functionName !== undefined || simple.argv.length === 0) return [];
    return [{ text: textOf(command, simple), command: simple, span: simple.span }];
  });
  if (analysis.ok) return found;
  return [...found, { text: command.trim(), span: { start: 0, end: command.length } }];
}

function textOf(command: string, simple: SimpleCommand): string {
  const start = simple.argv[0]?.span.start ?? simple.span.start;
  return command.slice(simple.assignments.length > 0 ? start : simple.span.start, simple.span.end);
}
