/**
 * The parser's node types that the walker knows; the set is closed, and a type missing here is reported as unknown.
 *
 * A newer parser may learn syntax no one has judged yet. Listing what is known, not what is dangerous, makes such a
 * command ask for permission instead of passing. `$"…"` is left out: bash expands what a message catalogue puts in its
 * place. The walk itself is in `walk.ts`.
 */
import type { SyntaxNode } from "unbash";

type NodeType = SyntaxNode["type"];

/** Compound syntax that is a construct by itself. */
export const PLAIN_CONSTRUCTS: Partial<Record<NodeType, PlainKind>> = {
  Subshell: "subshell",
  BraceGroup: "group",
  If: "if",
  While: "while",
  Case: "case",
  HereDoc: "here-document",
};

type PlainKind = "subshell" | "group" | "if" | "while" | "case" | "here-document";

/** Nodes that say nothing by themselves: lists, words and their parts, operators. */
export const KNOWN_NODES: ReadonlySet<NodeType> = new Set<NodeType>([
  "Script",
  "Statement",
  "CompoundList",
  "CaseItem",
  "Elif",
  "AndOr",
  // The walk notes pipelines itself, with their stages.
  "Pipeline",
  "Time",
  "Negation",
  "Word",
  "Literal",
  "Glob",
  "SingleQuoted",
  "DoubleQuoted",
  "AnsiCQuoted",
  "SimpleExpansion",
  "ExtendedGlob",
  "BraceExpansion",
  "Default",
  "Remove",
  "Replace",
  "Slice",
  "CaseModification",
  "Transform",
  "Names",
  "Assignment",
  "ArrayValue",
  "Redirect",
  "HereString",
  "FileDescriptor",
  "FileDescriptorVariable",
  "HereDocDelimiter",
  "HereDocBody",
  "ArithmeticBinary",
  "ArithmeticUnary",
  "ArithmeticTernary",
  "ArithmeticGroup",
  "ArithmeticWord",
  "TestUnary",
  "TestBinary",
  "TestLogical",
  "TestNot",
  "TestGroup",
]);
