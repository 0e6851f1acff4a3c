/**
 * Builtins of bash that several readings of a line ask for, by what they do to the shell that runs them.
 *
 * Source: bash(1), "SHELL BUILTIN COMMANDS". What else a builtin does is said where one reading needs it.
 */

/** They give a variable attributes that only some builtins can: `-i`, `-n`, `-a`. */
export const GIVES_ATTRIBUTES: ReadonlySet<string> = new Set(["declare", "typeset", "local"]);

/** They take assignments as words: `export x=1`. */
export const DECLARES: ReadonlySet<string> = new Set([...GIVES_ATTRIBUTES, "export", "readonly"]);

/** They set variables to what they read. */
export const READS_LINES: ReadonlySet<string> = new Set(["read", "mapfile", "readarray"]);

/** They change the folder of what follows. */
export const CHANGES_FOLDER: ReadonlySet<string> = new Set(["cd", "pushd", "popd"]);

/** They run text or a file in the shell itself. */
export const RUNS_IN_SHELL: ReadonlySet<string> = new Set(["eval", "source", "."]);
