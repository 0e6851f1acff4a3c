/**
 * The words that the braces of a text make, where the text stands outside of a parsed word.
 */

/** Most words that braces are expanded to here. */
const MAX_BRACE_WORDS = 64;
/** Longest word whose braces are expanded here, in UTF-16 units. */
const MAX_BRACE_CHARS = 1_024;

/** The words of `{a,b}`, nested too, as bash makes them; the word itself where there is no comma. */
export function braceWords(text: string): string[] {
  const done: string[] = [];
  const left = text.length <= MAX_BRACE_CHARS ? [text] : [];
  for (let word = left.pop(); word !== undefined; word = left.pop()) {
    const match = /^([\s\S]*?)\{([^{}]*,[^{}]*)\}([\s\S]*)$/.exec(word);
    const [, head = "", inner = "", tail = ""] = match ?? [];
    if (match === null || done.length + left.length >= MAX_BRACE_WORDS) done.push(word);
    else left.push(...inner.split(",", MAX_BRACE_WORDS).map((part) => `${head}${part}${tail}`));
  }
  return done.length === 0 ? [text] : done;
}
