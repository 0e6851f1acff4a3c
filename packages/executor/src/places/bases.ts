/**
 * Which place each session key has, and the base of each place.
 *
 * A placement is asked once for a key. A place that sessions do not share makes one for each key, which is closed with the key's
 * session. A place that answers as another instance than before (its link was cut, its machine was
 * restarted) gets a new base: paths, environment and sessions of the old one are gone, and each key's next result says so once.
 */

import type { ExecutorPorts } from "../executor-surface.ts";
import { type BaseSource, localBase, placeBase, type SessionBase } from "../session-base.ts";
import type { SessionPool } from "../sessions/session-pool.ts";
import type { OwnPlace, Place, Placement, RemotePlace } from "./place.ts";

/** Session keys that are remembered. */
const MAX_KEYS = 4_096;
const LOCAL: Place = { kind: "local", name: "local" };

interface Entry {
  base: Promise<SessionBase>;
  instance: string | undefined;
  /** Keys that had a session here. */
  keys: Set<string | undefined>;
  /** Keys whose session went with an earlier base. */
  lost: Set<string | undefined>;
}

export class Bases {
  readonly #source: BaseSource;
  readonly #placement: Placement;
  /** The place of all keys, where there is no placement and sessions share it. */
  readonly #only: Promise<Place> | undefined;
  readonly #places = new Map<string | undefined, Promise<Place>>();
  /** Keys of sessions that are where another one is. */
  readonly #likes = new Map<string | undefined, string>();
  readonly #entries = new Map<Place, Entry>();
  /** Places that were made for one key each. */
  readonly #owned = new Set<OwnPlace>();
  readonly #pools = new Set<SessionPool>();
  /** Work of bases that were replaced. */
  readonly #endings = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(source: BaseSource, { place = LOCAL, placement }: Pick<ExecutorPorts, "place" | "placement">) {
    this.#source = source;
    this.#placement = placement ?? (() => place);
    this.#only = placement === undefined && makerOf(place) === undefined ? Promise.resolve(place) : undefined;
  }

  /**
   * The base for a key, at the place of the key `like` where that is given; a failure (no bash, no connection) is tried again at
   * the next call. A connection that is waited for is given up when `signal` is aborted and no other call waits.
   */
  async of(
    key: string | undefined,
    { like, signal }: { like?: string | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<SessionBase> {
    const place = await this.placeOf(like ?? key);
    if (like !== undefined && like !== key && this.#only === undefined) this.#follow(key, like);
    const entry = place.kind === "local" ? this.#local() : await this.#remote(place, signal);
    try {
      const base = await entry.base;
      if (entry.keys.size < MAX_KEYS) entry.keys.add(key);
      return base;
    } catch (error) {
      for (const [known, each] of this.#entries) if (each === entry) this.#entries.delete(known);
      throw error;
    }
  }

  /** The place of a key, asked once. One whose choice failed is asked again. */
  placeOf(key: string | undefined): Promise<Place> {
    if (this.#only !== undefined) return this.#only;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const chosen = this.#choose(key);
    const oldest = dropOldest(this.#places);
    if (oldest !== undefined) void this.#release(oldest);
    this.#places.set(key, chosen);
    chosen.catch(() => this.#places.delete(key));
    return chosen;
  }

  async #choose(key: string | undefined): Promise<Place> {
    const place = await this.#placement(key);
    const make = makerOf(place);
    if (make === undefined) return place;
    if (this.#isClosed) throw new Error("executor is disposed; create another one");
    const own = make(key);
    this.#owned.add(own);
    return own;
  }

  /** The base of a key where there is one. Never rejects. */
  async existing(key: string | undefined): Promise<SessionBase | undefined> {
    const chosen = this.#only ?? this.#places.get(this.#likes.get(key) ?? key);
    const place = await chosen?.catch(() => undefined);
    return place === undefined ? undefined : await this.#entries.get(place)?.base.catch(() => undefined);
  }

  /** Whether the session of a key was lost with its place; reported once. */
  async takeLoss(key: string | undefined): Promise<boolean> {
    const place = await this.placeOf(this.#likes.get(key) ?? key);
    return this.#entries.get(place)?.lost.delete(key) ?? false;
  }

  /** The key's session is closed: its placement is asked again. What it returns ends a place that the session had for itself. */
  forget(key: string | undefined): () => Promise<void> {
    const chosen = this.#places.get(key);
    this.#likes.delete(key);
    this.#places.delete(key);
    for (const { keys, lost } of this.#entries.values()) {
      keys.delete(key);
      lost.delete(key);
    }
    return () => this.#release(chosen);
  }

  /** Ends a place that was made for one session. */
  async #release(chosen: Promise<Place> | undefined): Promise<void> {
    const place = await chosen?.catch(() => undefined);
    const own = this.#ownedOf(place);
    if (own === undefined) return;
    this.#owned.delete(own);
    const entry = this.#entries.get(own);
    this.#entries.delete(own);
    if (entry !== undefined) await this.#end(entry);
    await own.close();
  }

  #ownedOf(place: Place | undefined): OwnPlace | undefined {
    for (const each of this.#owned) if (each === place) return each;
    return undefined;
  }

  /** Ends the places that were made for sessions, after `close`. */
  async releaseAll(): Promise<void> {
    const owned = [...this.#owned];
    this.#owned.clear();
    await Promise.all(owned.map((place) => place.close()));
  }

  /** Shells of all places, as far as bases stand. */
  stats(): { sessions: number; idle: number; quarantined: number } {
    const sum = { sessions: 0, idle: 0, quarantined: 0 };
    for (const pool of this.#pools) {
      const { sessions, idle, quarantined } = pool.stats();
      sum.sessions += sessions;
      sum.idle += idle;
      sum.quarantined += quarantined;
    }
    return sum;
  }

  /** All bases that were made; from now on no others are. */
  async close(): Promise<SessionBase[]> {
    this.#isClosed = true;
    await Promise.allSettled(this.#endings);
    const made = await Promise.all([...this.#entries.values()].map(({ base }) => base.catch(() => undefined)));
    return made.filter((base) => base !== undefined);
  }

  #follow(key: string | undefined, like: string): void {
    dropOldest(this.#likes);
    this.#likes.set(key, like);
  }

  #local(): Entry {
    const known = this.#entries.get(LOCAL);
    if (known !== undefined) return known;
    return this.#add(LOCAL, undefined, localBase(this.#source));
  }

  async #remote(place: RemotePlace, signal: AbortSignal | undefined): Promise<Entry> {
    const opened = await place.open({ signal });
    // The connection may have taken longer than the executor lived: nothing may run that it does not end.
    if (this.#isClosed) throw new Error("executor is disposed; create another one");
    const known = this.#entries.get(place);
    const { instance } = opened.facts;
    if (known !== undefined && known.instance === instance) return known;
    const entry = this.#add(place, instance, placeBase(this.#source, place, opened));
    if (known !== undefined) {
      entry.lost = new Set([...known.keys, ...known.lost]);
      void this.#end(known);
    }
    return entry;
  }

  #add(place: Place, instance: string | undefined, base: Promise<SessionBase>): Entry {
    const entry = { base, instance, keys: new Set<string | undefined>(), lost: new Set<string | undefined>() };
    this.#entries.set(place, entry);
    // A failure reaches whoever waits for it.
    base.then(
      ({ pool }) => this.#pools.add(pool),
      () => undefined,
    );
    return entry;
  }

  /** What a place took with it is given up here. */
  #end({ base }: Entry): Promise<void> {
    const ending = base
      .then(async ({ pool }) => {
        await pool.dispose();
        this.#pools.delete(pool);
      })
      .catch(() => undefined);
    this.#endings.add(ending);
    void ending.finally(() => this.#endings.delete(ending));
    return ending;
  }
}

/** What makes places for single sessions, where sessions do not share `place`. */
function makerOf(place: Place): ((sessionKey: string | undefined) => OwnPlace) | undefined {
  return place.kind === "remote" ? place.forSession?.bind(place) : undefined;
}

/** Makes room for one more entry; what had to leave for it. */
function dropOldest<Value>(map: Map<string | undefined, Value>): Value | undefined {
  const oldest = map.size < MAX_KEYS ? undefined : map.entries().next();
  if (oldest?.done !== false) return undefined;
  const [key, value] = oldest.value;
  map.delete(key);
  return value;
}
