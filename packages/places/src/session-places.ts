/**
 * A place whose sessions do not share it: each session has a place of its own, made by the same options, e.g. a job of Slurm
 * with limits of its own.
 */
import type { CommonOptions } from "./options.ts";
import { RemotePlace } from "./place.ts";
import type { Transport } from "./transport.ts";

/** Makes the transport of the place of one session; without a key, that of whoever opens the place itself. */
export type TransportOf = (sessionKey?: string) => Transport;

/** A place that is made for one session. It tells its maker when it is closed. */
class OwnPlace extends RemotePlace {
  readonly #onClosed: (place: OwnPlace) => void;

  constructor(transport: Transport, options: CommonOptions, onClosed: (place: OwnPlace) => void) {
    super(transport, options);
    this.#onClosed = onClosed;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#onClosed(this);
  }
}

/** A place that gives each session one of its own. `open` and what comes of it is a place of its own, too. */
export class SessionPlaces extends RemotePlace {
  readonly #transportOf: TransportOf;
  readonly #options: CommonOptions;
  readonly #made = new Set<OwnPlace>();
  #isOver = false;

  constructor(transportOf: TransportOf, options: CommonOptions) {
    super(transportOf(), options);
    this.#transportOf = transportOf;
    this.#options = options;
  }

  /**
   * Makes a place for one session, which connects when it is first used. An executor asks for it once a session, and closes
   * it with the session.
   *
   * @param sessionKey the agent's key of the session
   */
  forSession(sessionKey: string | undefined): RemotePlace {
    const place = new OwnPlace(this.#transportOf(sessionKey), this.#options, (closed) => this.#made.delete(closed));
    this.#made.add(place);
    if (this.#isOver) void place.close();
    return place;
  }

  /** Closes the places of all sessions, and this one. Later uses connect no more. Fine any number of times. */
  override async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([super.close(), ...[...this.#made].map((place) => place.close())]);
  }
}
