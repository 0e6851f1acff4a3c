/**
 * Makes the environment a session begins with, from the agent's own.
 *
 * Evaluated once for an executor: what the agent has, without what steers shells and loaders, without the keys that
 * settings withhold, plus what keeps programs from waiting for a person. Withheld names are reported, their values
 * never, so that a `npm publish` that fails can be explained.
 */
import type { Settings } from "@pi-bash/contract";
import { isControlVariable, isRefusedName } from "./control-names.ts";
import { nonInteractiveEnv } from "./non-interactive.ts";
import { isProviderKeyName, isSecretName, isSecretValue } from "./secret-names.ts";

/** Which settings decide. */
export type EnvironmentSettings = Pick<Settings, "bash.environment.withhold" | "bash.environment.allow">;

/** Why a variable was withheld. */
export type WithheldReason = "provider" | "name" | "value" | "same-value";

/** A variable that commands do not see. */
export interface WithheldVariable {
  name: string;
  reason: WithheldReason;
}

/** What sessions begin with, and what was left out of it. */
export interface ChildEnvironment {
  /** The session's base environment, complete. */
  env: Record<string, string>;
  /** Variables kept from commands because of `bash.environment.withhold`, sorted by name. */
  withheld: WithheldVariable[];
  /** Variables that would steer shells, loaders or git, left out always, sorted by name. */
  stripped: string[];
}

/** A value shorter than this is no key: equal short values (`1`, `true`) say nothing. */
const MIN_KEY_CHARS = 12;

export interface ChildEnvironmentOptions {
  hostEnv: Readonly<Record<string, string | undefined>>;
  settings: EnvironmentSettings;
  /** Path of the shell; becomes `SHELL`, so that programs start the one that commands run in. */
  shell?: string;
  platform?: NodeJS.Platform;
  isExecutable?: (path: string) => boolean;
}

/** The base environment of sessions. */
export function childEnvironment(options: ChildEnvironmentOptions): ChildEnvironment {
  const inherited = withheldEnvironment(options);
  const env = { ...inherited.env, ...nonInteractiveEnv(options) };
  if (options.shell !== undefined) env["SHELL"] = options.shell;
  return { ...inherited, env };
}

/**
 * The environment of a pseudoterminal. `hardened`: like any command, with a terminal type that can draw. `user`: the
 * person's own pagers and editors, since a person sits there. The caller's `env` wins in both.
 */
export function ptyEnvironment(
  options: ChildEnvironmentOptions & { ptyEnvironment: Settings["bash.ptyEnvironment"] },
  env: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const isUser = options.ptyEnvironment === "user";
  const base = isUser ? withheldEnvironment(options).env : childEnvironment(options).env;
  return { ...base, TERM: "xterm-256color", ...env };
}

/** The agent's environment without what is stripped and withheld. */
export function withheldEnvironment(options: Pick<ChildEnvironmentOptions, "hostEnv" | "settings">): ChildEnvironment {
  const isAllowed = nameMatcher(options.settings["bash.environment.allow"]);
  const stripped: string[] = [];
  const candidates: [string, string][] = [];
  for (const [name, value] of Object.entries(options.hostEnv)) {
    if (value === undefined) continue;
    if (isControlVariable(name, value) && !isAllowed(name)) stripped.push(name);
    else candidates.push([name, value]);
  }

  const withheld = withhold(candidates, options.settings["bash.environment.withhold"], isAllowed);
  const names = new Set(withheld.map((variable) => variable.name));
  const env = Object.fromEntries(candidates.filter(([name]) => !names.has(name)));
  return { env, withheld, stripped: stripped.sort() };
}

function withhold(
  candidates: readonly [string, string][],
  mode: Settings["bash.environment.withhold"],
  isAllowed: (name: string) => boolean,
): WithheldVariable[] {
  if (mode === "none") return [];
  const reasons = new Map<string, WithheldReason>();
  const keys = new Set<string>();
  for (const [name, value] of candidates) {
    if (isAllowed(name)) continue;
    const reason = reasonToWithhold(name, value, mode);
    if (reason === undefined) continue;
    reasons.set(name, reason);
    if (reason === "provider" && value.length >= MIN_KEY_CHARS) keys.add(value);
  }
  // The same key under another name (`MY_KEY=$OPENAI_API_KEY`) is the same secret.
  for (const [name, value] of candidates) {
    if (!reasons.has(name) && keys.has(value) && !isAllowed(name)) reasons.set(name, "same-value");
  }
  return [...reasons]
    .map(([name, reason]) => ({ name, reason }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

function reasonToWithhold(name: string, value: string, mode: "provider" | "secrets"): WithheldReason | undefined {
  if (value === "") return undefined;
  if (isProviderKeyName(name)) return "provider";
  if (mode === "provider") return undefined;
  if (isSecretName(name)) return "name";
  return isSecretValue(value) ? "value" : undefined;
}

/** Matches whole names against patterns in which `*` stands for any run of characters; case counts. */
export function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const pieces = patterns.map((pattern) => pattern.split("*"));
  return (name) => pieces.some((parts) => matchesPieces(name, parts));
}

/** Whether `name` is the pieces in order with anything between them. Leftmost search is enough for `*`. */
function matchesPieces(name: string, pieces: readonly string[]): boolean {
  const first = pieces[0] ?? "";
  if (pieces.length === 1) return name === first;
  const last = pieces.at(-1) ?? "";
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let from = first.length;
  const limit = name.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, from);
    if (found === -1 || found + piece.length > limit) return false;
    from = found + piece.length;
  }
  return true;
}

/** A variable that a caller may not set. Nothing was run. */
export class InvalidEnvironmentError extends Error {
  readonly code = "PI_INVALID_ENV";
  /** The names, as they were given. */
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    const list = names.map((name) => `\`${name}\``).join(", ");
    super(
      `environment variable ${list} steers the shell or the loader; remove it or allow it in \`bash.environment.allow\``,
    );
    this.name = "InvalidEnvironmentError";
    this.names = names;
  }
}

/** Refuses names that would steer the shell itself (EV-06, SC-10), all of them in one error. */
export function checkCommandEnv(env: Readonly<Record<string, string>>, allow: readonly string[]): void {
  const isAllowed = nameMatcher(allow);
  const refused = Object.keys(env).filter((name) => isRefusedName(name) && !isAllowed(name));
  if (refused.length > 0) throw new InvalidEnvironmentError(refused);
}
