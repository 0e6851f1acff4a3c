/**
 * Nodes of the syntax tree that bash reads otherwise, so that it may run what the tree does not show. A text with one of
 * them counts as not understood.
 *
 * The parser takes each of these without an error; random lines beside a real bash found them (`hidden-commands` in the
 * tests of the policy). Gaps between the words of a command are in `simple-command.ts`.
 */
import type { DoubleQuotedChild, SyntaxNode, Word, WordPart } from "unbash";
import { testEvaluates } from "./expansion-risk.ts";

/** True for a node that bash reads otherwise, or of which it expands what the tree holds for literal. */
export function isMisread(node: SyntaxNode): boolean {
  switch (node.type) {
    case "Assignment":
      return isMisreadAssignment(node);
    case "Word":
      return node.parts === undefined && expandsIn(node.text);
    case "ParameterExpansion":
      return isMisreadParameter(node);
    case "CommandExpansion":
    case "ProcessSubstitution":
      // A script that reaches to the end of its substitution leaves no room for the bracket: `$(b $(c)`.
      return isCutShort(node) || (node.text.endsWith(")") && (node.script?.end ?? 0) >= node.end);
    case "ArithmeticWord":
      // Where parentheses do not match, bash takes `((` for two subshells: `(( <(a; case x in x) b;; esac) ))`.
      return hidesSubstitution(node) || (node.parts === undefined && /[;()]/.test(node.value));
    case "HereDocBody":
      // Quotes mean nothing inside of `${…}` there either.
      return (node.parts ?? []).some(
        (part) => part.type === "ParameterExpansion" && hidesSubstitution({ value: "", parts: [part] }),
      );
    case "ArithmeticCommand":
      return mayBeSubshells(node.body);
    case "ArithmeticExpansion":
      return isCutShort(node) || mayBeSubshells(node.text.slice("$((".length));
    case "TestUnary":
      return testEvaluates(node) && hidesSubstitution(node.operand);
    case "TestBinary":
      return testEvaluates(node) && [node.left, node.right].some(hidesSubstitution);
    default:
      return isCutShort(node);
  }
}

/** Behind an empty array a word goes on (`` a=()`b` ``); subscripts are expanded once more. */
function isMisreadAssignment({ value, index }: Of<"Assignment">): boolean {
  if (index !== undefined && hidesSubstitution(index)) return true;
  if (value.type === "Word") return value.text.startsWith("(");
  return value.elements.some(({ text }) => HIDES_IN_SUBSCRIPT.test(SUBSCRIPT.exec(text)?.[0] ?? ""));
}

/** The subscript of an element, of which the parser gives the source alone: `(['$(b)']=1)`. */
const SUBSCRIPT = /^\[.*\]\+?=/s;
const HIDES_IN_SUBSCRIPT = /'[^']*(?:\$\(|`)[^']*'|\\[$`]/;

/** Of `${a[{$(b),c}]}` the parser knows only the name; bounds of a slice and subscripts are expanded once more. */
function isMisreadParameter(node: Of<"ParameterExpansion">): boolean {
  const { index, operation } = node;
  if (operation?.type === "Unknown" || isCutShort(node)) return true;
  const bounds = operation?.type === "Slice" ? [operation.offset, operation.length] : [];
  return [index, ...bounds].some((word) => word !== undefined && hidesSubstitution(word));
}

/**
 * Whether bash may take `$((` for a subshell in a substitution: it counts parentheses without regard to what means none,
 * a `case`, a here-document, a comment. `$((rm -rf / + $(case x in (x) ;; esac)))` runs `rm`.
 */
function mayBeSubshells(expression: string): boolean {
  return /\$\(|`|[<>]\(/.test(expression) && UNEVEN.test(expression);
}

const UNEVEN = /\bcase\b|(?<!<)<<(?!<)-?\s*['"\\A-Za-z_]|(?:^|[\s;(])#|\\[()]|;;/;

type Of<T extends SyntaxNode["type"]> = Extract<SyntaxNode, { type: T }>;

/** How parts end; one that ends otherwise was cut: bash runs the `c` of `${a/$(b /; c)/}`, the parser stops at the `/`. */
const ENDS: Partial<Record<SyntaxNode["type"], RegExp>> = {
  CommandExpansion: /^`[\s\S]*`$|[)}]$/,
  ProcessSubstitution: /\)$/,
  ParameterExpansion: /\}$/,
  ArithmeticExpansion: /\)\)$|\]$/,
  SingleQuoted: /^'[\s\S]*'$/,
  AnsiCQuoted: /^\$'[\s\S]*'$/,
  DoubleQuoted: /^"[\s\S]*"$/,
};

function isCutShort(node: SyntaxNode): boolean {
  return "text" in node && ENDS[node.type]?.test(node.text) === false;
}

/** A word without parts has no quotes: what no backslash stands before has its meaning. */
function expandsIn(text: string): boolean {
  return /[$`(]/.test(text) && /`|[<>]\(|\$[\w({*@#?!$'"[-]/.test(text.replaceAll(/\\[\s\S]/g, ""));
}

/**
 * What is expanded once more may hide a substitution in its quotes: `a['$(b)']=1` runs `b`, and quotes mean nothing in
 * arithmetic, `$((${x:-'$(b)'}))`.
 */
function hidesSubstitution({ value, parts }: LiteralParts): boolean {
  if (parts === undefined) return holdsSubstitution(value);
  return parts.some((part) => {
    switch (part.type) {
      case "DoubleQuoted":
      case "LocaleString":
        return hidesSubstitution({ value: "", parts: part.parts });
      case "ParameterExpansion":
        return wordsOf(part).some(hidesSubstitution);
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        return holdsSubstitution(part.value);
      default:
        return false;
    }
  });
}

/** The words inside of `${…}`. */
function wordsOf({ index, operation }: Of<"ParameterExpansion">): readonly LiteralParts[] {
  const given = Object.values({ index, ...operation });
  return given.filter((each): each is Word => typeof each === "object" && each.type === "Word");
}

interface LiteralParts {
  readonly value: string;
  readonly parts?: readonly (WordPart | DoubleQuotedChild)[] | undefined;
}

function holdsSubstitution(text: string): boolean {
  return /\$\(|`/.test(text);
}
