/**
 * What a table says of a program that runs another program.
 *
 * The tables are in `wrapper-table.ts` and `privileged-wrappers.ts`; how they are read is in `wrapper-options.ts`.
 */

/** Options and operands that stand before the wrapped command. */
export interface WrapperSpec {
  /** Short options without a value, as one string. */
  readonly flags: string;
  /** Short options with a value, attached (`-n5`) or the next word. */
  readonly valued: string;
  /** Short options whose value, if any, is attached: `prlimit -n10`. */
  readonly attached?: string;
  /** Long options without a value (or with one after `=` only). */
  readonly long?: readonly string[];
  /** Long options with a value, after `=` or as the next word. */
  readonly longValued?: readonly string[];
  /** Words before the command, such as the duration of `timeout`. */
  readonly operands?: number;
  /** What the first of these looks like; where it does not, how the words are read is not known. */
  readonly operand?: RegExp;
  /** `NAME=value` words may stand before the command, with any name. */
  readonly assignments?: boolean;
  /** A lone `-` is an option: `env - x`. */
  readonly dash?: boolean;
  /** Options may stand behind the operands as well: `ssh HOST -t x`. */
  readonly optionsBehind?: boolean;
  /** A lone number option such as `nice -10`. */
  readonly numericFlag?: boolean;
  /** The rest is one text for a shell when true: `watch`, `ssh`. */
  readonly joinsToShell?: boolean;
  /** Runs elsewhere or as someone else: looking through it is for deny rules, never a proof of harmlessness. */
  readonly privileged?: boolean;
  /** Any option of it changes more than how the command is started: its environment, its directory, a file. */
  readonly optionsAlter?: boolean;
  /** Options that do: `xargs --process-slot-var=PATH` sets a variable. */
  readonly altering?: readonly string[];
  /** Adds words of its own to the command: `xargs`. */
  readonly appends?: boolean;
  /** Prints something of its own, or runs the command more than once: no single command's output. */
  readonly noisy?: boolean;
  /** Options that make it start the command in another folder, which they name or which is not known. */
  readonly folder?: readonly string[];
  /** The first operand is the folder that the command starts in: `chroot`. */
  readonly folderOperand?: boolean;
  /** Options that make it do something else than running the rest. */
  readonly stops?: readonly string[];
  /** Options whose value is split into words that are read in their place: `env -S`. */
  readonly splitText?: readonly string[];
  /** The words behind the operands may be `-c TEXT`: `flock FILE -c 'x'`. */
  readonly textOption?: boolean;
  /** Without a command it starts a shell that reads its input: always, or with one of these options. */
  readonly startsShell?: true | readonly string[];
  /** Its options are not listed here: each of its words may be the program. */
  readonly unread?: boolean;
}

/** A wrapper with its short options: those without a value, and those with one. */
export function wrapper(flags: string, valued: string, rest: Omit<WrapperSpec, "flags" | "valued"> = {}): WrapperSpec {
  return { flags, valued, ...rest };
}

/** Long options by their names, separated by blanks. */
export function longOptions(names: string): readonly string[] {
  return names.split(" ").map((name) => `--${name}`);
}
