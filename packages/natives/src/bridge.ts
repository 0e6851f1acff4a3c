/**
 * The JavaScript half of the crossing: gives operations their numbers, takes what they have to say, and settles their
 * promises.
 *
 * The native half only rings, or, in Node on Linux, polls the runs of this thread itself and calls in the turn in which
 * their reports came. Everything is taken here, at most `TURN_BYTES` of text and `TURN_MS` of time per turn of
 * the event loop, so that neither a gigabyte of output nor two hundred busy sessions keep the host from its other work.
 * While an operation is in progress the event loop stays alive, and not longer. See docs/natives.md.
 */
import * as timers from "node:timers";
import { MAX_TIMER_MS } from "@pi-bash/contract/internal/abort";
import { binding } from "./binding.ts";
import { CallbackGate } from "./callback-gate.ts";
import type { Delivery, End, Bridge as NativeBridge, QuietTerminal, Update } from "./generated/binding.d.ts";

// Taken before anyone can patch them: fake timers of a test must not stop real commands.
const { setImmediate, setInterval } = timers;
const { queueMicrotask } = globalThis;
const now = performance.now.bind(performance);

/** Text taken in one turn of the event loop, in bytes: eight of the addon's pieces, a tenth of a millisecond of copying. */
const TURN_BYTES = 8 * 62 * 1024;

/** Time after which a turn is ended, in milliseconds. What a callback takes on top is the caller's. */
const TURN_MS = 4;

/**
 * Longest that a promise of a callback is awaited from the moment that the caller cancels, in milliseconds: who wants a run
 * to end does not want it held. How long it is awaited once its command ended, the core says (`budget.rs`).
 */
const CANCELLED_PATIENCE_MS = 500;

/** Only keeps the event loop alive. */
const KEEP_ALIVE_MS = MAX_TIMER_MS;

/** The callbacks of an operation. */
export interface Listeners {
  /** Takes the next piece of output. */
  readonly onText?: (text: string) => unknown;
  /** Takes the newest tail. */
  readonly onUpdate?: (update: Update) => unknown;
  /** Takes what is known of a terminal that is quiet. */
  readonly onQuiet?: (quiet: QuietTerminal) => unknown;
}

/** One operation in progress. */
export interface Operation {
  /** Its number. */
  readonly id: number;
  /** Its callbacks' gate. */
  readonly gate: CallbackGate | undefined;
  /** Resolves when it ended and its callbacks returned; never rejects. */
  readonly end: Promise<End>;
}

interface Pending {
  readonly listeners: Listeners | undefined;
  readonly gate: CallbackGate | undefined;
  readonly resolve: (end: End) => void;
}

let shared: Bridge | undefined;

/** The bridge of this environment (the main thread, or one worker), made on first use. */
export function bridge(): Bridge {
  shared ??= new Bridge();
  return shared;
}

export class Bridge {
  readonly #native: NativeBridge;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  /** Bytes of text that may still be taken in this turn of the event loop. */
  #left = 0;
  /** When this turn is to end, on the clock of `now`. */
  #turnEnds = 0;
  #keepAlive: NodeJS.Timeout | undefined;
  /** When the first of the calls ended at once that had no turn of the event loop since. */
  #chainBegan: number | undefined;

  constructor() {
    const { addon } = binding();
    this.#native = new addon.Bridge(() => this.#drain(), hasEventLoop());
  }

