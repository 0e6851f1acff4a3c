/**
 * Keeps the shells of an executor: one a key, a bounded number idle, none shared by two keys.
 *
 * # Theory of operation
 * `acquire` gives a lease; the lease says whether the call has the session or a copy, and takes it back. Sessions
 * without work are kept in the order of their last use; beyond the bound the oldest are closed, except those with
 * living background children (a dev server must not die because other sessions came), which have a larger bound of
 * their own. A session whose run does not settle is quarantined: it leaves the pool at once, is closed in the
 * background, and forgotten when the run settles or the bound has passed.
 */

import { settlesWithin } from "@pi-bash/contract/internal/wait";
import type { NativesPort, SessionOptions } from "../natives-port.ts";
import { Session, type Turn, type TurnKind } from "./session.ts";

/**
 * Idle sessions kept: enough for the agents of one machine. Each is three processes and some 600 KiB; the next one of a key
 * that was closed has lost its state.
 */
export const DEFAULT_MAX_IDLE_SESSIONS = 64;
/** Idle sessions kept when those beyond the first bound have living background children. */
const DEFAULT_MAX_RETAINED_SESSIONS = 128;
/** Time between two looks at sessions that are kept only for their background children, in milliseconds. */
const RETAINED_POLL_MS = 5_000;
/** Time a session that does not settle is watched after it was closed, in milliseconds. */
const QUARANTINE_MS = 30_000;
/** Most time a close may take before it is left to the supervisor, in milliseconds. */
const CLOSE_BOUND_MS = 10_000;
/** Most time the question for living children may take, in milliseconds. */
const COUNT_BOUND_MS = 1_000;
/** Keys of closed sessions that are remembered, so that their next call can say that state was lost. */
const MAX_REMEMBERED_KEYS = 4_096;

export interface SessionPoolOptions {
  natives: Pick<NativesPort, "Shell">;
  maxIdle?: number;
  maxRetained?: number;
}

/** A session, or a copy of it, for one call. */
export interface Lease {
  /** How the call is to be run. */
  turn: TurnKind;
  session: Session;
  /** State was lost before this call: an earlier session of this key was closed or broke. Reported once. */
  isReset: boolean;
  /** The call goes on in the background: see `Session.promote`. */
  promote(): void;
  /** Gives it back in order. */
  release(): void;
  /** Gives it back broken: it is closed, no one gets it again. */
  drop(): void;
  /** Takes it out of use while its run is still under way. */
  quarantine(run: Promise<unknown>): void;
}

export class SessionPool {
  readonly #options: SessionPoolOptions;
  /** In the order of their last use, the oldest first. */
  readonly #sessions = new Map<string, Session>();
  readonly #lostKeys = new Set<string>();
  /** Work that goes on after its call: closing, quarantine. */
  readonly #chores = new Set<Promise<unknown>>();
  #quarantined = 0;
  #isSweeping = false;
  #mustSweepAgain = false;
  #pollTimer: NodeJS.Timeout | undefined;
  #isDisposed = false;

  constructor(options: SessionPoolOptions) {
    this.#options = options;
  }

