/**
 * The folder that lasts: where a call starts that names none, and when a `cd` moves it.
 *
 * Only with `bash.directoryPersists`. A call with a `cwd` of its own uses that for itself. What moves the folder is a call
 * in the foreground that had the session's own shell and left it somewhere else; background jobs, copies of the shell,
 * and calls after which the shell was replaced move nothing. The workspace, which rules and sandboxes are about, stays
 * `session.cwd`.
 */
import { stat } from "node:fs/promises";
import type { Settings } from "@pi-bash/contract";
import type { CommandResult } from "@pi-bash/executor";
import type { PreparedCall } from "./prepared-call.ts";
import type { BashToolSession } from "./session.ts";
import { ToolError } from "./tool-error.ts";

/** Where a call starts that names no folder. Absolute. */
export function startFolder(session: BashToolSession, settings: Settings): string {
  return lastingFolder(session, settings) ?? session.cwd;
}

/** Throws `ToolError` where the lasting folder is gone, and then lets calls start in the workspace again. */
export async function checkStartFolder(session: BashToolSession, settings: Settings): Promise<void> {
  const folder = lastingFolder(session, settings);
  if (folder === undefined) return;
  if (await isDirectory(folder, session)) return;
  session.executor.folders.delete(keyOf(session));
  throw new ToolError(
    `The folder of the last \`cd\` is gone: ${folder}. The command did not run; the next one starts in ${session.cwd}.`,
  );
}

/** Whether a folder is there, on the machine where commands run. */
async function isDirectory(folder: string, { place }: BashToolSession): Promise<boolean> {
  if (place !== undefined) return (await place.stat(folder)).kind === "directory";
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() === true;
}

/** Takes over where a call in the foreground ended. The new folder, where that moved the session; else undefined. */
export function followFolder(call: PreparedCall, result: CommandResult, session: BashToolSession): string | undefined {
  const { settings, mayOverlap, hasOwnFolder } = call;
  const { workingDir, isIsolated, sessionReset } = result;
  if (!settings["bash.directoryPersists"] || hasOwnFolder || mayOverlap) return undefined;
  if (workingDir === undefined || isIsolated === true || sessionReset === true) return undefined;
  if (workingDir === startFolder(session, settings)) return undefined;
  session.executor.folders.set(keyOf(session), workingDir);
  return workingDir;
}

function lastingFolder(session: BashToolSession, settings: Settings): string | undefined {
  return settings["bash.directoryPersists"] ? session.executor.folders.get(keyOf(session)) : undefined;
}

function keyOf(session: BashToolSession): string {
  return session.getSessionId?.() ?? "";
}
