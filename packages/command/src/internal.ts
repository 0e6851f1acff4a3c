/**
 * Names of `@pi-bash/command` that packages of pi-bash share, and that no host needs. They may change in any version: a host
 * imports `@pi-bash/command`.
 */
export { readsCode } from "./code-input.ts";
export { findValues } from "./find-predicates.ts";
export { singleQuoted } from "./fixups.ts";
export { INTERNAL_SCHEMES, parseInternalUrl } from "./internal-urls.ts";
export { SHELLS, type ShellLanguage, shellOptions } from "./shell-text.ts";
export { isLimitProblem, MAX_COMMAND_BYTES } from "./text-limits.ts";
export { programName, programNameOf } from "./unwrap.ts";
export { isBeyondLimits, readsCommands } from "./unwrap-shell.ts";
export { firstValue } from "./word.ts";
export { arrayElements, type ParameterPiece, type WordPiece, type WordPieces, wordPieces } from "./word-pieces.ts";
