/**
 * The foreground calls of a session that are under way: which one has the shell, since when, and who waits for it.
 *
 * A client may give a call up without saying so: its command keeps the shell until it ends. So whoever waits says what
 * it waits for, the list of tasks has such calls, and they can be ended like tasks. No sign tells a call that was given
 * up from one that is waited for; so none is ended or moved to the background by itself.
 */

import { displayLine } from "@pi-bash/contract/internal";
import { clipped } from "@pi-bash/contract/internal/text";
import type { Executor } from "@pi-bash/executor";
import type { BashToolSession } from "./session.ts";

/** Time that a call waits without a word, in milliseconds: most waits are over by then. */
const TELL_AFTER_MS = 2_000;
/** Time between two words on what it waits for, in milliseconds. */
const TELL_AGAIN_MS = 10_000;
/** Most of a command in such a text, in UTF-16 units. */
const MAX_COMMAND_CHARS = 60;

/** A call under way. */
export interface ForegroundCall {
  /** `call_1`, for `task_terminate`. */
  readonly id: string;
  readonly command: string;
  /** When it was made, in milliseconds since the epoch. */
  readonly madeAtMs: number;
  /** When it had its turn; undefined: it waits. */
  readonly startedAtMs: number | undefined;
  /** Whether others wait for it: not for one that runs in a copy, or elsewhere. */
  readonly hasShell: boolean;
}

/** One call's entry. */
interface OwnCall {
  /** Aborted when someone else ends the call. */
  readonly stopped: AbortSignal;
  /** It has its turn; whether in the session's shell, where others wait for it. */
  start(hasShell: boolean): void;
  /** It is over. */
  end(): void;
}

interface Entry {
  call: ForegroundCall;
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

/** Foreground calls of one session, in the order they were made. */
export class ForegroundCalls {
  readonly #entries = new Map<string, Entry>();
  #count = 0;

  /** Counts a call in, as one that waits. */
  begin(command: string): OwnCall {
    this.#count += 1;
    const id = `call_${this.#count}`;
    const stop = new AbortController();
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      end = () => {
        this.#entries.delete(id);
        resolve();
      };
    });
    const entry: Entry = {
      call: { id, command, madeAtMs: Date.now(), startedAtMs: undefined, hasShell: false },
      stop,
      over,
    };
    this.#entries.set(id, entry);
    return {
      stopped: stop.signal,
      start: (hasShell) => {
        entry.call = { ...entry.call, startedAtMs: Date.now(), hasShell };
      },
      end,
    };
  }

  list(): ForegroundCall[] {
    return [...this.#entries.values()].map(({ call }) => call);
  }

  /** The call that has the shell; undefined: none has it. */
  holder(): ForegroundCall | undefined {
    return this.list().find(({ hasShell }) => hasShell);
  }

  /** Ends a call, and resolves when it is over; undefined: there is no such call. */
  stop(id: string): Promise<void> | undefined {
    const entry = this.#entries.get(id);
    entry?.stop.abort();
    return entry?.over;
  }
}

/** One call's wait for its turn. */
export interface CallWait {
  /** Aborted when someone else ends the call: `task_terminate`. */
  readonly stopped: AbortSignal;
  /** The call has its turn. @returns what to say of the wait, where it was long */
  start(hasShell: boolean): string | undefined;
  /** The call is over. */
  end(): void;
}

/** Counts a call in, and calls `tell` with what it waits for while it does. */
export function watchWait(calls: ForegroundCalls, command: string, tell: (text: string) => void): CallWait {
  const own = calls.begin(command);
  const beganAt = performance.now();
  let holder = calls.holder();
  const look = (): void => {
    holder = calls.holder() ?? holder;
    if (holder !== undefined) tell(waitingText(holder));
    timer = setTimeout(look, TELL_AGAIN_MS).unref();
  };
  let timer = setTimeout(look, TELL_AFTER_MS).unref();
  return {
    stopped: own.stopped,
    start: (hasShell) => {
      clearTimeout(timer);
      own.start(hasShell);
      const waitedMs = performance.now() - beganAt;
      if (holder === undefined || waitedMs < TELL_AFTER_MS) return undefined;
      return `Waited ${(waitedMs / 1_000).toFixed(1)} seconds for the shell, which \`${shortCommand(holder)}\` had.`;
    },
    end: () => {
      clearTimeout(timer);
      own.end();
    },
  };
}

function waitingText(holder: ForegroundCall): string {
  const seconds = Math.round((Date.now() - (holder.startedAtMs ?? holder.madeAtMs)) / 1_000);
  const since = `${seconds} second${seconds === 1 ? "" : "s"}`;
  return `Waiting for the shell: \`${shortCommand(holder)}\` has had it for ${since}. \`task_terminate\` with \`${holder.id}\` ends it.`;
}

function shortCommand({ command }: ForegroundCall): string {
  return clipped(displayLine(command), MAX_COMMAND_CHARS);
}

/** Sessions share an executor and have an id; the objects that tools are made of may be copies of one another. */
const known = new WeakMap<Executor, Map<string | undefined, ForegroundCalls>>();

/** Those of a session. */
export function foregroundCallsOf(session: BashToolSession): ForegroundCalls {
  const { executor } = session;
  const sessions = known.get(executor) ?? new Map<string | undefined, ForegroundCalls>();
  known.set(executor, sessions);
  const id = session.getSessionId?.();
  const calls = sessions.get(id) ?? new ForegroundCalls();
  sessions.set(id, calls);
  return calls;
}
