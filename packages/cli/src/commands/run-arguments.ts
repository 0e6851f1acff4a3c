/**
 * The words after `pi-bash run`, read once; behind this file everything is typed and in its range.
 */
import { parseOptionWords, parseTimeoutSeconds } from "../option-words.ts";
import { type PolicyArguments, parsePolicyArguments } from "../policy-option.ts";
import { UsageError } from "../usage.ts";

/** What `run` was asked for. */
export interface RunArguments extends PolicyArguments {
  commands: string[];
  session: boolean;
  json: boolean;
  cwd?: string;
  env: Record<string, string>;
  timeoutMs?: number;
}

function parseEnv(assignments: readonly string[]): Record<string, string> {
  const env: Record<string, string> = {};
  for (const assignment of assignments) {
    const at = assignment.indexOf("=");
    if (at < 1) throw new UsageError(`\`--env\` takes NAME=VALUE, not \`${assignment}\``);
    env[assignment.slice(0, at)] = assignment.slice(at + 1);
  }
  return env;
}

/** Reads the words after `run`. */
export function parseRunArguments(words: readonly string[]): RunArguments {
  const { values, positionals } = parseRunWords(words);
  if (positionals.length === 0) throw new UsageError("`run` needs a command");
  if (positionals.length > 1 && !values.session) {
    throw new UsageError("`run` takes one command; quote it, or give `--session` for several");
  }
  return {
    commands: positionals,
    session: values.session,
    json: values.json,
    env: parseEnv(values.env),
    ...parsePolicyArguments(values),
    ...(values.cwd === undefined ? {} : { cwd: values.cwd }),
    ...(values.timeout === undefined ? {} : { timeoutMs: Math.ceil(parseTimeoutSeconds(values.timeout) * 1000) }),
  };
}

function parseRunWords(words: readonly string[]) {
  return parseOptionWords({
    args: [...words],
    allowPositionals: true,
    options: {
      cwd: { type: "string" },
      env: { type: "string", multiple: true, default: [] },
      timeout: { type: "string" },
      policy: { type: "string" },
      mode: { type: "string" },
      json: { type: "boolean", default: false },
      session: { type: "boolean", default: false },
    },
  });
}
