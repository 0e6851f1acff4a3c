/**
 * The JSON Schema of a tool's parameters, for models and programs that read no zod.
 */
import * as z from "zod";

/**
 * The schema of what a caller may give: a field with a default is optional. Draft 2020-12.
 *
 * ```ts
 * import { BashParams, jsonSchemaOf } from "@pi-bash/contract";
 *
 * console.log(Object.keys(jsonSchemaOf(BashParams)["properties"] as object)); // [ "command", "env", "timeout", … ]
 * ```
 */
export function jsonSchemaOf(parameters: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(parameters, { io: "input" }) as Record<string, unknown>;
}
