/**
 * Lines of a Rust source that are compiled for other systems only. Mutants are judged on Linux, where a change of such a
 * line changes nothing.
 *
 * Reads what rustfmt writes: an attribute has lines of its own, and an item ends with a line of the item's indentation.
 */

/** Predicates that hold where mutants are judged; of all others the answer is no. Reference: conditional compilation. */
const HOLDS = new Set([
  "unix",
  "test",
  "debug_assertions",
  'target_os="linux"',
  'target_family="unix"',
  'panic="unwind"',
]);

/** Whether a predicate holds, as it stands inside of `cfg(…)`. */
export function holds(predicate) {
  const text = predicate.replaceAll(/\s/g, "");
  const [, operator, inner] = /^(not|all|any)\((.*)\)$/.exec(text) ?? [];
  if (operator === undefined)
    return HOLDS.has(text) || /^(?:target_arch|target_env|target_pointer_width|feature)=/.test(text);
  const answers = listOf(inner).map(holds);
  if (operator === "not") return !answers[0];
  return operator === "all" ? answers.every(Boolean) : answers.some(Boolean);
}

/** The parts of a list at its own commas. */
function listOf(text) {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.filter((part) => part !== "");
}

/**
 * The ranges of lines, counted from 1, both ends included.
 *
 * @param {string} source
 * @returns {{ first: number, last: number }[]}
 */
export function linesOfOtherSystems(source) {
  const lines = source.split("\n");
  const found = [];
  for (const [at, line] of lines.entries()) {
    const [, indentation, predicate] = /^(\s*)#\[cfg\((.*)\)\]$/.exec(line) ?? [];
    if (predicate !== undefined && !holds(predicate))
      found.push({ first: at + 1, last: endOfItem(lines, at + 1, indentation) });
  }
  return found;
}

/** The line, counted from 1, where the item ends that begins at an index: at a `;`, a `,` or a bracket. */
function endOfItem(lines, start, indentation) {
  const isOwn = (line) => line.startsWith(indentation) && !/^\s/.test(line.slice(indentation.length));
  let isContinued = false;
  for (let at = start; at < lines.length; at++) {
    const line = lines[at];
    if (isContinued && line.endsWith(";")) return at + 1;
    if (isOwn(line) && line.endsWith("=")) isContinued = true;
    if (!isOwn(line) || /^\s*(?:#\[|\/\/)/.test(line)) continue;
    if (/[;,]$/.test(line) || /^\s*[}\])]+$/.test(line) || /\{.*\}$/.test(line)) return at + 1;
  }
  return lines.length;
}
