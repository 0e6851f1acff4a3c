/**
 * The context that a syntax node gives to the commands inside it.
 *
 * Pipelines and lists give each of their parts another one; those two are in `walk.ts`.
 */
import type { SyntaxNode } from "unbash";
import type { CommandContext } from "./syntax.ts";

/** Where the first command of a text stands. */
export const TOP_LEVEL: CommandContext = {
  subshell: false,
  substitution: false,
  background: false,
  readsPipe: false,
  writesPipe: false,
  stage: false,
  loop: false,
  conditional: false,
};

/** The context of a node's children. */
export function contextInside(node: SyntaxNode, context: CommandContext): CommandContext {
  switch (node.type) {
    case "Statement":
      return node.background === true ? { ...context, background: true } : context;
    case "Subshell":
      return { ...context, subshell: true };
    case "Coproc":
      return { ...context, background: true, readsPipe: true, writesPipe: true };
    case "Function":
      return { ...context, functionName: node.name.value, conditional: true };
    case "For":
    case "ArithmeticFor":
    case "Select":
    case "While":
      return { ...context, loop: true, conditional: true };
    case "If":
    case "Case":
      return { ...context, conditional: true };
    default:
      return context;
  }
}
