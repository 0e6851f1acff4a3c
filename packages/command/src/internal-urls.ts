/**
 * Finds internal URLs (`artifact://3`, `skill://name/file`) that stand as whole words of a command line.
 *
 * Only whole words are URLs: prose such as `echo "see artifact://7"` stays prose, and so does the body of a
 * here-document. A backslash in front (`\artifact://7`) keeps a URL literal. Replacing them is the tool's matter.
 */
import type { Construct, SimpleCommand } from "./syntax.ts";
import type { Span, Word } from "./word.ts";

/** Schemes the tool resolves, in the order the error texts list them. */
export const INTERNAL_SCHEMES = ["skill", "agent", "artifact", "plan", "memory", "rule", "local"] as const;
/** The scheme of an internal URL. */
export type InternalScheme = (typeof INTERNAL_SCHEMES)[number];

/** A URL word. `span` covers the quotes too, so that a quoted path can replace it. */
export interface UrlWord {
  /** Without quotes; `local:/x` is written `local://x`. */
  readonly url: string;
  readonly scheme: InternalScheme;
  readonly span: Span;
}

const URL = /^(skill|agent|artifact|plan|memory|rule|local):\/\/[^\s"'`\\)]*$/;
const SINGLE_SLASH_LOCAL = /^local:\/(?!\/)([^\s"'`\\)]*)$/;

/** The URL words among arguments, assigned values and redirection targets, by position, each place once. */
export function findUrls(
  source: string,
  commands: readonly SimpleCommand[],
  constructs: readonly Construct[],
): UrlWord[] {
  const redirections = [
    ...commands.flatMap((command) => command.redirections),
    ...constructs.flatMap((construct) => (construct.kind === "redirection" ? [construct.redirection] : [])),
  ];
  const words = [
    ...commands.flatMap((command) => command.argv),
    ...commands.flatMap((command) => command.assignments.flatMap((assignment) => assignment.value ?? [])),
    ...constructs.flatMap((construct) => (construct.kind === "word-list" ? construct.words : [])),
    ...redirections.flatMap((redirection) => redirection.target ?? []),
  ];
  const urls = new Map<number, UrlWord>();
  for (const word of words) {
    const found = asUrl(source, word);
    if (found !== undefined) urls.set(found.span.start, found);
  }
  return [...urls.values()].sort((a, b) => a.span.start - b.span.start);
}

/** Reads one text (an environment value, a `cwd`) as a URL, or returns undefined. */
export function parseInternalUrl(text: string): { url: string; scheme: InternalScheme } | undefined {
  const local = SINGLE_SLASH_LOCAL.exec(text);
  const url = local === null ? text : `local://${local[1] ?? ""}`;
  const scheme = URL.exec(url)?.[1];
  return INTERNAL_SCHEMES.includes(scheme as InternalScheme) ? { url, scheme: scheme as InternalScheme } : undefined;
}

function asUrl(source: string, word: Word): UrlWord | undefined {
  if (!word.display.includes(":/")) return undefined;
  // Words out of decoded backticks and of `bash -c '…'` are not where their span says.
  if (source.slice(word.span.start, word.span.end) !== word.text) return undefined;
  const { glob, ...others } = word.expansions;
  // `artifact://3?tail=5` holds a glob character and is a URL all the same; any other expansion makes it none.
  if (Object.values(others).some(Boolean) || (glob && /[*[]/.test(word.text))) return undefined;
  if (!isWhole(word)) return undefined;
  const url = parseInternalUrl(word.display);
  return url === undefined ? undefined : { ...url, span: word.span };
}

/** Bare, or wrapped in exactly one pair of quotes. */
function isWhole(word: Word): boolean {
  return [word.display, `'${word.display}'`, `"${word.display}"`].includes(word.text);
}
