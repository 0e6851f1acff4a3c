/**
 * Makes characters visible that a person would not see, or that would show the others in another order: in output that
 * looks like a program's prompt they are tricks. Which they are is the contract's (`outputText`).
 */
import { outputText } from "@pi-bash/contract";
import { isPlain, wellFormed } from "./width.ts";

/** The text with what would not be seen written out. */
export function visible(text: string): string {
  return isPlain(text) ? text : outputText(wellFormed(text));
}
