/**
 * `pi-bash tool`: one call of the bash tool as an agent makes it, from JSON or from flags.
 *
 * For trying what a model would read, and for hosts in other languages. The answer is text, or with `--json` one object
 * with `content`, `details` and `isError`, thrown errors included. The exit status is the command's own.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { type BashToolResult, Settings } from "@pi-bash/contract";
import { checkedValue, HostSessionName, readJson, shortLine, type TextPlace } from "@pi-bash/contract/internal";
import type { RemotePlace } from "@pi-bash/places";
import { createBashTool, ToolAbortError, ToolError } from "@pi-bash/tool";
import { listenForInterrupt } from "../interrupt.ts";
import { parseAssignment, parseOptionWords, parseTimeoutSeconds } from "../option-words.ts";
import { placeOption } from "../place-option.ts";
import { type PolicyArguments, parsePolicyArguments, policyOf } from "../policy-option.ts";
import { openSeat } from "../seat.ts";
import { KEPT_OPTIONS, SESSION_OPTIONS, TOOL_OPTIONS } from "../surface/options.ts";
import { SETTING_NAMES, unknownSetting } from "../surface/settings.ts";
import { tellWhatIsRead } from "../terminal-input.ts";
import { UsageError } from "../usage.ts";

/** Exit status of a call that gave no result: refused, timed out, or not startable; as `env` and `timeout` have it. */
const NO_RESULT_STATUS = 125;

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
  /** The session of a host that it works in. Absent: one of its own. */
  kept?: KeptArguments;
}

/** The session of a host that a command works in (`--host`). */
export interface KeptArguments {
  /** Absent: it is made of the folder. */
  readonly name?: string;
  readonly isCwdGiven: boolean;
}

/** Runs the words after `tool` and resolves with the exit status. */
export async function tool(words: readonly string[]): Promise<number> {
  const asked = parseToolArguments(words);
  if (asked.params === undefined) tellWhatIsRead("the parameters of a call as JSON");
  const params = asked.params ?? parseCall(await text(process.stdin));
  if (asked.kept !== undefined) return callInHost(asked, asked.kept, params);
  const policy = await policyOf(asked);
  const interrupt = listenForInterrupt(() => undefined);
  const seat = await openSeat({ ...asked, cwd: asked.on === undefined ? process.cwd() : ".", requireSessions: false });
  const bash = createBashTool({
    cwd: seat.cwd,
    ...seat.at,
    settings: asked.settings,
    executor: seat.executor,
    toolNames: ["bash"],
    policy,
    policyContext: () => (asked.mode === undefined ? {} : { mode: asked.mode }),
  });
  try {
    const outcome = await callOutcome(() => bash.execute("cli", params, interrupt.signal));
    print(outcome.answer, asked.json);
    return outcome.hasResult ? outcome.status : (interrupt.status ?? outcome.status);
  } finally {
    await seat.dispose();
    interrupt.release();
  }
}

/** What became of a call. */
export interface CallOutcome {
  readonly answer: BashToolResult;
  /** False: it was refused, timed out, or did not start. */
  readonly hasResult: boolean;
  /** Exit status of a program that made it. */
  readonly status: number;
}

/** Makes a call; what the tool throws is an answer, too. */
export async function callOutcome(execute: () => Promise<BashToolResult>): Promise<CallOutcome> {
  try {
    const answer = await execute();
    return { answer, hasResult: true, status: answer.details?.exitCode ?? 0 };
  } catch (error) {
    if (!(error instanceof ToolError) && !(error instanceof ToolAbortError)) throw error;
    const answer: BashToolResult = {
      content: [{ type: "text", text: error.message }],
      ...(error.details === undefined ? {} : { details: error.details }),
      isError: true,
    };
    return { answer, hasResult: false, status: NO_RESULT_STATUS };
  }
}

/** Makes the call in a session of the host, beside the client that is there. */
async function callInHost(asked: ToolArguments, kept: KeptArguments, params: unknown): Promise<number> {
  const { callFromHost } = await import("../host/single-call.ts");
  const cwd = asked.on === undefined ? process.cwd() : ".";
  const outcome = await callFromHost(
    { ...asked, settings: withLastingFolder(asked), cwd, requireSessions: false },
    kept,
    params,
  );
  if (outcome === undefined) return NO_RESULT_STATUS;
  print(outcome.answer, asked.json);
  return outcome.status;
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

/** What every command that has the tools is told by its options. */
function toolArguments(values: {
  policy?: string | undefined;
  mode?: string | undefined;
  "allow-unasked": readonly string[];
  setting: readonly string[];
  artifacts?: string | undefined;
  on?: string | undefined;
  keep?: string | undefined;
}): Omit<ToolArguments, "params" | "json" | "kept"> {
  const policy = parsePolicyArguments(values);
  const on = placeOption(values);
  const settings = parseSettings(values.setting);
  const allowUnasked = [...new Set([...settings["bash.allowUnasked"], ...policy.allowUnasked])];
  return {
    settings: { ...settings, "bash.allowUnasked": allowUnasked },
    givenSettings: new Set(values.setting.map((each) => parseAssignment(each, "--setting")[0])),
    ...(on === undefined || values.on === undefined ? {} : { on, onWord: values.on }),
    ...(values.artifacts === undefined ? {} : { artifacts: artifactFolder(values.artifacts) }),
    ...policy,
  };
}

/** What a command with a session of its own is told. */
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
function withLastingFolder({ settings, givenSettings }: Omit<ToolArguments, "params" | "json">): Settings {
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

function parseCall(source: string): unknown {
  if (source.trim() === "") throw new UsageError("`tool` needs a command, or a call as JSON on standard input");
  const json = readJson(source);
  if ("value" in json) return json.value;
  throw new UsageError(`standard input is not JSON: ${atPlace(json.place)}${json.problem}`);
}

function atPlace({ line, column }: TextPlace): string {
  return `line ${line}, column ${column}: `;
}

function print(answer: BashToolResult, isJson: boolean): void {
  const shown = isJson ? JSON.stringify(answer) : answer.content.map((part) => part.text).join("");
  process.stdout.write(`${shown}\n`);
}
