/**
 * The parameters of a call of any tool, checked: what is wrong with them is an error for the model, which names each field.
 */
import type { BashParamsSchema, ParameterSchema, Settings } from "@pi-bash/contract";
import { bashParams, checkedValue } from "@pi-bash/contract/internal";
import type { BashToolSession } from "./session.ts";
import { ToolError } from "./tool-error.ts";

/** The schema of `bash` that a model is shown in a session. */
export function shownParams(settings: Settings, session: BashToolSession): BashParamsSchema {
  const { "async.enabled": asyncEnabled, requireDescription } = settings;
  // Without a policy nothing is asked, so that nothing rests on reading alone.
  const mayConfine = session.policy !== undefined && settings["readOnly.enforce"] !== "off";
  return bashParams({ asyncEnabled, requireDescription, hasTerminal: session.pty !== undefined, mayConfine });
}

/** What parameters are checked against. */
export interface ParamsCheck<Params> {
  /** Name of the tool. */
  tool: string;
  schema: ParameterSchema<Params>;
  /** What the model was shown, where that is less than `schema`. Its fields are those that are notified of. */
  shown?: { readonly shape: object };
}

/** The parameters as their schema has them. Throws `ToolError`, in one line and whatever they are, where they are wrong. */
export function parseParams<Params>({ tool, schema, shown }: ParamsCheck<Params>, params: unknown): Params {
  const fields = shown === undefined ? {} : { fields: Object.keys(shown.shape) };
  const checked = checkedValue(schema, params, { whole: "`params`", ...fields });
  if ("value" in checked) return checked.value;
  throw new ToolError(`Invalid ${tool} parameters: ${checked.problem}`, { cause: checked.cause });
}
