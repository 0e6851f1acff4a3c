/** A place of a line that gives a variable a value, and what it asks about the line around it. */
import type { CommandContext, EffectiveCommand, Span } from "@pi-bash/command";
import type { Field, Values } from "./fields.ts";

/** One place that gives a variable a value. */
export interface Source {
  readonly start: number;
  /** Inside this range the value is surely this one: the body of a loop. */
  readonly within?: Span;
  /** Happens before everything behind it. */
  readonly always: boolean;
  readonly values: (at: Use) => readonly Field[];
  /** The values depend on where the variable is used. */
  readonly local?: boolean;
  /** Set while it is worked out: `x=$x/..`. */
  open?: boolean;
  known?: readonly Field[];
}

/** Where a variable is used. */
export interface Use {
  readonly command: EffectiveCommand | undefined;
  readonly start: number;
  readonly context: CommandContext | undefined;
}

/** What a source asks about the line around it. */
export interface Surroundings {
  at(command: EffectiveCommand): Values;
  use(use: Use): Values;
  inputOf(command: EffectiveCommand): readonly Field[];
}

/** `isReference`: the values are another variable's where this one is used. */
export type Assigned = readonly [name: string, values: (use: Use) => readonly Field[], isReference?: boolean];
