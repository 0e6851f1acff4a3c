/**
 * The words after `pi-bash run`, read once; behind this file everything is typed and in its range.
 */

import type { RemotePlace } from "@pi-bash/places";
import { parseAssignment, parseOptionWords, parseTimeoutSeconds } from "../option-words.ts";
import { placeOption } from "../place-option.ts";
import { type PolicyArguments, parsePolicyArguments } from "../policy-option.ts";
import { RUN_OPTIONS } from "../surface/options.ts";
import { UsageError } from "../usage.ts";

/** What `run` was asked for. */
export interface RunArguments extends PolicyArguments {
  commands: string[];
  session: boolean;
  /** On a pseudoterminal; excludes `session` and `json`. */
  pty: boolean;
  json: boolean;
  /** Everything that the command writes reaches a terminal as it is. */
  raw: boolean;
  cwd?: string;
  /** Where the commands run. Absent: on this machine. */
  on?: RemotePlace;
  env: Record<string, string>;
  timeoutMs?: number;
}

/** Reads the words after `run`. */
export function parseRunArguments(words: readonly string[]): RunArguments {
  const { values, positionals } = parseOptionWords({
    args: [...words],
    allowPositionals: true,
    options: RUN_OPTIONS,
  });
  if (positionals.length === 0) throw new UsageError("`run` needs a command");
  if (positionals.length > 1 && !values.session) {
    throw new UsageError("`run` takes one command; quote it, or give `--session` for several");
  }
  if (values.pty && (values.session || values.json)) {
    throw new UsageError(
      `\`--pty\` runs one command for a person; leave \`--${values.json ? "json" : "session"}\` out`,
    );
  }
  const on = placeOption(values);
  return {
    commands: positionals,
    ...(on === undefined ? {} : { on }),
    session: values.session,
    pty: values.pty,
    json: values.json,
    raw: values.raw,
    env: Object.fromEntries(values.env.map((each) => parseAssignment(each, "--env"))),
    ...parsePolicyArguments(values),
    ...(values.cwd === undefined ? {} : { cwd: values.cwd }),
    ...(values.timeout === undefined ? {} : { timeoutMs: Math.ceil(parseTimeoutSeconds(values.timeout) * 1000) }),
  };
}
