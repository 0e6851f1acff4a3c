/**
 * From what the model said to what will run: every check and rewrite of a call, in the order of the specification.
 *
 * Env names, trailing pipes, a leading `cd`, the async check, interception on the command as it was given and as it
 * will run, internal URLs, the directory, the timeout, permission. Folders of `local://` are made last, so that a refused
 * command has made none; nothing is run here.
 */

import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { analyzeCommand, applyBashFixups } from "@pi-bash/command";
import { parseInternalUrl } from "@pi-bash/command/internal";
import type { Settings } from "@pi-bash/contract";
import { BashParamsWithAsync, ENV_NAME_PATTERN, shortLine } from "@pi-bash/contract/internal";
import { headUnits } from "@pi-bash/contract/internal/text";
import { checkCommandEnv } from "@pi-bash/executor/internal";
import { checkBashInterception } from "@pi-bash/policy";
import { type AskedCall, approveCall } from "./approvals.ts";
import { parseParams, shownParams } from "./call-params.ts";
import { type ExpansionOptions, expandCwd, expandEnvValue, expandInternalUrls } from "./internal-urls.ts";
import type { CallReading } from "./read-only/call-reading.ts";
import type { BashToolSession, ToolContext } from "./session.ts";
import { checkStartFolder, startFolder } from "./session-folder.ts";
import { type CallTimeout, clampTimeout } from "./timeout.ts";
import { refusal, ToolError } from "./tool-error.ts";
import { checkDirectory, FolderWatch, resolveToCwd } from "./working-directory.ts";

/** What a call may do, and how, by a decision. */
export interface CallPermit {
  env: Record<string, string>;
  /** It only reads: it may run beside others, in a copy of the session. */
  mayOverlap: boolean;
  /** How it is held where reading alone allowed it. Undefined: it runs as any other. */
  reading: CallReading | undefined;
}

/** How a call is judged. */
type Question = Pick<AskedCall, "unconfined" | "doubts">;

/** A call that may run. */
export interface PreparedCall extends CallPermit {
  /** As the model gave it. */
  original: string;
  /** What runs. */
  command: string;
  /** What the model says it does. */
  description?: string | undefined;
  /** Absolute. Whether it is there, whoever runs the command finds: see `working-directory.ts`. */
  cwd: string;
  /** The call named it, for itself alone. */
  hasOwnFolder: boolean;
  timeout: CallTimeout;
  isAsync: boolean;
  wantsPty: boolean;
  settings: Settings;
  /** What was changed, for programs. */
  applied: string[];
  /** What was changed, as far as the model must know to read the output. */
  rewriteNotices: string[];
  /** Judges the call again, for a run that cannot be as it was permitted. Throws as `prepareCall` does. */
  judge: (more: Partial<Question>) => Promise<CallPermit>;
}

/** Longest path in a note on a call, in UTF-16 units. */
const MAX_QUOTED_PATH = 1_024;

