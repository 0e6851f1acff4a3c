/**
 * Recognises a leading `cd <path> && …`, so that the tool can run the rest with that working directory.
 *
 * The rewrite must be invisible: it is taken only where the path is literal and the rest would not run at all when
 * the directory is missing. `cd a && x || y` and `cd a && x; y` run `y` in that case, so they stay as they are, like
 * `cd -`, expansions, redirections, assignments and a `cd` with options.
 */
import type { Script, Word as SyntaxWord } from "unbash";
import { type Span, toWord } from "./word.ts";

/** A leading change of directory that can be taken out. */
export interface LeadingCd {
  /** The directory as bash would read it; starts with `~` only where bash would expand it. */
  readonly path: string;
  /** The command line without the `cd`. */
  readonly rest: string;
  /** From `cd` to the blanks after `&&`. */
  readonly span: Span;
}

/** Finds the leading `cd` of a parsed text without errors. */
export function findLeadingCd(source: string, script: Script): LeadingCd | undefined {
  const statement = script.commands[0];
  if (script.commands.length !== 1 || statement === undefined || statement.background === true) return undefined;
  const list = statement.command;
  if (list.type !== "AndOr" || list.operators.some((operator) => operator !== "&&")) return undefined;
  const [cd, next] = list.commands;
  if (cd?.type !== "Command" || next === undefined || cd.pos !== 0 || cd.name?.text !== "cd") return undefined;
  const target = cd.suffix[0];
  if (cd.prefix.length > 0 || cd.suffix.length !== 1 || target?.type !== "Word") return undefined;
  const path = literalPath(target);
  // The `cd` and its `&&` stand on one line; the rest may have as many as it likes.
  if (path === undefined || source.slice(0, next.pos).includes("\n")) return undefined;
  return { path, rest: source.slice(next.pos), span: { start: 0, end: next.pos } };
}

function literalPath(target: SyntaxWord): string | undefined {
  const word = toWord(target, (start, end) => ({ start, end }));
  // `~` and `~/x` are left to the tool, which knows the home directory; `~user` needs the shell.
  if (word.expansions.tilde) return /^~(?:\/[^$`(*?[{\\"']*)?$/.test(word.text) ? word.text : undefined;
  if (word.value === null || word.value === "" || word.value.startsWith("-")) return undefined;
  // Quoted or escaped, `~` is a name; the tool would expand it again.
  return word.value.startsWith("~") ? `./${word.value}` : word.value;
}
