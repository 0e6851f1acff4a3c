/**
 * Where the tools of a command work: the executor, its folder, and the place when that is not this machine (`--on`).
 *
 * A place is connected here, before anything is taken: a command that cannot reach it says so and ends.
 */
import { posix } from "node:path";
import type { Settings } from "@pi-bash/contract";
import { ArtifactStore, createExecutor, type Executor, type SessionPlace } from "@pi-bash/executor";
import type { RemotePlace } from "@pi-bash/places";
import { keepsState } from "./kept-state.ts";

/** What decides. */
export interface SeatArguments {
  readonly settings: Settings;
  /** Folder of the artifacts, absolute; absent: one that goes with the command. */
  readonly artifacts?: string;
  /** Where commands start: absolute, or on a place relative to its first folder. */
  readonly cwd: string;
  /** Absent: this machine. */
  readonly on?: RemotePlace;
  /** The agent's environment. Default: this process's. */
  readonly hostEnv?: Readonly<Record<string, string>>;
  /** Not to be opened where commands have no session. */
  readonly requireSessions: boolean;
}

/** What a session of the tools is made of. */
export interface Seat {
  readonly executor: Executor;
  /** Absolute, where the commands run. */
  readonly cwd: string;
  /** For the session's `place`; nothing on this machine. */
  readonly at: { readonly place?: SessionPlace };
  /** A command finds what the one before it has set. */
  readonly keepsState: boolean;
  /** Ends everything, the connection too. */
  dispose(): Promise<void>;
}

/**
 * Opens a seat.
 *
 * @throws NoSessionsError where sessions are required and there are none, and `PlaceError` where a place cannot be had
 */
export async function openSeat(asked: SeatArguments): Promise<Seat> {
  const { settings, on } = asked;
  const stored = {
    ...(asked.artifacts === undefined ? {} : { artifacts: storeIn(asked.artifacts, settings) }),
    ...(asked.hostEnv === undefined ? {} : { hostEnv: asked.hostEnv }),
  };
  if (on === undefined) {
    const isKept = await keepsState(asked.requireSessions);
    const executor = createExecutor(settings, { cwd: asked.cwd, ...stored });
    return { executor, cwd: asked.cwd, at: {}, keepsState: isKept, dispose: () => executor.dispose() };
  }
  const { facts } = await on.open();
  const cwd = posix.resolve(facts.cwd, asked.cwd);
  const executor = createExecutor(settings, { place: on, cwd, ...stored });
  const dispose = async (): Promise<void> => {
    await executor.dispose();
    await on.close();
  };
  try {
    const place = await executor.placeOf();
    const isKept = facts.capabilities.session === "persistent";
    return { executor, cwd, at: place === undefined ? {} : { place }, keepsState: isKept, dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** A store in a folder that stays, so that a later call can read what is in it by its addresses. */
function storeIn(folder: string, settings: Settings): ArtifactStore {
  return new ArtifactStore({
    folder,
    maxBytes: settings["artifacts.maxBytes"],
    quotaBytes: settings["artifacts.quotaBytes"],
    maxAgeMs: settings["artifacts.maxAgeMs"],
  });
}
