/**
 * The JSON Schema of a tool's parameters, for models and programs that read no zod.
 */
import * as z from "zod";

/** The schema of what a caller may give: a field with a default is optional. Draft 2020-12. */
export function jsonSchemaOf(parameters: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(parameters, { io: "input" }) as Record<string, unknown>;
}
