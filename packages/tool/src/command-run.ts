/**
 * Runs a prepared call in the foreground, on the executor or on the console of the PTY port.
 */
import type { ArtifactAllocation } from "@pi-bash/contract";
import { outputWindow } from "@pi-bash/contract/internal";
import { waitAtMost } from "@pi-bash/contract/internal/wait";
import { type CommandResult, type ExecuteBashOptions, type OutputMask, ptyEnvironment } from "@pi-bash/executor";
import { maskResult, shellConfig, withinLines } from "@pi-bash/executor/internal";
import type { FinishedRun } from "./describe-result.ts";
import type { CallWait } from "./foreground-calls.ts";
import { type KeptStream, keepTrailingStreams } from "./kept-stream.ts";
import type { LiveUpdates } from "./live-updates.ts";
import type { PreparedCall } from "./prepared-call.ts";
import type { PtyPort, PtyRequest } from "./pty-port.ts";
import { runHeld } from "./read-only/run-held.ts";
import type { BashToolSession, ToolContext } from "./session.ts";
import { followFolder } from "./session-folder.ts";
import { checkDirectory, folderRefusal } from "./working-directory.ts";

/** Most time that the session may take to give a file for the output, in milliseconds. */
const ALLOCATION_BOUND_MS = 5_000;

/** Where a call runs, and who watches. */
export interface CallScene {
  session: BashToolSession;
  context: ToolContext;
  signal: AbortSignal | undefined;
  updates: LiveUpdates;
  /** Absent: no one is notified that it waits or runs. */
  wait?: CallWait | undefined;
}

/** What every way to the executor has in common. */
export function executionOptions(
  call: PreparedCall,
  { session, wait }: Pick<CallScene, "session" | "wait">,
): Pick<ExecuteBashOptions, "cwd" | "env" | "timeoutMs" | "sessionKey" | "overlap" | "readOnly" | "window" | "onTurn"> {
  const sessionKey = session.getSessionId?.();
  return {
    cwd: call.cwd,
    env: call.env,
    timeoutMs: call.timeout.milliseconds,
    window: outputWindow(call.settings),
    onTurn: () => {
      const notice = wait?.start(!call.mayOverlap);
      // Of a second run it would count the first one, and the question between them.
      if (notice !== undefined && call.reading?.kind !== "approved") call.rewriteNotices.push(notice);
    },
    ...(sessionKey === undefined ? {} : { sessionKey }),
    ...(call.mayOverlap ? { overlap: "clone" as const } : {}),
    ...(call.reading?.kind === "confined" ? { readOnly: true } : {}),
  };
}

/** The command with its trailing pipes kept, where settings say so. */
export async function keepStreams(call: PreparedCall, session: BashToolSession): Promise<KeptStream | undefined> {
  const { settings } = call;
  // A confined command cannot write the copy.
  if (call.reading?.kind === "confined") return undefined;
  // The copy would be a file of another machine.
  if (session.place !== undefined) return undefined;
  const isKept = settings["bash.stripTrailingHeadTail"] && settings["bash.stripTrailingHeadTailMode"] === "tee";
  return isKept ? keepTrailingStreams(call.command, session.executor.artifacts) : undefined;
}

/** Runs the call in the session's shell, or in a copy of it. Rejects only when it was never started. */
export async function runOnExecutor(call: PreparedCall, scene: CallScene): Promise<FinishedRun> {
  const ended = await runHeld(call, async (held) => ({ kind: "ended" as const, run: await runOnce(held, scene) }));
  return ended.run;
}

