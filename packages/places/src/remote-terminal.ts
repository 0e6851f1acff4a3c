/**
 * One program on a terminal of a place, from its request to its answer. What callers see of it is `remote-pty-session.ts`.
 *
 * # Theory of operation
 * What the program draws comes as `Data` in the order of its offsets, a window at most ahead of the callback, so a slow
 * callback slows the program down. What is typed, its size and signals may be given at once: until the link stands they wait
 * here and then follow the request, and the place takes frames in their order. The place owns the deadline; this side has a
 * later one, whose only act is to say that the place did not answer. However the link ends, the end is reported once.
 */
import { StringDecoder } from "node:string_decoder";
import type { QuietTerminal } from "@pi-bash/contract";
import { onAbort } from "@pi-bash/contract/internal/abort";
import { unlessAborted } from "@pi-bash/contract/internal/wait";
import type { PtyRunResult } from "@pi-bash/natives";
import { CallbackGate, type TerminalRequest, toRunResult } from "@pi-bash/natives/internal";
import type { Channel, Link } from "./link.ts";
import type { LinkEnd } from "./link-end.ts";
import { PlaceError } from "./place-error.ts";
import type { RemoteHost } from "./remote-call.ts";
import { failureOf, request } from "./request.ts";
import { TerminalInput } from "./terminal-input.ts";
import { TextQueue } from "./text-queue.ts";
import { encodeFrame, encodeObject, encodePiece, type Frame, FrameError, objectOf, pieceOf } from "./wire/frames.ts";
import { KIND } from "./wire/kinds.ts";
import { checked, Quiet, TerminalEnd, TerminalStarted } from "./wire/messages.ts";

/**
 * Bytes that a program may draw ahead of the callback. Half of a run's first window: after an interrupt this much is still
 * drawn, and a person waits for it.
 */
const WINDOW_BYTES = 128 * 1024;
/** What the core takes past a deadline until it settles at the latest (`budget.rs`), in milliseconds. */
const HARD_GRACE_MS = 5_000;
/** What is added for a machine that is busy, in milliseconds. */
const ANSWER_MARGIN_MS = 2_000;
/** Longest that a callback's promise is awaited after a cancel, and after the program's end, in milliseconds. */
const CANCELLED_PATIENCE_MS = 500;
const ENDED_PATIENCE_MS = 5_000;

/** A program for a terminal. */
export interface TerminalCall {
  readonly host: RemoteHost;
  /** `command` and `shell`, or `application` and `args`. */
  readonly program: object;
  readonly request: Omit<TerminalRequest, "supervisor" | "wantsChunks">;
  readonly onText?: ((text: string) => unknown) | undefined;
  readonly onStart?: ((pid: number) => unknown) | undefined;
  readonly onQuiet?: ((quiet: QuietTerminal) => unknown) | undefined;
  /** The result says what the program used. */
  readonly wantsUsage?: boolean;
  readonly signal?: AbortSignal | undefined;
}

const CANCELLED: PtyRunResult = { cancelled: true, timedOut: false };

export class RemoteTerminal implements Channel {
  /** What is typed. */
  readonly input = new TerminalInput();
  readonly #call: TerminalCall;
  /** Aborted when the program is to end. */
  readonly #stop = new AbortController();
  readonly #gate = new CallbackGate();
  readonly #startGate = new CallbackGate();
  readonly #decoder = new StringDecoder("utf8");
  readonly #texts = new TextQueue();
  #open: { readonly link: Link; readonly channel: number } | undefined;
  /** What was asked for before the link stood, in its order. */
  #early: { readonly op: string; readonly members: object }[] = [];
  #settle: { resolve: (result: PtyRunResult) => void; reject: (error: unknown) => void };
  readonly #end: Promise<PtyRunResult>;
  #startedAt: number | undefined;
  #deadline: NodeJS.Timeout | undefined;
  /** Offsets: after the newest text that the callback took, and of the newest credit. */
  #taken = 0;
  #credited = 0;
  #isDelivering = false;
  #farEnd: TerminalEnd | undefined;

  constructor(call: TerminalCall) {
    this.#call = call;
    this.#settle = { resolve: () => undefined, reject: () => undefined };
    this.#end = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // It may be settled before `run` waits for it.
    this.#end.catch(() => undefined);
  }

