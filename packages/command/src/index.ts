/** What a command line is. No one inside the package imports from here. */
export { analyzeCommand, type CommandAnalysis } from "./analyze.ts";
export { applyBashFixups, type BashFixups, type FixupMode, teeTrailingPipes } from "./fixups.ts";
export type { InternalScheme, UrlWord } from "./internal-urls.ts";
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
export type { TrailingPipe } from "./trailing-pipe.ts";
export { type EffectiveCommand, wordsOf } from "./unwrap-state.ts";
export type { Span, Word, WordExpansions } from "./word.ts";
