/**
 * What a table says of a launcher: a program of which running another one is one use among many, as `npx`, `docker` and
 * `git` are.
 *
 * A launcher stays the command that runs, for rules that allow and for tables. What it starts is one more reading, for
 * deny rules and hard blocks alone, so the tables need not be complete: behind an option that is not listed the next
 * word may be its value or the command, and both are read. The tables are in `launcher-table.ts`, the reader is
 * `unwrap-launcher.ts`.
 */

/** One way in which a launcher starts a command. */
export interface LaunchForm {
  /** Words that lead to the command, such as `["netns", "exec"]`; `exec|x` is either, `*` any operand. */
  readonly path: readonly string[];
  /** Options without a value. */
  readonly flags: ReadonlySet<string>;
  /** Options whose value is the next word, where it is not attached. */
  readonly valued: ReadonlySet<string>;
  /** Options whose value is a text for a shell, or one program. */
  readonly texts: ReadonlySet<string>;
  /** Options whose value is the program; what else stands in the line are its arguments. */
  readonly programs: ReadonlySet<string>;
  /**
   * What the operands behind the path are: a command, several texts for a shell (`concurrently`), one text that they
   * make together (`mosh`), or something else.
   */
  readonly runs: "command" | "texts" | "joined" | "other";
  /** A command may also stand behind the first `--`, whatever stands before it. */
  readonly dashes: boolean;
  /** `NAME=value` words may stand before the command. */
  readonly assignments: boolean;
  /** Without a command it starts a shell, which reads its input. */
  readonly startsShell: boolean;
}

/** A program that can start others. */
export interface Launcher {
  readonly forms: readonly LaunchForm[];
  /** The command runs in a container or on another machine: what it removes there is not here. */
  readonly contained: boolean;
  /** The container has the user's home folder in it: `toolbox`. */
  readonly sharesHome?: boolean;
}

/** A form as the tables write it: lists of options are separated by blanks. */
export interface FormText {
  readonly flags?: string;
  readonly valued?: string;
  readonly texts?: string;
  readonly programs?: string;
  readonly runs?: LaunchForm["runs"];
  readonly dashes?: boolean;
  readonly assignments?: boolean;
  readonly startsShell?: boolean;
}

/** A form by its path, separated by blanks. */
export function form(path: string, text: FormText = {}): LaunchForm {
  return {
    path: [...words(path)],
    flags: words(text.flags),
    valued: words(text.valued),
    texts: words(text.texts),
    programs: words(text.programs),
    runs: text.runs ?? "command",
    dashes: text.dashes === true,
    assignments: text.assignments === true,
    startsShell: text.startsShell === true,
  };
}

function words(text = ""): ReadonlySet<string> {
  return new Set(text.split(" ").filter((word) => word !== ""));
}