  /** What there is now; for `doctor`-like reports and tests. */
  stats(): { sessions: number; idle: number; quarantined: number } {
    const all = [...this.#sessions.values()];
    return {
      sessions: all.length,
      idle: all.filter((session) => session.isIdle).length,
      quarantined: this.#quarantined,
    };
  }

  /** Whether there is a session of `key`. */
  has(key: string): boolean {
    return this.#sessions.has(key);
  }

  /** The session of `key`, made if there is none. Absent: the signal came first. */
  async acquire(
    key: string,
    options: SessionOptions,
    call: { mayClone: boolean; signal?: AbortSignal | undefined },
  ): Promise<Lease | undefined> {
    for (;;) {
      if (call.signal?.aborted) return undefined;
      const session = this.#sessions.get(key) ?? this.#create(key, options);
      const turn = await session.take(call.mayClone, call.signal);
      if (turn === "aborted") return undefined;
      if (turn !== "retry") return this.#lease(session, turn);
    }
  }

  /** Closes the session of a key; resolves when it is gone or the bound has passed. Its runs end as cancelled. */
  async close(key: string): Promise<void> {
    const session = this.#sessions.get(key);
    if (session === undefined) return;
    this.#sessions.delete(key);
    session.drop();
    await settlesWithin(session.close(), CLOSE_BOUND_MS);
  }

  /** Closes everything; resolves when it is gone or the bound has passed. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#pollTimer);
    for (const session of [...this.#sessions.values()]) this.#discard(session);
    await settlesWithin(Promise.allSettled([...this.#chores]), CLOSE_BOUND_MS);
  }

  #create(key: string, options: SessionOptions): Session {
    if (this.#isDisposed) throw new Error("executor is disposed; create another one");
    const session = new Session(key, new this.#options.natives.Shell(options), this.#lostKeys.delete(key));
    this.#sessions.set(key, session);
    return session;
  }

  #lease(session: Session, turn: Turn): Lease {
    const isReset = session.isReset;
    session.isReset = false;
    let isHeld = true;
    const end = (work: () => void): void => {
      if (!isHeld) return;
      isHeld = false;
      work();
      this.#sweep();
    };
    return {
      turn: turn.kind,
      session,
      isReset,
      promote: () => void session.promote(turn),
      release: () =>
        end(() => {
          session.release(turn);
          this.#touch(session);
        }),
      drop: () =>
        end(() => {
          // First, so that those in line look for a new one instead of getting this one.
          if (session.isHeldBy(turn)) this.#lose(session);
          session.release(turn);
        }),
      quarantine: (run) => end(() => this.#quarantine(session, turn, run)),
    };
  }

  /** The most recently used is the last to go. */
  #touch(session: Session): void {
    if (this.#sessions.get(session.key) !== session) return;
    this.#sessions.delete(session.key);
    this.#sessions.set(session.key, session);
  }

  /** Closes a session that someone may ask for again. */
  #lose(session: Session): void {
    if (!session.isEphemeral && this.#lostKeys.size < MAX_REMEMBERED_KEYS) this.#lostKeys.add(session.key);
    this.#discard(session);
  }

  #discard(session: Session): void {
    if (this.#sessions.get(session.key) === session) this.#sessions.delete(session.key);
    session.drop();
    this.#chore(settlesWithin(session.close(), CLOSE_BOUND_MS));
  }

  /** A copy that hangs, or a shell that was handed over, says nothing about its session, which stays; the session itself leaves at once. */
  #quarantine(session: Session, turn: Turn, run: Promise<unknown>): void {
    this.#quarantined += 1;
    const isHolder = session.isHeldBy(turn);
    if (isHolder) this.#lose(session);
    void settlesWithin(run, QUARANTINE_MS, "background").then(() => {
      this.#quarantined -= 1;
      if (!isHolder) session.release(turn);
    });
  }

  /** Remembers work that no one awaits but `dispose`. */
  #chore(work: Promise<unknown>): void {
    this.#chores.add(work);
    void work.finally(() => this.#chores.delete(work));
  }

  /** Closes what is idle beyond the bounds. One sweep at a time; a call during it asks for another. */
  #sweep(): void {
    if (!this.#hasSurplus()) return;
    if (this.#isSweeping) {
      this.#mustSweepAgain = true;
      return;
    }
    this.#isSweeping = true;
    this.#chore(
      this.#sweepOnce().finally(() => {
        this.#isSweeping = false;
        if (!this.#mustSweepAgain) return;
        this.#mustSweepAgain = false;
        this.#sweep();
      }),
    );
  }

  /** Whether a sweep could find anything: asked after every command, so it is cheap where there is little. */
  #hasSurplus(): boolean {
    if (this.#sessions.size > (this.#options.maxIdle ?? DEFAULT_MAX_IDLE_SESSIONS)) return true;
    for (const session of this.#sessions.values()) if (session.isEphemeral) return true;
    return false;
  }

  async #sweepOnce(): Promise<void> {
    const { maxIdle = DEFAULT_MAX_IDLE_SESSIONS, maxRetained = DEFAULT_MAX_RETAINED_SESSIONS } = this.#options;
    const idle = [...this.#sessions.values()].filter((session) => session.isIdle);
    const named = idle.filter((session) => !session.isEphemeral);
    const surplus = named.slice(0, Math.max(0, named.length - maxIdle));
    const candidates = [...idle.filter((session) => session.isEphemeral), ...surplus];
    let mayRetain = Math.max(0, maxRetained - (idle.length - candidates.length));
    let isRetaining = false;
    // The newest first: those are retained, the oldest go when there are too many.
    for (const session of candidates.reverse()) {
      const isAlive = mayRetain > 0 && (await hasBackgroundChildren(session));
      if (!session.isIdle || session.isDropped) continue;
      if (isAlive) {
        mayRetain -= 1;
        isRetaining = true;
      } else {
        this.#lose(session);
      }
    }
    if (isRetaining) this.#pollLater();
  }

  #pollLater(): void {
    if (this.#isDisposed || this.#pollTimer !== undefined) return;
    this.#pollTimer = setTimeout(() => {
      this.#pollTimer = undefined;
      this.#sweep();
    }, RETAINED_POLL_MS);
    this.#pollTimer.unref();
  }
}

/** Whether a session has living background children. A session that does not answer in time has none that count. */
async function hasBackgroundChildren(session: Session): Promise<boolean> {
  let count = 0;
  const question = session.shell.liveBackgroundJobCount().then((answer) => {
    count = answer;
  });
  return (await settlesWithin(question, COUNT_BOUND_MS)) && count > 0;
}