/** Checks and rewrites a call, and asks whether it may run; `signal` ends the question. Throws `ToolError`. */
export async function prepareCall(
  params: unknown,
  settings: Settings,
  session: BashToolSession,
  context: ToolContext & { signal?: AbortSignal | undefined; isTerminal?: boolean },
): Promise<PreparedCall> {
  const given = parseCall(params, settings, session);
  const original = given.command;
  const env = given.env ?? {};
  checkEnvNames(env, settings);

  const applied: string[] = [];
  const rewriteNotices: string[] = [];
  const fixed = settings["bash.stripTrailingHeadTail"]
    ? fix(original, settings["bash.stripTrailingHeadTailMode"], { applied, rewriteNotices })
    : original;
  const split = given.cwd === undefined ? splitLeadingCd(fixed, applied) : { command: fixed, cwd: given.cwd };

  if (given.async === true) checkAsync(settings, session);
  if (settings["bashInterceptor.enabled"]) intercept(original, split.command, settings, session, context);

  const base = await baseOf(given.cwd, split.cwd, session, settings);
  const text: CallText = { command: split.command, env, cwd: split.cwd, base };
  const timeout = clampTimeout(given.timeout, settings);
  const hostVariables = { ...session.commandEnv?.(), ...context.commandEnv };
  const places = await expand(text, session, "look");
  if (places.command !== split.command) applied.push("internal URLs became paths");
  const { description } = given;
  const { isTerminal = false } = context;
  const isAsync = given.async === true;
  const shown = isTerminal
    ? `${description ?? "a task"}; on a terminal, and what the model types into it`
    : description;
  const asked = { ...places, original, base, description: shown, isAsync, isTerminal };
  const question: Question = { unconfined: given.unconfined === true };
  const judge = async (question: Question): Promise<CallPermit> => {
    const watch = new FolderWatch(places.cwd, isUrl(text.cwd), session.place);
    const approved = await approveCall({ ...asked, wantsPty: given.pty === true, ...question }, session, {
      settings,
      signal: context.signal,
      beforeWait: () => watch.record(),
    });
    await watch.compare();
    return {
      env: { ...hostVariables, ...places.env, ...approved.env },
      // A `cd` that lasts takes its turn, also where it is no longer in the text.
      mayOverlap: approved.mayOverlap && !(settings["bash.directoryPersists"] && split.cwd !== given.cwd),
      reading: approved.reading,
    };
  };
  const permit = await judge(question);
  await makeFolders(text, places, session);
  return {
    original,
    ...places,
    ...permit,
    judge: (more) => judge({ ...question, ...more }),
    hasOwnFolder: given.cwd !== undefined,
    description,
    timeout,
    isAsync,
    wantsPty: given.pty === true,
    settings,
    applied,
    rewriteNotices,
  };
}

/**
 * Where a call starts: a `cwd` of its own is taken from the workspace, as in every session; a leading `cd` and a call
 * without either go on where the session is.
 */
async function baseOf(
  given: string | undefined,
  split: string | undefined,
  session: BashToolSession,
  settings: Settings,
): Promise<string> {
  if (given !== undefined) return session.cwd;
  if (split === undefined || !isAbsolute(split)) await checkStartFolder(session, settings);
  return startFolder(session, settings);
}

/** `async` and `pty` are known here in every session: whoever asks for one where it is off is to read why. */
function parseCall(params: unknown, settings: Settings, session: BashToolSession): BashParamsWithAsync {
  if (hasPrototypeVariable(params)) throw new ToolError("Invalid bash env name: __proto__");
  const shown = shownParams(settings, session);
  return parseParams({ tool: "bash", schema: BashParamsWithAsync, shown }, params);
}

/** Whether there is a variable `__proto__`. The schema would leave it out, and the command run without it. */
function hasPrototypeVariable(params: unknown): boolean {
  try {
    return Object.hasOwn(Object(Object(params).env), "__proto__");
  } catch {
    return false; // It cannot be read: the schema tells.
  }
}

function checkEnvNames(env: Readonly<Record<string, string>>, settings: Settings): void {
  const invalid = Object.keys(env).find((name) => !ENV_NAME_PATTERN.test(name));
  if (invalid !== undefined) throw new ToolError(`Invalid bash env name: ${shortLine(invalid)}`);
  try {
    checkCommandEnv(env, settings["bash.environment.allow"]);
  } catch (error) {
    throw refusal(error);
  }
}

interface Records {
  applied: string[];
  rewriteNotices: string[];
}

function fix(command: string, mode: "tee" | "strip", { applied, rewriteNotices }: Records): string {
  const fixups = applyBashFixups(command, mode);
  for (const text of fixups.stripped) {
    applied.push(`stripped trailing \`${text}\``);
    // A `2>&1` at the end changes nothing that anyone can see.
    if (text.startsWith("|")) {
      rewriteNotices.push(
        `Stripped trailing \`${text}\` — bash output is truncated automatically and the whole of a large one is kept.`,
      );
    }
  }
  return fixups.command;
}

function splitLeadingCd(command: string, applied: string[]): { command: string; cwd?: string } {
  const { leadingCd } = analyzeCommand(command);
  if (leadingCd === undefined) return { command };
  applied.push(`leading \`cd ${headUnits(leadingCd.path, MAX_QUOTED_PATH)}\` became the working directory`);
  return { command: leadingCd.rest, cwd: leadingCd.path };
}

