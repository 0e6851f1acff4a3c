/**
 * All sessions of a host, by name: made for their first client, found by the next, ended by a person or when idle.
 *
 * Ids are one space: a session's name, and behind a slash a job (`web/bg_3`) or a command in the foreground (`web/fg_1`).
 */
import type { HostSeat, KeptEntry } from "@pi-bash/contract/internal";
import { HostError } from "./host-error.ts";
import { KeptSession } from "./kept-session.ts";

/** Sessions that a host keeps at one time: each has a few processes. */
const MAX_SESSIONS = 256;
/** Longest time between two looks for idle sessions, in milliseconds. */
const LONGEST_LOOK_MS = 60_000;

/** What an id names. */
export type Named =
  | { readonly kind: "session"; readonly session: KeptSession }
  /** `part`: the id within the session. */
  | { readonly kind: "part"; readonly session: KeptSession; readonly part: string };

export class KeptSessions {
  readonly #sessions = new Map<string, KeptSession>();
  readonly #opening = new Map<string, Promise<KeptSession>>();
  readonly #idleMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `idleMs`: how long a session may be without client and work. Absent: for ever. */
  constructor(idleMs?: number) {
    this.#idleMs = idleMs;
    if (idleMs !== undefined) {
      this.#timer = setInterval(() => this.#endIdle(idleMs), Math.min(LONGEST_LOOK_MS, Math.max(50, idleMs / 4)));
    }
  }

  get count(): number {
    return this.#sessions.size;
  }

  get clients(): number {
    return [...this.#sessions.values()].filter(({ hasClient }) => hasClient).length;
  }

  /** Sessions end when idle for so long, in milliseconds. Absent: they stay. */
  get idleMs(): number | undefined {
    return this.#idleMs;
  }

  /**
   * The session that a client asks for.
   *
   * @throws HostError `PI_HOST_SESSION` where it is another than the client means, `PI_HOST_BUSY` where there are too many
   */
  async of(seat: HostSeat): Promise<KeptSession> {
    if (this.#isClosed) throw new HostError("PI_HOST_ENDED", "the host is ending");
    for (;;) {
      const found = this.#sessions.get(seat.name) ?? (await this.#opening.get(seat.name));
      if (found === undefined) return this.#open(seat);
      if (!found.isEnding) {
        found.check(seat);
        return found;
      }
      await this.#end(found, "the session was ended");
    }
  }

  entries(): KeptEntry[] {
    return [...this.#sessions.values()].flatMap((session) => session.entries());
  }

  /** What an id names now. */
  find(id: string): Named | undefined {
    const slash = id.indexOf("/");
    const session = this.#sessions.get(slash === -1 ? id : id.slice(0, slash));
    if (session === undefined) return undefined;
    if (slash === -1) return { kind: "session", session };
    const part = id.slice(slash + 1);
    return session.watch(part) === undefined ? undefined : { kind: "part", session, part };
  }

  /** Ends what an id names, and says what was done; undefined: it names nothing. */
  async end(id: string): Promise<string | undefined> {
    const named = this.find(id);
    if (named === undefined) return undefined;
    if (named.kind === "part") return named.session.endPart(named.part);
    return this.#end(named.session, "the session was ended");
  }

  /** Ends everything; no session is made any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await Promise.allSettled(this.#opening.values());
    await Promise.allSettled([...this.#sessions.values()].map((session) => this.#end(session, "the host has ended")));
  }

  async #open(seat: HostSeat): Promise<KeptSession> {
    if (this.#sessions.size + this.#opening.size >= MAX_SESSIONS) {
      throw new HostError(
        "PI_HOST_BUSY",
        `the host keeps ${MAX_SESSIONS} sessions already; \`pi-bash sessions\` lists them, \`pi-bash end ID\` ends one`,
      );
    }
    const opening = KeptSession.open(seat).then((session) => {
      this.#sessions.set(seat.name, session);
      return session;
    });
    this.#opening.set(seat.name, opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(seat.name);
    }
  }

  async #end(session: KeptSession, reason: string): Promise<string> {
    try {
      return await session.end(reason);
    } finally {
      if (this.#sessions.get(session.name) === session) this.#sessions.delete(session.name);
    }
  }

  #endIdle(bound: number): void {
    for (const session of this.#sessions.values()) {
      const { idleMs } = session;
      if (idleMs !== undefined && idleMs >= bound && !session.isEnding) void this.#end(session, "it was idle");
    }
  }
}
