/**
 * A value from outside, as its schema has it, or what is wrong with it in one line.
 *
 * The one place that tells a caller of wrong parameters, requests and settings; what is said of one field is in
 * `issue-text.ts`. The value may be anything: what its getters throw is reported as well.
 */
import * as z from "zod";
import { issueText } from "./issue-text.ts";

/** Problems that are reported at once: who sends more of them has more to read than to mend. */
const MAX_PROBLEMS = 5;

/** What came of it. `cause` is what the value threw when it was read. */
export type CheckedValue<Value> = { readonly value: Value } | { readonly problem: string; readonly cause?: unknown };

/** How a value is called where it is notified of. */
export interface ValueNames {
  /** The value itself, where no field of it is meant, e.g. `a request`. */
  readonly whole: string;
  /** Names of the fields that its writer knows of. Default: those of the schema. */
  readonly fields?: readonly string[];
}

/**
 * Checks `value`. A problem is one line for a person or a model: each field by its name with what it is to be, what it
 * is, and what to write instead; five fields at most, and how many more. Never throws.
 */
export function checkedValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { whole, fields }: ValueNames,
): CheckedValue<z.output<Schema>> {
  try {
    const parsed = schema.safeParse(value);
    if (parsed.success) return { value: parsed.data };
    const meant = meantOption(schema, value);
    const issues = meant.safeParse(value).error?.issues ?? parsed.error.issues;
    const known = fields ?? (meant instanceof z.ZodObject ? Object.keys(meant.shape) : []);
    const named = issues.slice(0, MAX_PROBLEMS).map((issue) => issueText(issue, value, whole, known));
    const more = issues.length - named.length;
    return { problem: named.join("; ") + (more > 0 ? `; and ${more} more` : "") };
  } catch (cause) {
    return { problem: `${whole} cannot be read: give plain values, as JSON has them`, cause };
  }
}

/** Of a choice of objects the one that was meant: whose fixed word the value has, or else that it is nearest to. */
function meantOption(schema: z.core.$ZodType, value: unknown): z.ZodType {
  if (!(schema instanceof z.ZodUnion)) return schema as z.ZodType;
  const options = schema.options.filter((option) => option instanceof z.ZodObject);
  const named = options.find(({ shape }) => Object.entries(shape).some(([name, field]) => isWord(field, value, name)));
  if (named !== undefined) return named;
  if (schema instanceof z.ZodDiscriminatedUnion) return schema;
  const byDistance = options.map((option) => ({ option, distance: distanceTo(option, value) }));
  return byDistance.sort((one, other) => one.distance - other.distance)[0]?.option ?? schema;
}

function isWord(field: unknown, value: unknown, name: string): boolean {
  if (!(field instanceof z.ZodLiteral) || typeof value !== "object" || value === null) return false;
  return field.values.has(Reflect.get(value, name));
}

/** How many fields would have to change. */
function distanceTo(option: z.ZodType, value: unknown): number {
  const issues = option.safeParse(value).error?.issues ?? [];
  return issues.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);
}
