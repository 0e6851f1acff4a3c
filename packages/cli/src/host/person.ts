/**
 * A person of a connection at a task's terminal, the host's side: keys and sizes come as frames, what the program draws goes.
 *
 * The person has the terminal from the first answer to the end of the connection, whichever way it ends. What they type
 * passes through here and is kept nowhere.
 */
import { StringDecoder } from "node:string_decoder";
import { HostWindow } from "@pi-bash/contract/internal";
import type { JobWatch, PersonSeat, TaskTerminal } from "@pi-bash/executor";
import { FRAME, type FrameLink, type FrameListener } from "./frames.ts";
import { HostError } from "./host-error.ts";
import { statusOf } from "./show.ts";

/** Most that waits for a person's window, in bytes: beyond it the screen is drawn again when the window has caught up. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Longest wait for the job of an ended program to end, in milliseconds. */
const JOB_END_MS = 10_000;
/** Each person has a place of their own in an output. */
let persons = 0;

/** A seat and what its window is sent. */
export class Person {
  readonly #terminal: TaskTerminal;
  readonly #seat: PersonSeat;
  readonly #decoder = new StringDecoder("utf8");
  #link: FrameLink | undefined;
  #isBehind = false;
  #hasLeft = false;
  #free: () => void = () => undefined;
  /** Resolves when the person has the terminal no more. */
  readonly #over = new Promise<void>((resolve) => {
    this.#free = resolve;
  });

  /** Takes the terminal. Throws `HostError` `PI_HOST_HELD` where another person has it. */
  constructor(terminal: TaskTerminal, id: string) {
    if (terminal.holder === "person") {
      throw new HostError(
        "PI_HOST_HELD",
        `another person has the terminal of \`${id}\`; \`pi-bash attach --read-only ${id}\` shows what it writes`,
      );
    }
    this.#terminal = terminal;
    this.#seat = terminal.take({ onData: (chunk) => this.#draw(chunk), onEnd: () => this.#free() });
  }

  /** Serves the connection until the person leaves, the program ends, or no key came for too long; its exit status. */
  async serve(linkOf: (listener: FrameListener) => FrameLink, window: HostWindow, watched: JobWatch): Promise<number> {
    const leave = (): void => {
      this.#hasLeft = true;
      this.#seat.handBack();
    };
    const link = linkOf({
      onFrame: (kind, payload) => {
        if (kind === FRAME.size) this.#resize(payload);
        else if (kind === FRAME.inputEnd) leave();
      },
      onClosed: leave,
    });
    this.#link = link;
    link.input.on("data", (keys: Buffer) => this.#type(this.#decoder.write(keys)));
    link.output.on("drain", () => this.#catchUp());
    this.#attempt(() => this.#seat.resize(window.cols, window.rows));
    link.output.write(this.#seat.redraw());
    await this.#over;
    if (!this.#terminal.isOver) {
      if (!this.#hasLeft) link.send(FRAME.message, "no key came for 10 minutes: the terminal was handed back");
      return 0;
    }
    return this.#statusOf(watched, link);
  }

  async #statusOf(watched: JobWatch, link: FrameLink): Promise<number> {
    persons += 1;
    const until = performance.now() + JOB_END_MS;
    while (watched.job.endedAtMs === undefined && performance.now() < until) {
      await watched.look({
        reader: `person ${persons}`,
        timeoutMs: Math.max(1, until - performance.now()),
        wakesOnOutput: false,
        maxBytes: 1,
      });
    }
    return statusOf(watched.job, link);
  }

  #draw(chunk: string): void {
    if (this.#isBehind || this.#link === undefined) return;
    const { output } = this.#link;
    this.#isBehind = output.writableLength > MAX_UNREAD_BYTES;
    if (!this.#isBehind) output.write(chunk);
  }

  #catchUp(): void {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.#link?.output.write(this.#seat.redraw());
  }

  #type(keys: string): void {
    this.#attempt(() => this.#seat.write(keys));
  }

  #resize(payload: Buffer): void {
    const { success, data } = HostWindow.safeParse(jsonOf(payload));
    if (success) this.#attempt(() => this.#seat.resize(data.cols, data.rows));
  }

  /** What a program that has just ended, or that reads nothing, does not take is dropped: the window shows why. */
  #attempt(act: () => void): void {
    try {
      if (!this.#hasLeft) act();
    } catch (error) {
      if (this.#terminal.isOver) return;
      const reason = error instanceof Error ? error.message : String(error);
      this.#link?.send(FRAME.message, `what was typed was not taken: ${reason}`);
    }
  }
}

function jsonOf(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString("utf8"));
  } catch {
    return undefined;
  }
}
