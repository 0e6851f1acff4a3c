/**
 * Where the output of one run goes: the sink's options for the core, the artifact, the listeners.
 *
 * The artifact is the caller's, or one of the executor's store. It is named in a result only when its file holds the
 * whole output; a file that a limit cut short is kept, and the reason given in its place says where its beginning is.
 */
import { stat } from "node:fs/promises";
import type { ArtifactAllocation, OutputWindow } from "@pi-bash/contract";
import { artifactUrl, MAX_SHOWN_LINE_BYTES } from "@pi-bash/contract/internal";
import { settlesWithin } from "@pi-bash/contract/internal/wait";
import { writePrivateFile } from "./artifacts/private-folder.ts";
import type { ArtifactStore } from "./artifacts/store.ts";
import type { CommandResult, LastSeen } from "./command-result.ts";
import type { RunOutput, RunSinkOptions } from "./natives-port.ts";
import { isOverLines } from "./output/line-window.ts";
import { FarSpill, PULLED_BYTES } from "./places/far-spill.ts";
import type { PlaceFiles } from "./places/place.ts";

/** Why a file is not known to be whole when its run was given up. */
const NO_REPORT = "the run did not report what it saved";
/** Most time that a place has to say how much a run that was given up had saved, in milliseconds. */
const BEGINNING_LOOK_MS = 1_000;

/** Takes the newest tail of the output, at most every 50 ms. */
export type UpdateListener = (tail: string, totals: { bytes: number; lines: number }) => void;

/** Who has the file. `false`: no one, nothing is kept. Absent: the executor's store. */
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
  artifact: ArtifactChoice;
  onUpdate?: UpdateListener | undefined;
  /** The file is made with the first byte, for whoever reads it meanwhile. */
  isFollowed?: boolean;
  /** What the model reads at most. */
  window: OutputWindow;
  /** Secrets are masked in the file too. */
  masksFile?: boolean;
  /** The run is on a place, and its file with it. Absent: both are here. */
  place?: { readonly name: string; readonly files: PlaceFiles } | undefined;
  /** Has work done when the session of the run is closed and nothing that it started can write any more. */
  onSessionClosed?: (work: () => Promise<void>) => void;
}

/** The sink of one run. Never rejects: without an artifact the run goes on, and the result says why. */
export async function openRunSink(source: RunSinkSource): Promise<RunSink> {
  const { allocation, error } = await allocate(source);
  const far = farSpill(source, allocation);
  const seen: LastSeen = { tail: "", bytes: 0, lines: 0 };
  const { maxBytes, headBytes } = source.window;
  const options: RunSinkOptions = {
    maxBytes,
    maxLineBytes: MAX_SHOWN_LINE_BYTES,
    ...(headBytes > 0 ? { headBytes } : {}),
    ...(allocation === undefined ? {} : { spillPath: allocation.path, spillMaxBytes: source.store.maxBytes }),
    ...(source.isFollowed ? { spillFromStart: true } : {}),
    ...(source.masksFile ? { maskSpill: true } : {}),
    onUpdate: (tail, totals) => {
      Object.assign(seen, { tail, bytes: totals.bytes, lines: totals.lines });
      source.onUpdate?.(tail, totals);
    },
  };
  return {
    options,
    seen,
    spillPath: allocation?.path,
    finish: (result, output) => finish(source, { allocation, error, far }, result, output),
  };
}

interface Allocated {
  allocation: ArtifactAllocation | undefined;
  error: string | undefined;
  /** Where the run writes the file, when that is on a place. */
  far: FarSpill | undefined;
}

/** The file of a run on a place, known to the store from now on: it can be read there while it grows. */
function farSpill({ place, store }: RunSinkSource, allocation: ArtifactAllocation | undefined): FarSpill | undefined {
  if (place === undefined || allocation === undefined) return undefined;
  const spill = new FarSpill(place.name, allocation.path, place.files);
  store.moveTo(allocation.id, allocation.path, spill);
  return spill;
}

async function finish(
  source: RunSinkSource,
  { allocation, error, far }: Allocated,
  result: CommandResult,
  output: RunOutput | undefined,
): Promise<CommandResult> {
  // The bound on lines cuts after this; what it leaves out has to be kept now.
  const isCutLater = output?.truncated === false && isOverLines(output.text, source.window);
  const isCut = result.truncated || isCutLater;
  if (allocation === undefined) return isCut && error !== undefined ? { ...result, artifactError: error } : result;
  const isGrowing = (result.survivors?.length ?? 0) > 0;
  const isLost = result.lost === true;
  const missing = far && (await fetch(source, { allocation, far }, output, { isGrowing, isLost }));
  const { found, problem } = missing ?? (await keep(source.store, allocation, output, { isCutLater }));
  if (source.artifact === undefined) await settle(source.store, allocation.id, { found, problem });
  if (found === "whole") return { ...result, artifactId: allocation.id };
  if (problem === undefined || !(isCut || found === "part")) return result;
  const place = found === "part" ? `; the beginning is in ${artifactUrl(allocation.id)}` : "";
  return { ...result, artifactError: `${problem}${place}` };
}

async function settle(store: ArtifactStore, id: string, { found, problem }: Kept): Promise<void> {
  if (problem !== undefined) store.recheck();
  if (found === "none") {
    // A file that could not be written may be there all the same, empty.
    await store.settle(id, problem === undefined ? "unused" : "discard");
  } else {
    await store.settle(id, "keep");
  }
}