async function runOnce(call: PreparedCall, scene: CallScene): Promise<FinishedRun> {
  const { session, signal, updates } = scene;
  const file = await allocate(session);
  const kept = await keepStreams(call, session);
  let result: CommandResult;
  let keptNotice: string | undefined;
  try {
    result = await session.executor.executeBash(kept?.command ?? call.command, {
      ...executionOptions(call, scene),
      ...(signal === undefined ? {} : { signal }),
      ...(file.artifact === undefined ? {} : { artifact: file.artifact }),
      onUpdate: (tail) => updates.show(tail),
    });
  } catch (error) {
    throw await folderRefusal(error, call.cwd, session.place);
  } finally {
    keptNotice = await kept?.finish();
  }
  const movedTo = followFolder(call, result, session);
  return { call, result: withArtifactError(result, file.error), backend: "executor", keptNotice, movedTo };
}

/** Runs the call on a console that a person can type into. */
export async function runOnPty(
  call: PreparedCall,
  pty: PtyPort,
  { session, context, signal }: CallScene,
): Promise<FinishedRun> {
  await checkDirectory(call.cwd, session.place);
  const file = await allocate(session);
  const store = session.executor.artifacts;
  const own = file.artifact === undefined ? await store.allocate("bash").catch(() => undefined) : undefined;
  const { settings } = call;
  const { prefix, mask, ...begin } = await terminalOf(call, session);
  let result: CommandResult | undefined;
  try {
    const shown = await pty.run({
      command: prefix === undefined ? call.command : `${prefix} ${call.command}`,
      ...begin,
      cwd: call.cwd,
      timeoutMs: call.timeout.milliseconds,
      signal,
      artifact: own ?? (file.artifact === false ? undefined : file.artifact),
      artifactMaxBytes: store.maxBytes,
      maxBytes: settings["bash.outputMaxBytes"],
      title: "Console",
      ui: context.ui,
    });
    // What a person saw is raw; what the model reads of it is not.
    const placed = session.place === undefined ? shown : { ...shown, place: session.place.name };
    result = maskResult(mask, placed);
  } finally {
    if (own !== undefined) await store.settle(own.id, result?.artifactId === own.id ? "keep" : "discard");
  }
  const shown = withinLines(withArtifactError(result, file.error), outputWindow(settings));
  return { call, result: shown, backend: "pty" };
}

/** What a program on a terminal begins with, on this machine or on the session's place. */
async function terminalOf(
  { settings, env }: PreparedCall,
  session: BashToolSession,
): Promise<
  Pick<PtyRequest, "shell" | "env" | "createPty"> & { prefix: string | undefined; mask: OutputMask | undefined }
> {
  const terminal = session.place?.terminal;
  const kind = settings["bash.ptyEnvironment"];
  if (terminal !== undefined) {
    const { shell, mask, createPty } = terminal;
    return { shell, env: terminal.environment(kind, env), prefix: settings.shellPrefix, mask, createPty };
  }
  const hostEnv = session.hostEnv ?? process.env;
  const { shell, prefix } = shellConfig({ settings, hostEnv });
  const own = ptyEnvironment({ hostEnv, settings, shell, ptyEnvironment: kind }, env);
  return { shell, env: own, prefix, mask: await session.executor.secretMask() };
}

interface OutputFile {
  /** Absent: the executor's store; `false`: nowhere. */
  artifact?: ArtifactAllocation | false;
  error?: string;
}

/** The session's file for the output. A failure costs the file and nothing else. */
async function allocate(session: BashToolSession): Promise<OutputFile> {
  if (session.allocateOutputArtifact === undefined) return {};
  try {
    const allocate = session.allocateOutputArtifact.bind(session);
    const waited = await waitAtMost(async () => allocate("bash"), ALLOCATION_BOUND_MS);
    if (waited.kind === "error") throw waited.error;
    if (waited.kind !== "value") return { artifact: false, error: "the session did not give a file in time" };
    const made = waited.value;
    if (made?.id !== undefined && made.path !== undefined) return { artifact: { id: made.id, path: made.path } };
    return { artifact: false, error: "the session has no artifacts" };
  } catch (error) {
    return { artifact: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function withArtifactError(result: CommandResult, error: string | undefined): CommandResult {
  if (error === undefined || !result.truncated || result.artifactError !== undefined) return result;
  return { ...result, artifactError: error };
}
