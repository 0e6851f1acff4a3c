/** Builtins of bash that several readings of a line ask for. Source: bash(1), "SHELL BUILTIN COMMANDS". */

/** They take assignments as words: `export x=1`. */
export const DECLARES: ReadonlySet<string> = new Set(["declare", "typeset", "local", "export", "readonly"]);
