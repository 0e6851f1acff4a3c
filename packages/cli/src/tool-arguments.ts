/**
 * The words after `tool`, `mcp`, `rpc`, `tasks` and `console`, read once; behind this file everything is typed.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { Settings } from "@pi-bash/contract";
import { checkedValue, HostSessionName, readJson, shortLine, type TextPlace } from "@pi-bash/contract/internal";
import type { RemotePlace } from "@pi-bash/places";
import { parseAssignment, parseOptionWords, parseTimeoutSeconds } from "./option-words.ts";
import { placeOption } from "./place-option.ts";
import { type PolicyArguments, parsePolicyArguments } from "./policy-option.ts";
import { KEPT_OPTIONS, SESSION_OPTIONS, TOOL_OPTIONS } from "./surface/options.ts";
import { SETTING_NAMES, unknownSetting } from "./surface/settings.ts";
import { UsageError } from "./usage.ts";

/** What `tool` was asked for. */
export interface ToolArguments extends PolicyArguments {
  /** Parameters of the call; absent: they come as JSON on standard input. */
  params?: Record<string, unknown>;
  settings: Settings;
  /** Names of the settings that were given; the others have their defaults. */
  givenSettings: ReadonlySet<string>;
  /** Folder of the artifacts, absolute; absent: one that goes with the call. */
  artifacts?: string;
  json: boolean;
  /** Where commands run. Absent: on this machine. */
  on?: RemotePlace;
  /** The word that named it. */
  onWord?: string;
  /** The word of `--keep`. */
  keepWord?: string;
  /** The session of a host that it works in. Absent: one of its own. */
  kept?: KeptArguments;
}

/** The session of a host that a command works in (`--host`). */
export interface KeptArguments {
  /** Absent: it is made of the folder. */
  readonly name?: string;
  readonly isCwdGiven: boolean;
}

/** Reads the words after `tool`. */
export function parseToolArguments(words: readonly string[]): ToolArguments {
  const { values, positionals } = parseOptionWords({
    args: [...words],
    allowPositionals: true,
    options: TOOL_OPTIONS,
  });
  if (positionals.length > 1) throw new UsageError("`tool` takes one command; quote it");
  const [command] = positionals;
  const hasFlags = values.cwd !== undefined || values.timeout !== undefined || values.env.length > 0;
  if (command === undefined && hasFlags) throw new UsageError("`tool` needs a command beside its flags");
  // A `--cwd` is the call's own: where the session began is not asked for.
  const kept = keptArguments({ ...values, cwd: undefined });
  const asked = { ...toolArguments(values), json: values.json, ...(kept === undefined ? {} : { kept }) };
  if (command === undefined) return asked;
  const params = {
    command,
    ...(values.cwd === undefined ? {} : { cwd: values.cwd }),
    ...(values.timeout === undefined ? {} : { timeout: parseTimeoutSeconds(values.timeout) }),
    ...(values.env.length === 0
      ? {}
      : { env: Object.fromEntries(values.env.map((each) => parseAssignment(each, "--env"))) }),
  };
  return { ...asked, params };
}

/** What the options say in every command that has the tools. */
function toolArguments(values: {
  policy?: string | undefined;
  mode?: string | undefined;
  "allow-unasked": readonly string[];
  setting: readonly string[];
  artifacts?: string | undefined;
  on?: string | undefined;
  keep?: string | undefined;
}): Omit<ToolArguments, "params" | "json" | "kept"> {
  const on = placeOption(values);
  const policy = parsePolicyArguments(values);
  const settings = parseSettings(values.setting);
  const allowUnasked = [...new Set([...settings["bash.allowUnasked"], ...policy.allowUnasked])];
  return {
    settings: { ...settings, "bash.allowUnasked": allowUnasked },
    givenSettings: new Set(values.setting.map((each) => parseAssignment(each, "--setting")[0])),
    ...(on === undefined || values.on === undefined ? {} : { on, onWord: values.on }),
    ...(values.keep === undefined ? {} : { keepWord: values.keep }),
    ...(values.artifacts === undefined ? {} : { artifacts: artifactFolder(values.artifacts) }),
    ...policy,
  };
}

/** What a command with a session of its own is reported. */
export interface SessionArguments extends Omit<ToolArguments, "params" | "json" | "kept"> {
  /** Not to be started where commands have no session. */
  readonly requireSessions: boolean;
  /** Where the session begins: absolute, or on a place relative to its first folder. */
  readonly cwd: string;
}

