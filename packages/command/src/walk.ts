/**
 * Finds every simple command and every construct of a text, at any nesting, with the context each stands in.
 *
 * Substitutions, here-documents, array subscripts, `${x:-$(…)}`, coprocesses and function bodies all run commands, so
 * the walk follows the parser's own child list and needs no knowledge of where commands can hide; it only adds
 * context. A node type that is not named here becomes an `unknown` construct: the set is closed. Wrappers such as
 * `sudo` or `bash -c` are looked through later (see `unwrap.ts`).
 */
import { forEachChild, type Script, type SyntaxNode } from "unbash";
import { hasOddEscape } from "./ansi-string.ts";
import { contextInside, TOP_LEVEL } from "./command-context.ts";
import { arithmeticIsLiteral, testEvaluates, whyParameterActs } from "./expansion-risk.ts";
import { isMisread } from "./misread.ts";
import { KNOWN_NODES, PLAIN_CONSTRUCTS } from "./node-kinds.ts";
import { parsedText } from "./parsed-text.ts";
import { findGap, findTouching, isJoinedByBash, toRedirection, toSimpleCommand, wordGoesOn } from "./simple-command.ts";
import type { CommandContext, Construct, SimpleCommand, SyntaxFacts } from "./syntax.ts";
import { isTooDeep, parsedLength } from "./text-limits.ts";
import { type Span, type SpanOf, toWord } from "./word.ts";

/** Levels of syntax nodes the walk follows: about six a nested substitution, so 64 of them. */
const MAX_DEPTH = 400;
/** Nodes looked at in one text. Real command lines have hundreds; more is an attempt to outlast the check. */
const MAX_NODES = 4_000;

type Node = SyntaxNode;
type Of<T extends Node["type"]> = Extract<Node, { type: T }>;

/** What is in a text, and its syntax tree. */
export interface WalkedText extends SyntaxFacts {
  readonly script: Script;
}

/**
 * Parses a text and lists what is in it.
 *
 * `origin` maps the commands of a text that is itself part of a command line (`bash -c '…'`) to the word it came from.
 */
export function walkText(text: string, origin?: { span: Span; context: CommandContext }): WalkedText {
  const walker = new Walker(text, origin?.span);
  // Texts out of `$'\x28…'` have parentheses that the command line does not show.
  const tooDeep = origin !== undefined && isTooDeep(text);
  const length = tooDeep ? 0 : parsedLength(text);
  const script = parsedText(length === text.length ? text : text.slice(0, length));
  walker.walkScript(script, origin?.context ?? TOP_LEVEL, 0);
  if (length < text.length) walker.giveUp(tooDeep ? "nested too deeply" : "too many parts", length);
  return { script, errors: walker.errors, commands: walker.commands, constructs: walker.constructs };
}

class Walker {
  readonly errors: { message: string; offset: number }[] = [];
  readonly commands: SimpleCommand[] = [];
  readonly constructs: Construct[] = [];
  #source: string;
  /** Set while the positions do not index the command line: everything then has the span of the outer word. */
  #fixedSpan: Span | undefined;
  #nodes = 0;

  constructor(source: string, fixedSpan: Span | undefined) {
    this.#source = source;
    this.#fixedSpan = fixedSpan;
  }

  walkScript(script: Of<"Script">, context: CommandContext, depth: number): void {
    for (const error of script.errors ?? []) {
      this.errors.push({ message: error.message, offset: this.#fixedSpan?.start ?? error.pos });
    }
    this.#children(script, context, depth);
  }

  readonly #spanOf: SpanOf = (start, end) => this.#fixedSpan ?? { start, end };

  #text(node: { pos: number; end: number }): string {
    return this.#source.slice(node.pos, node.end);
  }

  #children(node: Node, context: CommandContext, depth: number): void {
    forEachChild(node, (child) => this.#visit(child, context, depth + 1));
  }

  #visit(node: Node, context: CommandContext, depth: number): void {
    this.#nodes++;
    if (depth > MAX_DEPTH || this.#nodes > MAX_NODES) {
      this.giveUp(depth > MAX_DEPTH ? "nested too deeply" : "too many parts", node.pos);
      return;
    }
    switch (node.type) {
      case "Command":
        this.#command(node, context, depth);
        break;
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        this.#substitution(node, context, depth);
        break;
      default:
        this.#note(node, context);
        this.#descend(node, context, depth);
    }
  }