interface Kept {
  /** What is in the artifact's file. */
  found: "whole" | "part" | "none";
  /** Why it is not the whole. */
  problem: string | undefined;
}

/** What the sink has written; `isCutLater`: the text is written where the sink needed no file. */
async function keep(
  store: ArtifactStore,
  allocation: ArtifactAllocation,
  output: RunOutput | undefined,
  { isCutLater }: { isCutLater: boolean },
): Promise<Kept> {
  const problem = output === undefined ? NO_REPORT : output.spillError;
  const found = await fileOf(store, allocation, output, problem);
  if (!isCutLater || found !== "none" || output === undefined) return { found, problem };
  const failure = await saveText(allocation, output.text);
  return failure === undefined ? { found: "whole", problem: undefined } : { found, problem: failure };
}

/** What is in the artifact's file, wherever that is. The disk is asked only where something went wrong. */
async function fileOf(
  store: ArtifactStore,
  allocation: ArtifactAllocation,
  output: RunOutput | undefined,
  problem: string | undefined,
): Promise<"whole" | "part" | "none"> {
  if (output?.spilled === true) return "whole";
  return problem !== undefined && (await isNonEmpty(store, allocation)) ? "part" : "none";
}

/**
 * Keeps a text that the bound on lines will cut; why that failed, where it did. The sink has no file of it: within the
 * bound on bytes it needs none. It is the plain text, without what a terminal does not show.
 */
async function saveText({ path }: ArtifactAllocation, text: string): Promise<string | undefined> {
  try {
    await writePrivateFile(path, text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Brings the file of a run here, where that is due: it is small and nothing writes to it any more, or its artifact is not of
 * the store, whose owner looks for it here. What that means for the artifact, where it failed.
 */
async function fetch(
  source: RunSinkSource,
  { allocation, far }: { allocation: ArtifactAllocation; far: FarSpill },
  output: RunOutput | undefined,
  { isGrowing, isLost }: { isGrowing: boolean; isLost: boolean },
): Promise<Kept | undefined> {
  const { store, onSessionClosed } = source;
  // A place that is lost is not asked: that would be a new connection.
  if (output === undefined && !isLost) return beginningOf(source, { allocation, far });
  const written = output === undefined || !hasFile(output) ? undefined : output;
  const isOwn = store.moveTo(allocation.id, allocation.path, written && far);
  if (written === undefined) return undefined;
  far.sizeBytes = written.totalBytes;
  if (isOwn && isGrowing) onSessionClosed?.(() => fetchGrown(store, allocation, far));
  if (isOwn && (isGrowing || written.totalBytes > PULLED_BYTES)) return undefined;
  const problem = await pulled(store, allocation, far, isOwn ? 2 * PULLED_BYTES : Number.POSITIVE_INFINITY);
  return isOwn || problem === undefined ? undefined : { found: "none", problem };
}

/** Brings a file here. Why it cannot be had, where it cannot. */
async function pulled(
  store: ArtifactStore,
  { id, path }: ArtifactAllocation,
  far: FarSpill,
  mostBytes: number,
): Promise<string | undefined> {
  try {
    // Masked values can make a file larger than what its command wrote.
    await far.pull(path, Math.min(mostBytes, store.maxBytes));
    store.moveTo(id, path, undefined);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The run wrote to its file: all of it, or as far as it could. */
function hasFile({ spilled, spillError }: RunOutput): boolean {
  return spilled || spillError !== undefined;
}

/** The file of a run that was given up: what it holds so far is the beginning of its output, and it may still grow. */
async function beginningOf(
  { store, onSessionClosed }: RunSinkSource,
  { allocation, far }: { allocation: ArtifactAllocation; far: FarSpill },
): Promise<Kept> {
  let size = 0;
  const look = far.open().then(
    (found) => {
      size = found.size;
    },
    () => undefined,
  );
  await settlesWithin(look, BEGINNING_LOOK_MS);
  const isOwn = store.moveTo(allocation.id, allocation.path, size > 0 ? far : undefined);
  if (size === 0 || !isOwn) return { found: "none", problem: NO_REPORT };
  onSessionClosed?.(() => fetchGrown(store, allocation, far));
  return { found: "part", problem: NO_REPORT };
}

/**
 * The same for a file that what its command left behind wrote to, once that has ended with the session. Never rejects: what
 * cannot be brought stays where it is, as long as its place does.
 */
async function fetchGrown(store: ArtifactStore, { id, path }: ArtifactAllocation, far: FarSpill): Promise<void> {
  // It may have gone for the quota.
  if (!store.moveTo(id, path, far)) return;
  try {
    const { size } = await far.open();
    if (size > PULLED_BYTES) return;
    await far.pull(path, Math.min(PULLED_BYTES, store.maxBytes));
    store.moveTo(id, path, undefined);
  } catch {
    // Whoever reads it learns why it cannot be had.
  }
}

async function allocate(source: RunSinkSource): Promise<Omit<Allocated, "far">> {
  const choice = source.artifact;
  if (choice === false) return { allocation: undefined, error: undefined };
  if (choice !== undefined) return { allocation: choice, error: undefined };
  try {
    return { allocation: await source.store.allocate("bash"), error: undefined };
  } catch (error) {
    return { allocation: undefined, error: error instanceof Error ? error.message : String(error) };
  }
}

/** Not opened where it is here: a path that an owner of its own chose may lead to anything. */
async function isNonEmpty(store: ArtifactStore, { id, path }: ArtifactAllocation): Promise<boolean> {
  const far = await store.farSize(id);
  if (far !== undefined) return far > 0;
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size > 0;
}