/**
 * Reads the words after `mcp`, `rpc`, `tasks` and `console`, which take their calls from elsewhere, and the folder where
 * their session begins: that of this program, or `--cwd`.
 *
 * @throws {UsageError} with `takesCalls` where a call stands among the words; and for a folder that is not there.
 */
export function parseSessionArguments(words: readonly string[], takesCalls: string): SessionArguments {
  const { values, positionals } = parseOptionWords({
    args: [...words],
    allowPositionals: true,
    options: SESSION_OPTIONS,
  });
  if (positionals.length > 0) throw new UsageError(takesCalls);
  return sessionArguments(values);
}

/**
 * The same for `mcp` and `rpc`, whose session a host may keep: `kept` is there where it does.
 *
 * @throws {UsageError} as above, and for `--session` without `--host` or with a word that is not a name.
 */
export function parseKeptArguments(
  words: readonly string[],
  takesCalls: string,
): SessionArguments & { readonly kept?: KeptArguments } {
  const { values, positionals } = parseOptionWords({ args: [...words], allowPositionals: true, options: KEPT_OPTIONS });
  if (positionals.length > 0) throw new UsageError(takesCalls);
  const { host, session, ...others } = values;
  const kept = keptArguments({ host, session, cwd: values.cwd });
  return { ...sessionArguments(others), ...(kept === undefined ? {} : { kept }) };
}

function keptArguments(values: {
  host: boolean;
  session?: string | undefined;
  cwd: string | undefined;
}): KeptArguments | undefined {
  const { host, session: name, cwd } = values;
  if (!host && name !== undefined) throw new UsageError("`--session` names a session of a host; it needs `--host`");
  if (!host) return undefined;
  if (name !== undefined && !HostSessionName.safeParse(name).success) {
    throw new UsageError(
      `\`--session\` takes 1 to 64 letters, digits, \`.\`, \`_\` and \`-\`, not \`${shortLine(name)}\``,
    );
  }
  return { ...(name === undefined ? {} : { name }), isCwdGiven: cwd !== undefined };
}

function sessionArguments(
  values: Parameters<typeof toolArguments>[0] & { cwd?: string | undefined; "require-sessions": boolean },
): SessionArguments {
  const { cwd = ".", "require-sessions": requireSessions, ...others } = values;
  const asked = toolArguments(others);
  const settings = withLastingFolder(asked);
  // A folder of another machine is looked at there, with the first command.
  if (asked.on !== undefined) return { ...asked, settings, cwd, requireSessions };
  const folder = resolve(cwd);
  if (!isFolder(folder)) throw new UsageError(`\`--cwd\` takes a folder, and \`${shortLine(cwd)}\` is not one`);
  return { ...asked, settings, cwd: folder, requireSessions };
}

/** A session of its own is a shell to whoever drives it: a `cd` lasts, unless `--setting` says otherwise. */
export function withLastingFolder({ settings, givenSettings }: Omit<ToolArguments, "params" | "json">): Settings {
  return givenSettings.has("bash.directoryPersists") ? settings : { ...settings, "bash.directoryPersists": true };
}

/** The folder of `--artifacts`, absolute. One that is missing is made when it is needed. */
function artifactFolder(path: string): string {
  const folder = resolve(path);
  const isTaken = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false;
  if (isTaken) throw new UsageError(`\`--artifacts\` takes a folder, and \`${shortLine(path)}\` is not one`);
  return folder;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** `bash.outputHeadBytes=1000`: the value is JSON; what is none is text, so that a word needs no quotes in quotes. */
function parseSettings(assignments: readonly string[]): Settings {
  const given = assignments.map((each) => {
    const [name, value] = parseAssignment(each, "--setting");
    if (!SETTING_NAMES.includes(name)) throw new UsageError(unknownSetting(name));
    return [name, settingValue(name, value)];
  });
  const checked = checkedValue(Settings, Object.fromEntries(given), { whole: "`--setting`" });
  if ("value" in checked) return checked.value;
  throw new UsageError(`wrong settings: ${checked.problem}`);
}

/** JSON, or text where it is none and does not begin like a list or an object. */
function settingValue(name: string, source: string): unknown {
  const json = readJson(source);
  if ("value" in json) return json.value;
  if (!/^\s*[[{]/.test(source)) return source;
  throw new UsageError(`the value of the setting \`${name}\` is not JSON: ${atPlace(json.place)}${json.problem}`);
}

/** Where in a source something is wrong, as a person reads it. */
export function atPlace({ line, column }: TextPlace): string {
  return `line ${line}, column ${column}: `;
}
