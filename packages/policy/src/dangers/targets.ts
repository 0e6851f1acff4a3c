/**
 * What it means to remove what a field names.
 */
import type { FieldTarget } from "../danger-paths.ts";
import type { Refusal } from "../finding.ts";
import { block, shownField, undecided } from "./call.ts";
import type { Field } from "./values/fields.ts";

/** The answer to the removal of a target; `how` begins the message. */
export function removal(how: string, field: Field, { certain, possible }: FieldTarget): Refusal | undefined {
  if (certain !== undefined && certain.kind !== "doubtful") return block("remove-system", `${how} on ${certain.name}`);
  if (certain !== undefined) return undecided(`${how} on ${certain.name}`);
  if (possible === undefined) return undefined;
  return undecided(`${how} on \`${shownField(field)}\`, which may be ${possible.name}`);
}