  /**
   * Starts the program and resolves when it has ended and all that it drew was taken. Rejects with `ShellError` where it did
   * not run, and with `PlaceError` where its end is not known. To be called once.
   */
  async run(): Promise<PtyRunResult> {
    const { host, signal } = this.#call;
    if (signal?.aborted) return CANCELLED;
    const release = onAbort(signal, () => this.cancel());
    try {
      const link = await unlessAborted(host.link(), this.#stop.signal);
      if (link === "aborted" || this.#stop.signal.aborted) return CANCELLED;
      this.#begin(link);
      return await this.#end;
    } finally {
      release();
      this.#dispose();
    }
  }

  /** Ends the program and everything that it started. */
  cancel(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    const open = this.#open;
    if (open === undefined) return;
    open.link.send(encodeFrame(KIND.cancel, open.channel));
    this.#gate.openIn(CANCELLED_PATIENCE_MS);
    this.#arm(0);
  }

  /** Asks for `resize` or `signal`. A program that has ended meanwhile is about to be reported. */
  ask(op: "resize" | "signal", members: object): void {
    const open = this.#open;
    if (open === undefined) this.#early.push({ op, members });
    else void this.#request(open, op, members).catch(() => undefined);
  }

  take(frame: Frame): void {
    if (this.#farEnd !== undefined) throw new FrameError("a terminal goes on after its end");
    switch (frame.kind) {
      case KIND.started:
        this.#start(checked(TerminalStarted, "Started", objectOf(frame)).pid);
        return;
      case KIND.data: {
        const { offset, bytes } = pieceOf(frame);
        this.#texts.push(offset, bytes);
        void this.#deliver();
        return;
      }
      case KIND.quiet:
        this.#quiet(frame);
        return;
      case KIND.answer:
        this.#farEnd = checked(TerminalEnd, "Answer", objectOf(frame));
        this.#gate.openIn(ENDED_PATIENCE_MS);
        clearTimeout(this.#deadline);
        void this.#deliver();
        return;
      default:
        throw new FrameError(`a terminal got a frame of kind ${frame.kind}`);
    }
  }

  /** Nothing waits for what is done about it: it comes again. */
  #quiet(frame: Frame): void {
    const { onQuiet } = this.#call;
    if (onQuiet === undefined) throw new FrameError("a terminal says who reads it, and was not asked to");
    const { modes, readers: reading, ...rest } = checked(Quiet, "Quiet", objectOf(frame));
    // Something was typed since: it says nothing of now.
    if (rest.typedBytes !== this.input.typedBytes) return;
    const readers = reading.map(({ timerMs, ...reader }) => ({
      ...reader,
      ...(timerMs === undefined ? {} : { timerMs }),
    }));
    void this.#startGate.call(onQuiet, { ...rest, readers, ...(modes === undefined ? {} : { modes }) });
  }

  cut(end: LinkEnd): void {
    void this.#lose(end);
  }

  #begin(link: Link): void {
    const { host, program, request: asked } = this.#call;
    const { hello } = link;
    const options = { ...asked, ...program, cwd: asked.cwd ?? hello.cwd, baseEnv: asked.baseEnv ?? hello.env };
    const members = { op: "terminal", options, window: WINDOW_BYTES };
    const channel = link.begin(this, (claimed) => encodeObject(KIND.request, claimed, members));
    const open = { link, channel };
    this.#open = open;
    for (const { op, members: early } of this.#early.splice(0)) {
      void this.#request(open, op, early).catch(() => undefined);
    }
    this.input.open({
      send: (offset, bytes) => link.send(encodePiece(KIND.data, channel, offset, bytes)),
      pending: async () => {
        const place = host.name;
        const answer = await request(link, "pendingInput", { terminal: channel }, { place }).catch(() => undefined);
        const bytes = answer?.ok["bytes"];
        return typeof bytes === "number" && bytes >= 0 ? bytes : undefined;
      },
    });
  }

  #request({ link, channel }: { link: Link; channel: number }, op: string, members: object): Promise<unknown> {
    return request(link, op, { terminal: channel, ...members }, { place: this.#call.host.name });
  }

  #dispose(): void {
    clearTimeout(this.#deadline);
    this.input.close();
    this.#open?.link.release(this.#open.channel);
  }

  #start(pid: number): void {
    if (this.#startedAt !== undefined) throw new FrameError("a terminal's program starts twice");
    this.#startedAt = performance.now();
    const { onStart, request: asked } = this.#call;
    // Nothing waits for what it returns; a rejection is reported by the gate.
    if (onStart !== undefined) void this.#startGate.call(onStart, pid);
    if (asked.timeoutMs !== undefined && !this.#stop.signal.aborted) this.#arm(asked.timeoutMs);
  }

  /** The near deadline: so long after `afterMs`. */
  #arm(afterMs: number): void {
    clearTimeout(this.#deadline);
    const waitMs = afterMs + HARD_GRACE_MS + (this.#open?.link.rttMs ?? 0) + ANSWER_MARGIN_MS;
    this.#deadline = setTimeout(() => {
      const open = this.#open;
      open?.link.send(encodeFrame(KIND.cancel, open.channel));
      const { name } = this.#call.host;
      const text = `${name} did not report the end of the program on the terminal in time; it may still run there.`;
      this.#settle.reject(new PlaceError("PI_PLACE_LOST", name, text));
    }, waitMs);
  }

  /** Gives out what was drawn, in order. One piece at a time: what a callback returns is awaited. */
  async #deliver(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    for (let piece = this.#texts.shiftRaw(); piece !== undefined; piece = this.#texts.shiftRaw()) {
      await this.#show(this.#decoder.write(piece.bytes));
      this.#taken = piece.end;
      this.#credit();
    }
    if (this.#farEnd !== undefined) {
      await this.#show(this.#decoder.end());
      this.#finish(this.#farEnd);
    }
    this.#isDelivering = false;
  }

  #show(text: string): Promise<void> | undefined {
    const { onText } = this.#call;
    return text === "" || onText === undefined ? undefined : this.#gate.call(onText, text);
  }

