/** What a command line is. Nobody inside the package imports from here. */
export { analyzeCommand, type CommandAnalysis } from "./analyze.ts";
export { findValues } from "./find-predicates.ts";
export { applyBashFixups, type BashFixups, type FixupMode, singleQuoted, teeTrailingPipes } from "./fixups.ts";
export { INTERNAL_SCHEMES, type InternalScheme, parseInternalUrl, type UrlWord } from "./internal-urls.ts";
export type { Invocation } from "./invocation.ts";
export type { LeadingCd } from "./leading-cd.ts";
export type {
  Assignment,
  CommandContext,
  Construct,
  Redirection,
  SimpleCommand,
  SyntaxProblem,
} from "./syntax.ts";
export { MAX_COMMAND_BYTES } from "./text-limits.ts";
export type { TrailingPipe } from "./trailing-pipe.ts";
export { programName, programNameOf } from "./unwrap.ts";
export { type EffectiveCommand, wordsOf } from "./unwrap-state.ts";
export type { Span, Word, WordExpansions } from "./word.ts";
export { arrayElements, type ParameterPiece, type WordPiece, type WordPieces, wordPieces } from "./word-pieces.ts";
