/**
 * One command on a place, from its `Run` to its `End`.
 *
 * # Theory of operation
 * Text comes in the order of its offsets and goes to the callback one piece at a time; what the callback took is
 * acknowledged, which is also what allows the far side to send more. So a slow callback slows the command down, as it does
 * here. The window grows where the link is fast and far. A cancel overtakes text. The far side owns the deadline;
 * the near one is in `near-deadline.ts`. Over a link that comes back, the run goes on with the text that was not taken yet.
 */
import { randomUUID } from "node:crypto";
import { onAbort } from "@pi-bash/contract/internal/abort";
import { settlesWithin } from "@pi-bash/contract/internal/wait";
import { CallbackGate, type RunOutcome, type RunRequest } from "@pi-bash/natives/internal";
import type { Channel, ComingBack, Link } from "./channels.ts";
import { absenceText, type LinkEnd, leaseText, lostText, unreachable } from "./link-end.ts";
import { NearDeadline } from "./near-deadline.ts";
import { PlaceError } from "./place-error.ts";
import { failureOf } from "./request.ts";
import { TextQueue } from "./text-queue.ts";
import { encodeFrame, encodeObject, type Frame, FrameError, objectOf, pieceOf } from "./wire/frames.ts";
import { FIRST_WINDOW_BYTES, KIND, MAX_WINDOW_BYTES } from "./wire/kinds.ts";
import { checked, Update } from "./wire/messages.ts";
import { plainText } from "./wire/plain.ts";
import { type RunEnd, runEndOf } from "./wire/run-end.ts";

/** Longest that a callback's promise is awaited after a cancel, and after the end of a stopped or another run, in milliseconds. */
const CANCELLED_PATIENCE_MS = 500;
const STOPPED_PATIENCE_MS = 2_000;
const ENDED_PATIENCE_MS = 5_000;
/** Longest wait for the end of a link whose place ends everything, in milliseconds. */
const LAST_FRAME_MS = 2_000;
/** What a sink shows at most where nothing is asked for (`DEFAULT_MAX_BYTES` of the core), in bytes. */
const SINK_BYTES = 50 * 1024;
/** What the text of a sink may have beyond that: a word on what was left out, characters that were replaced, in bytes. */
const SINK_MARGIN_BYTES = 64 * 1024;

/** A run as it is sent: the native request, with the spill's name in the place of its path. */
export interface FarRequest extends Omit<RunRequest, "sink"> {
  sink?: Omit<NonNullable<RunRequest["sink"]>, "spillPath"> & { spillName?: string };
}

/** One command. */
export interface RemoteCall {
  readonly place: string;
  /** Members of `Run` that say where it runs: `session`, or `oneShot`. */
  readonly where: object;
  readonly request: FarRequest;
  readonly onText?: ((text: string) => unknown) | undefined;
  readonly onUpdate?: ((tail: string, totals: { bytes: number; lines: number }) => unknown) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What a place knows about the end of its link, as whole sentences. */
  readonly explain?: ((end: LinkEnd) => Promise<string | undefined>) | undefined;
}

/** Runs a command over `link`. Rejects with `ShellError` where it did not run, and with `PlaceError` where that is unknown. */
export async function runOver(link: Link, call: RemoteCall): Promise<FarOutcome> {
  const run = new RemoteRun(link, call);
  const release = onAbort(call.signal, () => run.cancel());
  try {
    return await run.end;
  } finally {
    release();
    run.dispose();
  }
}

/** What came of a run over there. */
export interface FarOutcome {
  readonly outcome: RunOutcome;
  /** Why the place itself ended it, as whole sentences. */
  readonly endedByPlace?: string;
  /** What the caller should know of the connection, as whole sentences: it was away meanwhile. */
  readonly placeNotice?: string;
}

class RemoteRun implements Channel, ComingBack {
  readonly end: Promise<FarOutcome>;
  readonly #link: Link;
  readonly #call: RemoteCall;
  readonly #channel: number;
  readonly #gate = new CallbackGate();
  #settle: { resolve: (outcome: FarOutcome) => void; reject: (error: unknown) => void };
  #startedAt: number | undefined;
  readonly #sentAt = performance.now();
  readonly #deadline: NearDeadline;
  readonly #texts = new TextQueue();
  /** Offsets: after the newest text that the callback took, and of the newest credit. */
  #taken = 0;
  #credited = 0;
  #window = FIRST_WINDOW_BYTES;
  #update: Update | undefined;
  #isDelivering = false;
  #farEnd: RunEnd | undefined;
  #isCancelled = false;
  /** For a link that comes back; another one asks for no run by its name. */
  readonly #id: string | undefined;
  #first: Buffer | undefined;
  #awayMs = 0;