  /** Notes a part of the text that is not looked at. */
  giveUp(message: string, offset: number): void {
    if (this.errors.at(-1)?.message !== message) {
      this.errors.push({ message, offset: this.#spanOf(offset, offset).start });
    }
  }

  /** Notes that bash reads a part otherwise. What the parser itself refuses needs no second reason. */
  #doubt(offset: number): void {
    if (this.errors.length === 0) this.giveUp("unexpected token", offset);
  }

  #command(node: Of<"Command">, context: CommandContext, depth: number): void {
    // Words are read when they are looked at: counting them first keeps a line of thousands from being read at all.
    if (this.#nodes + node.suffix.length + node.prefix.length > MAX_NODES) {
      this.#nodes = MAX_NODES;
      this.giveUp("too many parts", node.pos);
      return;
    }
    const gap = findGap(node, this.#source);
    if (gap !== undefined) this.errors.push({ message: "unexpected token", offset: this.#spanOf(gap, gap).start });
    this.commands.push(toSimpleCommand(node, this.#source, context, this.#spanOf));
    this.#children(node, context, depth);
  }

  #substitution(
    node: Of<"CommandExpansion"> | Of<"ProcessSubstitution"> | Of<"ArithmeticCommandExpansion">,
    context: CommandContext,
    depth: number,
  ): void {
    const kind = node.type === "ProcessSubstitution" ? "process-substitution" : "command-substitution";
    const span = this.#spanOf(node.pos, node.end);
    if (kind === "process-substitution" && wordGoesOn(this.#source, node.end)) {
      this.errors.push({ message: "unexpected token", offset: this.#spanOf(node.end, node.end).start });
    }
    if (isJoinedByBash(node) || isMisread(node)) this.#doubt(node.pos);
    this.constructs.push({ kind, context, span, text: node.text });
    if (node.script === undefined) {
      const type = `${node.type} without a script`;
      this.constructs.push({ kind: "unknown", type, context, span, text: node.text });
      return;
    }
    // `<(…)` writes into the word, `>(…)` reads from the command: both are fed by or feed another command.
    const inner: CommandContext = {
      ...context,
      substitution: true,
      writesPipe: true,
      readsPipe: context.readsPipe || (node.type === "ProcessSubstitution" && node.operator === ">"),
    };
    if (node.script.source === undefined) {
      this.walkScript(node.script, inner, depth);
      return;
    }
    // Escaped backticks: positions index the decoded text, which the command line does not contain.
    const outer = { source: this.#source, fixedSpan: this.#fixedSpan };
    this.#source = node.script.source;
    this.#fixedSpan = span;
    this.walkScript(node.script, inner, depth);
    this.#source = outer.source;
    this.#fixedSpan = outer.fixedSpan;
  }

  /** Records what is worth knowing about a node that is no simple command. */
  #note(node: Node, context: CommandContext): void {
    if ((node.type === "For" || node.type === "Select") && node.wordlist !== undefined) {
      const touching = findTouching(node.wordlist);
      if (touching !== undefined) this.giveUp("unexpected token", touching);
      const words = node.wordlist.map((word) => toWord(word, this.#spanOf));
      this.constructs.push({
        kind: "word-list",
        words,
        context,
        span: this.#spanOf(node.pos, node.end),
        text: this.#text(node),
      });
    }
    if (node.type === "Redirected") {
      this.#compoundRedirections(node, context);
      return;
    }
    // Bash may end the here-document elsewhere, and run what stands behind it.
    const isWrong = node.type === "HereDocDelimiter" ? hasOddEscape(node.text) : isMisread(node);
    if (isWrong || isJoinedByBash(node)) this.#doubt(node.pos);
    const construct = this.#construct(node, context);
    if (construct !== undefined) this.constructs.push(construct);
  }

  #construct(node: Node, context: CommandContext): Construct | undefined {
    const at = { context, span: this.#spanOf(node.pos, node.end), text: this.#text(node) };
    const plain = PLAIN_CONSTRUCTS[node.type];
    if (plain !== undefined) return { kind: plain, ...at };
    switch (node.type) {
      case "Coproc":
        return { kind: "coproc", name: node.name?.value ?? "COPROC", ...at };
      case "Function":
        return { kind: "function", name: node.name.value, ...at };
      case "For":
        return { kind: "for", name: node.name.value, ...at };
      case "Select":
        return { kind: "select", name: node.name.value, ...at };
      case "TestCommand":
        return { kind: "test", evaluates: testEvaluates(node.expression), ...at };
      case "ParameterExpansion":
        return { kind: "parameter", acts: whyParameterActs(node), ...at };
      case "ArithmeticExpansion":
        // An expression the parser could not read is not literal, whatever it is.
        return {
          kind: "arithmetic",
          literal: node.expression !== undefined && arithmeticIsLiteral([node.expression]),
          ...at,
        };
      case "ArithmeticCommand":
        return { kind: "arithmetic", literal: arithmeticIsLiteral([node.expression]), ...at };
      case "ArithmeticFor":
        return { kind: "arithmetic", literal: arithmeticIsLiteral([node.initialize, node.test, node.update]), ...at };
      default:
        return KNOWN_NODES.has(node.type) ? undefined : { kind: "unknown", type: node.type, ...at };
    }
  }

  #compoundRedirections(node: Of<"Redirected">, context: CommandContext): void {
    for (const redirect of node.redirects) {
      const redirection = toRedirection(redirect, this.#source, this.#spanOf);
      const { span, text } = redirection;
      this.constructs.push({ kind: "redirection", redirection, context, span, text });
    }
  }

  /** Visits the children with the context the node gives them. */
  #descend(node: Node, context: CommandContext, depth: number): void {
    switch (node.type) {
      case "Pipeline":
        this.#pipeline(node, context, depth);
        break;
      case "AndOr":
        this.#andOr(node, context, depth);
        break;
      case "Redirected":
        this.#redirected(node, context, depth);
        break;
      default:
        if (node.type === "Statement" && node.background === true) {
          const at = { context, span: this.#spanOf(node.pos, node.end), text: this.#text(node) };
          this.constructs.push({ kind: "background", ...at });
        }
        this.#children(node, contextInside(node, context), depth);
    }
  }

  #pipeline(node: Of<"Pipeline">, context: CommandContext, depth: number): void {
    // All but the ends have the same context: a text may have tens of thousands of stages.
    const writes = { ...context, writesPipe: true, stage: true };
    const between = { ...writes, readsPipe: true };
    const reads = { ...context, readsPipe: true, stage: true };
    const last = node.commands.length - 1;
    const stages: SimpleCommand[][] = [];
    const at = { context, span: this.#spanOf(node.pos, node.end), text: this.#text(node) };
    this.constructs.push({ kind: "pipeline", stages, ...at });
    for (const [index, stage] of node.commands.entries()) {
      if (this.#nodes > MAX_NODES) break;
      const inner = index === last ? reads : between;
      const from = this.commands.length;
      this.#visit(stage, index > 0 ? inner : last > 0 ? writes : context, depth + 1);
      stages.push(this.commands.slice(from));
    }
  }

  #andOr(node: Of<"AndOr">, context: CommandContext, depth: number): void {
    const later = { ...context, conditional: true };
    for (const [index, item] of node.commands.entries()) {
      if (this.#nodes > MAX_NODES) break;
      // `! && x`: bash takes a lone `!` or `time` at the end of a line only.
      if (item.type === "Pipeline" && item.commands.length === 0) {
        this.errors.push({ message: "missing command", offset: this.#spanOf(item.end, item.end).start });
      }
      this.#visit(item, index === 0 ? context : later, depth + 1);
    }
  }

  /** Commands in `{ …; } < file` or `while …; done <<E` read that, not a file of their own choice. */
  #redirected(node: Of<"Redirected">, context: CommandContext, depth: number): void {
    const feeds = node.redirects.some((redirect) => redirect.operator.startsWith("<"));
    this.#visit(node.command, feeds ? { ...context, readsPipe: true } : context, depth + 1);
    for (const redirect of node.redirects) this.#visit(redirect, context, depth + 1);
  }
}
