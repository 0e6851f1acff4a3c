/**
 * The facts of a parsed command line: simple commands, where they stand, and every other construct around them.
 *
 * Only data: who finds them is in `walk.ts`, what they mean for permissions is the policy's matter. The list of
 * construct kinds is closed on purpose: a node the walker does not know becomes `unknown`, and a policy refuses it.
 */
import type { Span, Word } from "./word.ts";

/** A place where the text is not a valid command line. */
export interface SyntaxProblem {
  /** Lower-case, without a full stop, e.g. "unterminated single quote". */
  readonly message: string;
  /** UTF-16 offset of the problem. */
  readonly offset: number;
}

/** `NAME=value`, `NAME+=value`, `NAME[index]=value` or `NAME=(…)`, before a command or alone. */
export interface Assignment {
  readonly name: string;
  /** The assigned word; null for an array or an element of one. */
  readonly value: Word | null;
  readonly append: boolean;
  readonly text: string;
  readonly span: Span;
}

/** One redirection of a simple or compound command. */
export interface Redirection {
  readonly operator: ">" | ">>" | "<" | "<>" | "<&" | ">&" | ">|" | "&>" | "&>>" | "<<" | "<<-" | "<<<";
  /** The number before the operator, the name of `{name}>`, or undefined for the operator's own default. */
  readonly descriptor: number | string | undefined;
  /** Target word; null for a here-document or a missing target. */
  readonly target: Word | null;
  /** Body of a here-document, as written. */
  readonly body?: string;
  readonly text: string;
  readonly span: Span;
}

/** Where a command stands. A flag is true when any enclosing construct makes it so. */
export interface CommandContext {
  /** In `(…)`. */
  readonly subshell: boolean;
  /** In `$(…)`, backticks, `<(…)` or `>(…)`. */
  readonly substitution: boolean;
  /** In a list ended by `&`, or a coprocess. */
  readonly background: boolean;
  /** Reads what another command writes: a later stage of a pipeline, or anything inside one. */
  readonly readsPipe: boolean;
  /** Its output feeds another command. */
  readonly writesPipe: boolean;
  /** In a stage of a pipeline of several: a process of its own, whose variables die with it. */
  readonly stage: boolean;
  readonly loop: boolean;
  /** May be skipped: after `&&` or `||`, in `if`, `case`, a loop body. */
  readonly conditional: boolean;
  /** Name of the innermost function whose body it is part of. */
  readonly functionName?: string;
}

/** A simple command: words, assignments and redirections, before any wrapper is looked through. */
export interface SimpleCommand {
  /** Program and arguments; empty for a line of assignments or redirections alone. */
  readonly argv: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirections: readonly Redirection[];
  readonly context: CommandContext;
  readonly span: Span;
}

/** Syntax other than simple commands, with the place it stands in. */
export type Construct = ConstructKind & { readonly context: CommandContext };

/** `parameter` and `arithmetic` are listed because expanding them can act. */
type ConstructKind =
  | {
      readonly kind:
        | "subshell"
        | "group"
        | "if"
        | "while"
        | "case"
        | "background"
        | "command-substitution"
        | "process-substitution"
        | "here-document";
      readonly span: Span;
      readonly text: string;
    }
  | {
      readonly kind: "pipeline";
      /** The commands of each stage, at any nesting; one stage for `! x` and `time x`. */
      readonly stages: readonly (readonly SimpleCommand[])[];
      readonly span: Span;
      readonly text: string;
    }
  | {
      /** `coproc NAME …`: the name of the array that is assigned, `COPROC` where none is given. */
      readonly kind: "coproc";
      readonly name: string;
      readonly span: Span;
      readonly text: string;
    }
  | {
      /** `for name in …` and `select name in …`: the name is assigned in the session. */
      readonly kind: "for" | "select";
      readonly name: string;
      readonly span: Span;
      readonly text: string;
    }
  | { readonly kind: "function"; readonly name: string; readonly span: Span; readonly text: string }
  | {
      /** `((…))`, `$((…))`, `$[…]`, `for ((…))`, a slice: `literal` when made of numbers and operators alone. */
      readonly kind: "arithmetic";
      readonly literal: boolean;
      readonly span: Span;
      readonly text: string;
    }
  | {
      /** `${…}`. `acts` says why expanding it is more than reading a variable. */
      readonly kind: "parameter";
      readonly acts: "assign" | "indirect" | "transform" | "subscript" | "error" | "none";
      readonly span: Span;
      readonly text: string;
    }
  | {
      /** `[[ … ]]`. `evaluates` when an operator computes its operands (`-v`, `-eq`), which runs subscripts. */
      readonly kind: "test";
      readonly evaluates: boolean;
      readonly span: Span;
      readonly text: string;
    }
  | {
      /** The words a `for` or `select` goes through. */
      readonly kind: "word-list";
      readonly words: readonly Word[];
      readonly span: Span;
      readonly text: string;
    }
  | { readonly kind: "redirection"; readonly redirection: Redirection; readonly span: Span; readonly text: string }
  | { readonly kind: "unknown"; readonly type: string; readonly span: Span; readonly text: string };

/** Everything found in one text. */
export interface SyntaxFacts {
  readonly errors: readonly SyntaxProblem[];
  readonly commands: readonly SimpleCommand[];
  readonly constructs: readonly Construct[];
}
