/**
 * The redirections of a line, with the commands whose variables their targets are made of.
 *
 * A target is expanded where its command runs: `$1` is the argument of a function or of `sh -c`. A command that is made
 * of redirections alone (`> "$1"`), and a block, run no program: they stand for themselves.
 */
import type { CommandAnalysis, EffectiveCommand, Redirection, SimpleCommand } from "@pi-bash/command";
import { startsOf } from "./searches/find-expression.ts";
import { expandWord, type Field, textField, UNKNOWN, type Values } from "./values/fields.ts";

/** A redirection of one command. */
export interface PlacedRedirection {
  readonly redirection: Redirection;
  /** What the command comes to; a text for a shell may be run by several. */
  readonly commands: readonly EffectiveCommand[];
}

/** The redirections that open a file to write to it. */
export function writingRedirections(analysis: CommandAnalysis): readonly PlacedRedirection[] {
  const effective = new Map<SimpleCommand, EffectiveCommand[]>();
  for (const command of analysis.effective) {
    const known = effective.get(command.simple);
    if (known === undefined) effective.set(command.simple, [command]);
    else known.push(command);
  }
  const ofCommands = [...analysis.commands, ...analysis.nestedCommands];
  const ofBlocks = analysis.constructs.flatMap((construct): SimpleCommand[] => {
    if (construct.kind !== "redirection") return [];
    const { context, span, redirection } = construct;
    return [{ argv: [], assignments: [], redirections: [redirection], context, span }];
  });
  const around = textsAround(analysis);
  return [...ofCommands, ...ofBlocks].flatMap((simple) => {
    const commands = effective.get(simple)?.map(withoutOwnAssignments) ?? [standIn(simple, around(simple))];
    return simple.redirections.filter(isWriting).map((redirection) => ({ redirection, commands }));
  });
}

function isWriting({ target, operator }: Redirection): boolean {
  return target !== null && operator !== "<<<" && operator !== "<";
}

/** `X=/dev/sda cat > $X`: what is set for the program is not set for the shell that opens the file. */
function withoutOwnAssignments(command: EffectiveCommand): EffectiveCommand {
  const own = command.simple.assignments;
  if (own.length === 0) return command;
  return { ...command, assignments: command.assignments.filter((each) => !own.includes(each)) };
}

/** Finds the command that a text is given to; all that stands in the text has its place, which is that of a word. */
function textsAround({ commands }: CommandAnalysis): (simple: SimpleCommand) => SimpleCommand | undefined {
  const found = new Map<number, SimpleCommand>();
  for (const command of commands) {
    for (const { span } of command.argv.slice(1)) if (!found.has(span.start)) found.set(span.start, command);
  }
  return ({ span }) => found.get(span.start);
}

/** A command for words that no program is given; `around` is the one that the text it stands in is given to. */
export function standIn(simple: SimpleCommand, around?: SimpleCommand): EffectiveCommand {
  return {
    argv: [],
    via: [],
    argvComplete: true,
    opaque: false,
    elsewhere: false,
    movedTo: [],
    contained: false,
    assignments: around?.assignments ?? [],
    simple,
    written: around ?? simple,
    privileged: false,
    noisy: false,
    span: simple.span,
  };
}

/** What `find` may give to a text as its arguments: a place that it starts in, or something below. */
export function foundBySearches(
  commands: readonly EffectiveCommand[],
  at: (command: EffectiveCommand) => Values,
): readonly Field[] {
  return commands.flatMap((search) => {
    const starts = startsOf(search).flatMap((word) => expandWord(word, at(search)));
    return [...starts, ...starts.map((start): Field => [...start, ...textField("/"), UNKNOWN])];
  });
}

/** What words mean where the arguments may also be these. */
export function withArguments(values: Values, given: readonly Field[]): Values {
  if (given.length === 0) return values;
  const more = (name: string): readonly Field[] => (/^(?:\d+|[@*]|@last)$/.test(name) ? given : []);
  return { ...values, variable: (name) => [...values.variable(name), ...more(name)] };
}