function checkAsync(settings: Settings, session: BashToolSession): void {
  if (!settings["async.enabled"]) {
    throw new ToolError("Async bash execution is disabled. Enable async.enabled to use async mode.");
  }
  if (session.asyncJobManager === undefined) {
    throw new ToolError("Async job manager unavailable for this session.");
  }
}

function intercept(
  original: string,
  stripped: string,
  settings: Settings,
  session: BashToolSession,
  context: ToolContext,
): void {
  const warn = session.warn ?? ((text: string) => process.emitWarning(text, { code: "PI_INVALID_RULE" }));
  const toolNames = [...(context.toolNames ?? session.toolNames ?? [])];
  for (const command of new Set([original, stripped])) {
    const result = checkBashInterception(command, toolNames, settings["bashInterceptor.patterns"], {
      originalCommand: original,
      onInvalidRule: ({ problem }) => warn(`interception rule is skipped: ${problem}`),
    });
    if (result.block) throw new ToolError(result.message, { details: { suggestedTool: result.suggestedTool } });
  }
}

/** A call as far as internal URLs can stand in it. */
interface CallText {
  command: string;
  env: Readonly<Record<string, string>>;
  cwd: string | undefined;
  /** What a relative one is taken from, and where the call starts without one. Absolute. */
  base: string;
}

/** The same with paths in their place. */
interface CallPlaces {
  command: string;
  env: Record<string, string>;
  /** Absolute. */
  cwd: string;
}

/** Turns URLs into paths. `look` makes no folder, so that a call that is refused afterwards has made none. */
async function expand(text: CallText, session: BashToolSession, way: "look" | "make"): Promise<CallPlaces> {
  const expansion: ExpansionOptions = {
    sources: session.internalUrls ?? {},
    artifacts: session.executor.artifacts,
    ensureLocalParentDirs: way === "make",
  };
  const command = await expandInternalUrls(text.command, expansion);
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(text.env)) env[name] = await expandEnvValue(value, expansion);
  const path = text.cwd === undefined ? "." : await expandCwd(text.cwd, expansion);
  // The environment is made again each time it is asked for, and few directories begin with `~`.
  const { place } = session;
  const home = (): string =>
    place === undefined ? (session.executor.environment().env["HOME"] ?? homedir()) : (place.home ?? "/");
  const cwd = resolveToCwd(path, text.base, home);
  if (place !== undefined && isExpanded(text, { command, env, path })) throw urlsOnPlace(place.name);
  if (way === "make") await checkDirectory(cwd, place);
  return { command, env, cwd };
}

/** Whether an internal URL became a path. */
function isExpanded(text: CallText, made: { command: string; env: Record<string, string>; path: string }): boolean {
  return (
    made.command !== text.command || made.path !== (text.cwd ?? ".") || !isDeepStrictEqual(made.env, { ...text.env })
  );
}

/** Internal URLs are paths of this machine, and the command would look for them on another one. */
function urlsOnPlace(place: string): ToolError {
  return new ToolError(
    `Internal URLs are files of the agent's machine, and commands run on ${place}. Read the URL with the tool that reads files, and give the command what it needs of it.`,
  );
}

/** Makes the folders of `local://` paths, now that the call may run. What was approved is what runs. */
async function makeFolders(text: CallText, places: CallPlaces, session: BashToolSession): Promise<void> {
  const hasUrl =
    places.command !== text.command ||
    Object.entries(text.env).some(([name, value]) => places.env[name] !== value) ||
    isUrl(text.cwd);
  if (!hasUrl) return;
  // Before a folder is made: a call that is refused makes none.
  if (!isUrl(text.cwd)) await checkDirectory(places.cwd, session.place);
  const made = await expand(text, session, "make");
  if (!isDeepStrictEqual(made, places)) {
    throw new ToolError("An internal URL leads elsewhere than when the call was checked; try again.");
  }
}

/** Whether a folder is named by an internal URL. */
function isUrl(cwd: string | undefined): boolean {
  return cwd !== undefined && parseInternalUrl(cwd) !== undefined;
}
