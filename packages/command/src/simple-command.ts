/**
 * Turns the parser's node of a simple command into ours: words, assignments and redirections.
 *
 * `declare x=1` and `env x=1` look alike to the parser, which calls both arguments assignments; to the program they
 * are arguments, so they become words here. Where a command stands is the walk's matter (see `walk.ts`).
 */
import type {
  Assignment as AssignmentNode,
  Command,
  HereString,
  Redirect,
  Redirection as RedirectionNode,
  SyntaxNode,
  Word as SyntaxWord,
} from "unbash";
import type { Assignment, CommandContext, Redirection, SimpleCommand } from "./syntax.ts";
import { type SpanOf, toWord, type Word } from "./word.ts";

/** Converts one command; `source` is the text the node's positions index. */
export function toSimpleCommand(node: Command, source: string, context: CommandContext, spanOf: SpanOf): SimpleCommand {
  const words = node.args.map((item) => (item.type === "Word" ? toWord(item, spanOf) : assignmentWord(item, spanOf)));
  return {
    argv: node.name === undefined ? words : [toWord(node.name, spanOf), ...words],
    assignments: node.prefix.flatMap((item) => (item.type === "Assignment" ? [toAssignment(item, spanOf)] : [])),
    redirections: node.redirects.map((redirect) => toRedirection(redirect, source, spanOf)),
    context,
    span: spanOf(node.pos, node.end),
  };
}

/** Converts one redirection of a simple or compound command. */
export function toRedirection(node: RedirectionNode, source: string, spanOf: SpanOf): Redirection {
  const target = node.type === "HereDoc" ? undefined : node.target;
  return {
    operator: node.operator,
    descriptor: node.descriptor?.type === "FileDescriptor" ? node.descriptor.value : node.descriptor?.name,
    target: target === undefined ? null : toWord(target, spanOf),
    ...(node.type === "HereDoc" ? { body: node.body.text } : {}),
    text: source.slice(node.pos, node.end),
    span: spanOf(node.pos, node.end),
  };
}

/**
 * The offset of text between the parts of a command that is no blank, or undefined.
 *
 * The parser passes over a few tokens that bash rejects (`rm (x`) without an error; between parts only blanks and
 * line continuations may stand. It also ends a word before `<(`, where bash goes on: a word that touches what stands
 * before it is part of that.
 */
export function findGap(node: Command, source: string): number | undefined {
  const parts = [...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix];
  parts.sort((a, b) => a.pos - b.pos);
  let end = node.pos;
  for (const part of parts) {
    if (!/^(?:[ \t]|\\\n)*$/.test(source.slice(end, part.pos))) return end;
    if (part !== parts[0] && isWordPart(part) && !/[ \t]/.test(source.slice(end, part.pos))) return end;
    end = part.end;
    if ((part.type === "Redirect" || part.type === "HereString") && isDescriptor(part, source)) return end;
  }
  // `x (` at the end of a text: no command is ever followed by a parenthesis that opens.
  return /^(?:[ \t]|\\\n)*\(/.test(source.slice(end)) ? end : undefined;
}

function isWordPart(part: Command["prefix"][number] | Command["suffix"][number]): boolean {
  return part.type === "Word" || part.type === "Assignment";
}

/** The offset where two words of a list touch, or undefined: for bash they are one. */
export function findTouching(words: readonly SyntaxWord[]): number | undefined {
  return words.find((word, at) => at > 0 && words[at - 1]?.end === word.pos)?.pos;
}

/**
 * True where a word goes on behind a process substitution that ends at `end`.
 *
 * The parser begins another word there, or a comment; bash does not, and runs the `b` of `cat <(a)#; b`.
 */
export function wordGoesOn(source: string, end: number): boolean {
  return !/^[\s;&|()<>}]?$/.test(source.slice(end, end + 1));
}

/**
 * True where bash joins lines that the parser leaves apart: it reads a here-document, and what stands between backquotes,
 * without its inner quotes, so that a backslash ends a line even in `'…'`.
 */
export function isJoinedByBash(node: SyntaxNode): boolean {
  if (node.type === "CommandExpansion") return node.text.startsWith("`") && node.text.includes("\\\n");
  if (node.type !== "HereDoc" || /['"\\]/.test(node.delimiter?.text ?? "")) return false;
  const { text, parts = [] } = node.body;
  return text.includes("$\\\n") || parts.some((part) => part.type !== "Literal" && part.text.includes("\\\n"));
}

/** In `>> 2>&1` bash takes the 2 for a descriptor, and the first redirection has no target: a syntax error. */
function isDescriptor(redirect: Redirect | HereString, source: string): boolean {
  const copies = redirect.operator === ">&" || redirect.operator === "<&";
  return !copies && /^\d+$/.test(redirect.target?.text ?? "") && /[<>]/.test(source[redirect.end] ?? "");
}

function toAssignment(node: AssignmentNode, spanOf: SpanOf): Assignment {
  return {
    name: node.name,
    value: node.value.type === "Word" && node.index === undefined ? toWord(node.value, spanOf) : null,
    append: node.append === true,
    text: node.text,
    span: spanOf(node.pos, node.end),
  };
}

function assignmentWord(node: AssignmentNode, spanOf: SpanOf): Word {
  if (node.value.type !== "Word" || node.index !== undefined) {
    return toWord({ type: "Word", text: node.text, value: node.text, pos: node.pos, end: node.end }, spanOf);
  }
  const value = toWord(node.value, spanOf);
  const head = `${node.name}${node.append === true ? "+=" : "="}`;
  return {
    ...value,
    value: value.value === null ? null : head + value.value,
    text: node.text,
    display: head + value.display,
    leading: head + value.leading,
    span: spanOf(node.pos, node.end),
  };
}
