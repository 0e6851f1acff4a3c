/**
 * Where the output of one run goes: the sink's options for the core, the artifact, the listeners.
 *
 * The artifact is the caller's, or one of the executor's store. It is named in a result only when its file holds the
 * whole output; a file that a limit cut short is kept, and the reason given in its place says where its beginning is.
 */
import { stat } from "node:fs/promises";
import { type ArtifactAllocation, artifactUrl, MAX_SHOWN_LINE_BYTES, type Settings } from "@pi-bash/contract";
import type { ArtifactStore } from "./artifacts/store.ts";
import type { CommandResult, LastSeen } from "./command-result.ts";
import type { RunOutput, RunSinkOptions } from "./natives-port.ts";

/** Takes the newest tail of the output, at most every 50 ms. */
export type UpdateListener = (tail: string, totals: { bytes: number; lines: number }) => void;

/** Who has the file. `false`: nobody, nothing is kept. Absent: the executor's store. */
export type ArtifactChoice = ArtifactAllocation | false | undefined;

export interface RunSink {
  options: RunSinkOptions;
  /** What the last update showed. */
  seen: LastSeen;
  /** Says in the result what became of the artifact. */
  finish(result: CommandResult, output: RunOutput | undefined): Promise<CommandResult>;
  /** Path of the file with the raw output. */
  spillPath: string | undefined;
}

export interface RunSinkSource {
  store: ArtifactStore;
  settings: Pick<Settings, "bash.outputHeadBytes">;
  artifact: ArtifactChoice;
  onUpdate?: UpdateListener | undefined;
  /** The file is made with the first byte, for whoever reads it meanwhile. */
  isFollowed?: boolean;
  /** Most bytes of text for the model. */
  maxBytes: number;
}

/** The sink of one run. Never rejects: without an artifact the run goes on, and the result says why. */
export async function openRunSink(source: RunSinkSource): Promise<RunSink> {
  const { allocation, error } = await allocate(source);
  const seen: LastSeen = { tail: "", bytes: 0, lines: 0 };
  const headBytes = source.settings["bash.outputHeadBytes"];
  const options: RunSinkOptions = {
    maxBytes: source.maxBytes,
    maxLineBytes: MAX_SHOWN_LINE_BYTES,
    ...(headBytes > 0 ? { headBytes } : {}),
    ...(allocation === undefined ? {} : { spillPath: allocation.path, spillMaxBytes: source.store.maxBytes }),
    ...(source.isFollowed ? { spillFromStart: true } : {}),
    onUpdate: (tail, totals) => {
      Object.assign(seen, { tail, bytes: totals.bytes, lines: totals.lines });
      source.onUpdate?.(tail, totals);
    },
  };
  return {
    options,
    seen,
    spillPath: allocation?.path,
    finish: (result, output) => finish(source, { allocation, error }, result, output),
  };
}

interface Allocated {
  allocation: ArtifactAllocation | undefined;
  error: string | undefined;
}

async function finish(
  source: RunSinkSource,
  { allocation, error }: Allocated,
  result: CommandResult,
  output: RunOutput | undefined,
): Promise<CommandResult> {
  if (allocation === undefined) {
    return result.truncated && error !== undefined ? { ...result, artifactError: error } : result;
  }
  const problem = output === undefined ? "the run did not report what it saved" : output.spillError;
  const found = await fileOf(allocation, output, problem);
  if (source.artifact === undefined) {
    if (problem !== undefined) source.store.recheck();
    await source.store.settle(allocation.id, found === "none" ? "unused" : "keep");
  }
  if (found === "whole") return { ...result, artifactId: allocation.id };
  if (problem === undefined || !(result.truncated || found === "part")) return result;
  const place = found === "part" ? `; the beginning is in ${artifactUrl(allocation.id)}` : "";
  return { ...result, artifactError: `${problem}${place}` };
}

/** What is in the artifact's file. The disk is asked only where something went wrong. */
async function fileOf(
  allocation: ArtifactAllocation,
  output: RunOutput | undefined,
  problem: string | undefined,
): Promise<"whole" | "part" | "none"> {
  if (output?.spilled === true) return "whole";
  return problem !== undefined && (await isNonEmptyFile(allocation.path)) ? "part" : "none";
}

async function allocate(source: RunSinkSource): Promise<Allocated> {
  const choice = source.artifact;
  if (choice === false) return { allocation: undefined, error: undefined };
  if (choice !== undefined) return { allocation: choice, error: undefined };
  try {
    return { allocation: await source.store.allocate("bash"), error: undefined };
  } catch (error) {
    return { allocation: undefined, error: error instanceof Error ? error.message : String(error) };
  }
}

async function isNonEmptyFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size > 0;
}