  /** Acknowledges what was taken, each quarter of the window. */
  #credit(): void {
    const open = this.#open;
    if (open === undefined || this.#farEnd !== undefined || this.#taken - this.#credited < WINDOW_BYTES / 4) return;
    this.#credited = this.#taken;
    const payload = Buffer.alloc(12);
    payload.writeBigUInt64LE(BigInt(this.#taken), 0);
    payload.writeUInt32LE(WINDOW_BYTES, 8);
    open.link.send(encodeFrame(KIND.credit, open.channel, payload));
  }

  #finish(end: TerminalEnd): void {
    if ("error" in end) {
      this.#settle.reject(failureOf(end.error));
      return;
    }
    const outcome = toRunResult(JSON.parse(JSON.stringify(end.ok.outcome)));
    if (outcome.cancelled && !this.#stop.signal.aborted) {
      const { name } = this.#call.host;
      const text = `${name} ended the program on the terminal and everything it started.`;
      this.#settle.reject(new PlaceError("PI_PLACE_LOST", name, text));
      return;
    }
    const { exitCode, signal, cancelled, timedOut, sandbox, usage } = outcome;
    this.#settle.resolve({
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(signal === undefined ? {} : { signal }),
      cancelled,
      timedOut,
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(usage === undefined || this.#call.wantsUsage !== true ? {} : { usage }),
    });
  }

  /** The link is gone. */
  async #lose(end: LinkEnd): Promise<void> {
    clearTimeout(this.#deadline);
    const { host } = this.#call;
    const explained = await host.explain(end).catch(() => undefined);
    this.#settle.reject(new PlaceError("PI_PLACE_LOST", host.name, explained ?? this.#lostText(end)));
  }

  #lostText({ reason, bye }: LinkEnd): string {
    const { name } = this.#call.host;
    if (this.#startedAt === undefined) {
      return `The connection to ${name} was cut before the start of the program was reported (${reason}). It may have run.`;
    }
    const seconds = Math.round((performance.now() - this.#startedAt) / 100) / 10;
    const ended =
      bye === undefined
        ? "The place ends the program and everything it started by itself; that is not confirmed."
        : "The place ended the program and everything it started.";
    return `The connection to ${name} was cut ${seconds} s into the program on the terminal: ${reason}. ${ended}`;
  }
}
