/**
 * What a model may say to the bash tool: the parameters of one call.
 *
 * The schema checks shapes only. Rules that have a message of their own (names of variables, the directory, the
 * timeout's range) are the tool's, so that the model reads what to do next instead of a validation report.
 */
import * as z from "zod";

/** A name that a shell variable can have. Source: specification, `env`. */
export const ENV_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]*$/;

const fields = {
  command: z.string().describe("Command to run in bash"),
  description: z.string().optional().describe("What the command does, in a few words, for the person who reads along"),
  env: z
    .record(z.string(), z.string())
    .optional()
    .describe("Extra environment variables; values are passed as they are, never read as shell text"),
  timeout: z.number().optional().describe("Timeout in seconds (default 300, clamped to 1-3600)"),
  cwd: z.string().optional().describe("Working directory; use it instead of `cd`"),
  pty: z.boolean().optional().describe("Run in a terminal a person can type into (default false)"),
  unconfined: z
    .boolean()
    .optional()
    .describe("Ask for approval to run it where it can write; after it was refused something because it ran read-only"),
};

/** Parameters of a call in a session without background jobs (`async.enabled` off). */
export const BashParams = z.strictObject(fields);
export type BashParams = z.infer<typeof BashParams>;

/** Parameters of a call where `async.enabled` is on. */
export const BashParamsWithAsync = z.strictObject({
  ...fields,
  async: z.boolean().optional().describe("Start as a background job and return its id at once"),
});
export type BashParamsWithAsync = z.infer<typeof BashParamsWithAsync>;

/** What a session has for its calls. */
export interface BashAbilities {
  /** Calls may ask for a background job. */
  asyncEnabled: boolean;
  /** A person can type into a call's terminal. Default true. */
  hasTerminal?: boolean;
  /** Calls must say what they do. Default false. */
  requireDescription?: boolean;
  /** Calls that only read may run confined, and can ask to run otherwise. Default false. */
  mayConfine?: boolean;
}

/** The schema of a session's calls: what of the fields there is, and what has to be there. */
export type BashParamsSchema = z.ZodObject;

/** Schemas that were made: there are sixteen at most, and making one costs more than checking a call by it. */
const made = new Map<string, BashParamsSchema>();

/** The schema for a session: what is optional exists for a model only where it works, and `description` may be required. */
export function bashParams(session: BashAbilities): BashParamsSchema {
  const { asyncEnabled, hasTerminal = true, requireDescription = false, mayConfine = false } = session;
  const abilities = { asyncEnabled, hasTerminal, requireDescription, mayConfine };
  const name = `${asyncEnabled} ${hasTerminal} ${requireDescription} ${mayConfine}`;
  const schema = made.get(name) ?? makeSchema(abilities);
  made.set(name, schema);
  return schema;
}

function makeSchema(abilities: Required<BashAbilities>): BashParamsSchema {
  const { asyncEnabled, hasTerminal, requireDescription, mayConfine } = abilities;
  const all: BashParamsSchema = asyncEnabled ? BashParamsWithAsync : BashParams;
  const withTerminal = hasTerminal ? all : all.omit({ pty: true });
  const there = mayConfine ? withTerminal : withTerminal.omit({ unconfined: true });
  return requireDescription ? there.required({ description: true }) : there;
}
