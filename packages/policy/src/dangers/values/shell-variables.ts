/**
 * What a line may take for granted of the variables that it does not set: the shell's own name, and what separates words.
 */
import { type Field, textField, UNKNOWN } from "./fields.ts";

/** The values of a variable that only the shell has set. */
export function ownVariable(name: string): readonly Field[] {
  if (name === "IFS") return [textField(" \t\n")];
  return name === "SHELL" || name === "BASH" ? [textField("/bin/bash")] : [[UNKNOWN]];
}