  constructor(link: Link, call: RemoteCall) {
    this.#link = link;
    this.#call = call;
    this.#deadline = new NearDeadline({
      link,
      place: call.place,
      isCancelled: () => this.#isCancelled,
      onOverdue: (error) => this.#settle.reject(error),
    });
    this.#settle = { resolve: () => undefined, reject: () => undefined };
    this.end = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    this.#id = link.keptLeaseMs === undefined ? undefined : randomUUID();
    const members = { id: this.#id, ...call.where, request: call.request, window: this.#window };
    this.#channel = link.begin(this, (channel) => {
      const first = encodeObject(KIND.run, channel, members);
      if (link.keptLeaseMs !== undefined) this.#first = first;
      return first;
    });
  }

  take(frame: Frame): void {
    if (this.#farEnd !== undefined) throw new FrameError("a run goes on after its end");
    switch (frame.kind) {
      case KIND.started:
        this.#start();
        return;
      case KIND.text:
        this.#takeText(frame);
        return;
      case KIND.update:
        this.#takeUpdate(checked(Update, "Update", objectOf(frame)));
        return;
      case KIND.end:
        this.#takeEnd(runEndOf(frame));
        return;
      default:
        throw new FrameError(`a run got a frame of kind ${frame.kind}`);
    }
  }

  /** Asks the place to stop it. */
  cancel(): void {
    this.#isCancelled = true;
    if (this.#link.isUnsent(this.#channel)) {
      this.#settleUnbegun();
      return;
    }
    this.#link.send(encodeFrame(KIND.cancel, this.#channel));
    this.#gate.openIn(CANCELLED_PATIENCE_MS);
    this.#deadline.arm(0);
  }

  cut(end: LinkEnd): void {
    // Its end has come, and what is left of its text is here.
    if (this.#farEnd === undefined) void this.#lose(end);
  }

  dispose(): void {
    this.#deadline.end();
    if (this.#farEnd === undefined) this.#link.abandon(this.#channel);
    else this.#link.release(this.#channel);
  }

  get comesBack(): ComingBack {
    return this;
  }

  /** Its end may have come, and what is left of its text: then the place need not keep it. */
  named(): { id: string; offset: number } | undefined {
    if (this.#farEnd !== undefined || this.#id === undefined) return undefined;
    return { id: this.#id, offset: this.#taken };
  }

  /** The link is back, and the place has the run. */
  resumed(awayMs: number): void {
    this.#awayMs += awayMs;
    if (this.#isCancelled) this.cancel();
    this.#texts.expectRepeat();
    // Credit that was lost with the link would be waited for on both sides.
    this.#credited = this.#taken;
    this.#sendCredit(this.#window);
    const { timeoutMs } = this.#call.request;
    if (this.#isCancelled || this.#startedAt === undefined || timeoutMs === undefined) return;
    this.#deadline.arm(Math.max(0, timeoutMs - (performance.now() - this.#startedAt)));
  }

  /** The link is back, and the place does not have the run: where it never began, it begins now. */
  again(): void {
    if (this.#farEnd !== undefined) return;
    const first = this.#first;
    if (first === undefined) {
      const text = `${this.#call.place} does not have the command any more; its end is not known.`;
      void this.#lose({ kind: "cut", reason: "the run is not there", text });
    } else if (this.#isCancelled) this.#settleUnbegun();
    else this.#link.send(first);
  }

  /** It was cancelled before it began. */
  #settleUnbegun(): void {
    const outcome = { cancelled: true, timedOut: false, sessionReset: false, survivors: [], wallTimeMs: 0 };
    this.#settle.resolve({ outcome });
  }

  #start(): void {
    this.#startedAt = performance.now();
    this.#first = undefined;
    const { timeoutMs } = this.#call.request;
    if (timeoutMs !== undefined) this.#deadline.arm(timeoutMs);
  }

  #takeText(frame: Frame): void {
    if (this.#startedAt === undefined) this.#start();
    const { offset, bytes } = pieceOf(frame);
    // Where nothing is being given out, it is given out before the decoder goes on.
    this.#texts.push(offset, bytes, this.#isDelivering ? "copied" : "lent");
    void this.#deliver();
  }

  #takeEnd(end: RunEnd): void {
    this.#checkOutput(end);
    this.#farEnd = end;
    const isStopped = "ok" in end && (end.ok.cancelled || end.ok.timedOut);
    this.#gate.openIn(isStopped ? STOPPED_PATIENCE_MS : ENDED_PATIENCE_MS);
    this.#deadline.end();
    void this.#deliver();
  }

  #takeUpdate(update: Update): void {
    if (!this.#call.request.wantsUpdates) throw new FrameError("a run sends updates that were not asked for");
    this.#checkShown(update.tail);
    this.#update = update;
    void this.#deliver();
  }

  #checkOutput(end: RunEnd): void {
    if ("ok" in end && end.ok.output !== undefined) this.#checkShown(end.ok.output.text);
  }

  /** A sink over there shows no more than was asked for: what it shows goes to a model. */
  #checkShown(text: string): void {
    const { sink } = this.#call.request;
    if (sink === undefined) throw new FrameError("a run without a sink has one's output");
    const most = (sink.maxBytes ?? SINK_BYTES) * 2 + SINK_MARGIN_BYTES;
    if (Buffer.byteLength(text) > most) throw new FrameError("a run's sink shows more than was asked for");
  }

  /** The text of a sink, as it is to be shown. */
  #shown(text: string): string {
    return this.#call.request.sink?.plainText === false ? text : plainText(text);
  }

  /** Gives out what is there, in order. One at a time: what a callback returns is awaited. */
  async #deliver(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (;;) {
      const piece = this.#texts.shift();
      if (piece !== undefined) {
        const awaited = this.#call.onText && this.#gate.call(this.#call.onText, piece.text);
        if (awaited !== undefined) await awaited;
        this.#taken = piece.end;
        this.#credit();
        continue;
      }
      const update = this.#update;
      if (update === undefined) break;
      this.#update = undefined;
      const { onUpdate } = this.#call;
      const totals = { bytes: update.totalBytes, lines: update.totalLines };
      const awaited = onUpdate && this.#gate.call(onUpdate, this.#shown(update.tail), totals);
      if (awaited !== undefined) await awaited;
    }
    this.#isDelivering = false;
    if (this.#farEnd !== undefined) await this.#finish(this.#farEnd);
  }

  /** Acknowledges what was taken, each quarter of a window. */
  #credit(): void {
    if (this.#farEnd !== undefined || this.#taken - this.#credited < this.#window / 4) return;
    const seconds = (performance.now() - (this.#startedAt ?? this.#sentAt)) / 1_000;
    const wanted = 2 * (this.#taken / seconds) * (this.#link.rttMs / 1_000);
    this.#window = Math.round(Math.min(MAX_WINDOW_BYTES, Math.max(this.#window, Math.min(wanted, this.#window * 2))));
    this.#credited = this.#taken;
    this.#sendCredit(this.#window);
  }

  #sendCredit(window: number): void {
    this.#link.send(this.#creditOf(window));
  }

  #creditOf(window: number): Buffer {
    const payload = Buffer.alloc(12);
    payload.writeBigUInt64LE(BigInt(this.#taken), 0);
    payload.writeUInt32LE(window, 8);
    return encodeFrame(KIND.credit, this.#channel, payload);
  }

  async #finish(end: RunEnd): Promise<void> {
    this.#taken = this.#texts.received;
    // The place keeps the end until then, and the next command is usually on its way.
    this.#link.sendPatiently(this.#creditOf(0));
    if ("error" in end) {
      this.#settle.reject(failureOf(end.error));
      return;
    }
    const outcome = end.ok;
    if (outcome.output !== undefined) outcome.output.text = this.#shown(outcome.output.text);
    const { endedBy } = end;
    const notice = this.#awayMs === 0 ? {} : { placeNotice: this.#absence(end) };
    if (endedBy === undefined) {
      this.#settle.resolve({ outcome, ...notice });
      return;
    }
    // The next command is for another connection: this one's last frame is on its way.
    await settlesWithin(this.#link.ended, LAST_FRAME_MS);
    this.#settle.resolve({ outcome, endedByPlace: await this.#whyEnded(endedBy), ...notice });
  }

  #absence({ leftOutBytes = 0 }: RunEnd): string {
    const { place, onText } = this.#call;
    return absenceText(place, this.#awayMs, onText === undefined ? 0 : leftOutBytes);
  }

  /** Why the place ended the run. */
  async #whyEnded(reason: string): Promise<string> {
    const { place, explain } = this.#call;
    const end: LinkEnd = { kind: "cut", reason, bye: { reason } };
    const explained = await explain?.(end).catch(() => undefined);
    if (explained !== undefined) return explained;
    if (reason === "lease") return `${place} ${leaseText("the command", this.#link.leaseFacts)}.`;
    return `${place} ended the command: ${reason}.`;
  }

  /** The link is gone. */
  async #lose(end: LinkEnd): Promise<void> {
    this.#deadline.end();
    const { place, explain } = this.#call;
    if (end.isUnsent === true) {
      const { code } = unreachable(place, end);
      const text = `The command was not started: ${end.reason}`;
      this.#settle.reject(new PlaceError(code, place, text));
      return;
    }
    const explained = end.text ?? (await explain?.(end).catch(() => undefined));
    const startedMs = this.#startedAt === undefined ? undefined : performance.now() - this.#startedAt;
    const text = explained ?? lostText(place, end, startedMs);
    this.#settle.reject(new PlaceError("PI_PLACE_LOST", place, text));
  }
}