  /**
   * Starts an operation: `begin` hands its number to the addon, and returns true where that has something to say already.
   * Where `begin` throws there is no operation.
   */
  start(listeners: Listeners | undefined, begin: (native: NativeBridge, id: number) => unknown): Operation {
    const id = this.#nextId++;
    const { onText, onUpdate, onQuiet } = listeners ?? {};
    const gate = onText || onUpdate || onQuiet ? new CallbackGate() : undefined;
    const hasMore = begin(this.#native, id) === true;
    const end = new Promise<End>((resolve) => this.#pending.set(id, { listeners, gate, resolve }));
    if (this.#pending.size === 1) this.#holdEventLoop();
    if (hasMore) this.#drainSoon();
    return { id, gate, end };
  }

  /** Asks an operation to stop. No effect on one that ended. */
  cancel(operation: Operation): void {
    this.#native.cancel(operation.id);
    this.release(operation);
  }

  /** Stops waiting for an operation's callbacks, because it is about to be ended from elsewhere. */
  release(operation: Operation): void {
    operation.gate?.openIn(CANCELLED_PATIENCE_MS);
  }

  /**
   * Takes what is there, not from within the call: callbacks are called when their caller has returned. Calls that each
   * end at once may follow each other without a turn of the event loop, for as long as a turn may take.
   */
  #drainSoon(): void {
    if (this.#chainBegan === undefined) {
      this.#chainBegan = now();
      setImmediate(() => {
        this.#chainBegan = undefined;
      });
    }
    if (now() - this.#chainBegan < TURN_MS) queueMicrotask(() => this.#drain());
    else setImmediate(() => this.#drain());
  }

  #drain(): void {
    this.#turnEnds = now() + TURN_MS;
    this.#left = TURN_BYTES;
    do {
      const deliveries = this.#native.take(this.#left);
      if (deliveries.length === 0) return; // The addon rings when there is something again.
      for (const delivery of deliveries) {
        this.#left -= delivery.text?.length ?? 0;
        this.#deliver(delivery);
      }
    } while (this.#hasTime());
    setImmediate(() => this.#drain());
  }

  /** Whether more may be taken in this turn of the event loop. */
  #hasTime(): boolean {
    return this.#left > 0 && now() < this.#turnEnds;
  }

  #deliver(delivery: Delivery): void {
    const pending = this.#pending.get(delivery.id);
    if (pending === undefined) return;
    const { end, text, update, quiet, patienceMs } = delivery;
    if (patienceMs !== undefined && end === undefined) {
      pending.gate?.openIn(patienceMs);
      return;
    }
    if (delivery.hasTexts) {
      this.#deliverTexts(delivery.id, pending);
      return;
    }
    const { onText, onUpdate, onQuiet } = pending.listeners ?? {};
    const fromText = text !== undefined && onText ? pending.gate?.call(onText, text) : undefined;
    const fromUpdate = update !== undefined && onUpdate ? pending.gate?.call(onUpdate, update) : undefined;
    // Nothing waits for what is done about it: it comes again.
    if (quiet !== undefined && onQuiet) pending.gate?.notify(onQuiet, quiet);
    const awaited = fromText ?? fromUpdate;
    if (awaited === undefined) {
      this.#finish(delivery.id, pending, end);
      return;
    }
    if (patienceMs !== undefined) pending.gate?.openIn(patienceMs);
    void awaited.then(() => fromUpdate).then(() => this.#finish(delivery.id, pending, end));
  }

  /** Gives out texts until there is none, the turn is over, or one of them is to be awaited. */
  #deliverTexts(id: number, pending: Pending): void {
    const onText = pending.listeners?.onText;
    // The first one is given out in any turn, so that every operation gets on.
    let text = this.#native.takeText(id);
    while (text !== null) {
      this.#left -= text.length;
      const awaited = onText && pending.gate?.call(onText, text);
      if (awaited !== undefined) {
        void awaited.then(() => this.#finish(id, pending, undefined));
        return;
      }
      text = this.#hasTime() ? this.#native.takeText(id) : null;
    }
    this.#finish(id, pending, undefined);
  }

  #finish(id: number, pending: Pending, end: End | undefined): void {
    if (end === undefined) {
      this.#native.acknowledge(id);
      return;
    }
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#keepAlive?.unref();
    pending.resolve(end);
  }

  #holdEventLoop(): void {
    // One timer for ever, which is cheaper than a new one for each run.
    this.#keepAlive ??= setInterval(() => undefined, KEEP_ALIVE_MS);
    this.#keepAlive.ref();
  }
}

/** Whether the event loop is libuv's own. Bun and Deno export its names, and end the process when most are called. */
function hasEventLoop(): boolean {
  return process.versions["bun"] === undefined && process.versions["deno"] === undefined;
}
