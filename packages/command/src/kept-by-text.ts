/**
 * What was made of the last few texts: a call asks for the same ones several times, for the fixups, the interception, the
 * policy, the directory and the minimizer.
 */

/** Texts whose values are kept. */
const MAX_KEPT = 16;
/** Longest text whose value is kept, in UTF-16 units: an analysis is some hundred times as large. */
const MAX_KEPT_CHARS = 8 * 1024;

/** The function `make`, which gives the same object for the same text for a while. `make` depends on the text alone. */
export function keptByText<Value extends object>(make: (text: string) => Value): (text: string) => Value {
  const kept = new Map<string, Value>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    if (text.length > MAX_KEPT_CHARS) return value;
    if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? "");
    kept.set(text, value);
    return value;
  };
}
