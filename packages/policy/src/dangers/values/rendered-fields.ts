/**
 * Fields written as shell text again: as part of a text for a shell, and as words of a command that is read once more.
 *
 * What is not known becomes a variable that no line sets, so that the judges see that it is not known.
 */
import { singleQuoted } from "@pi-bash/command/internal";
import type { Field, Part } from "./fields.ts";

/** A variable that no line sets. */
const OPEN = "${unknown_to_policy}";
/** One that never expands to nothing. */
const OPEN_NOT_EMPTY = "${unknown_to_policy:?}";

/** A field as it stands in a text. */
export function plainText(field: Field): string {
  return field.map((part) => (part.kind === "text" ? part.text : openPart(part))).join("");
}

/** A field as one word: known text is literal, and what is open stays open. */
export function asWord(field: Field): string {
  let text = "";
  let word = "";
  for (const part of field) {
    if (part.kind === "text") text += part.text;
    else {
      word += quoted(text) + (part.kind === "unknown" ? `"${openPart(part)}"` : openPart(part));
      text = "";
    }
  }
  return word + quoted(text) || "''";
}

function quoted(text: string): string {
  return text === "" ? "" : singleQuoted(text);
}

/** True where some of a field is known. */
export function isPartlyKnown(field: Field): boolean {
  return field.length === 0 || field.some((part) => part.kind !== "unknown" || !part.mayBeAbsolute);
}

function openPart(part: Exclude<Part, { kind: "text" }>): string {
  if (part.kind !== "unknown") return part.kind === "star" ? "*" : "?";
  if (!part.mayBeAbsolute) return "any-name";
  return part.mayBeEmpty ? OPEN : OPEN_NOT_EMPTY;
}
