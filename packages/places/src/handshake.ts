/**
 * From a started program to two sides that speak frames: the bootstrap's lines, the file it asks for, and the `Hello`s.
 *
 * It takes the bytes of the program until the far `Hello` has come, and says what went wrong in the words of the place.
 */
import type { HostBuild } from "./bootstrap.ts";
import { messageOf, PlaceError, type PlaceErrorCode } from "./place-error.ts";
import { encodeObject, type Frame, FrameDecoder, objectOf } from "./wire/frames.ts";
import { KIND, PROTOCOL } from "./wire/kinds.ts";
import { Bye, checked, FarHello } from "./wire/messages.ts";
import { type PreambleLine, PreambleReader } from "./wire/preamble.ts";

/** A build of `pi-host`, and where its bytes are. */
export interface HostBinary extends HostBuild {
  /** Its bytes. */
  read(): Promise<Uint8Array>;
}

/** What a handshake needs. */
export interface HandshakeOptions {
  /** The place, e.g. `ssh:build7`. */
  readonly place: string;
  /** Marks the bootstrap's lines. Absent: the program is `pi-host` itself and writes none. */
  readonly nonce: string | undefined;
  /** What can be sent. */
  readonly binaries: readonly HostBinary[];
  readonly leaseMs: number;
  /** What runs there must be one of `binaries`. */
  readonly isSent: boolean;
  /** The `Attach` frame of a connection that comes back; it follows the `Hello`. */
  readonly attach?: (() => Buffer) | undefined;
  write(bytes: Uint8Array): void;
  /** Takes what the far side said first. */
  onHello(hello: FarHello): void;
  /** Takes the frames after it. */
  onFrame(frame: Frame): void;
  /** It failed. Nothing is called after it. */
  onFailure(error: PlaceError): void;
}

/** Takes the bytes of one program, first the bootstrap's, then frames. */
export class Handshake {
  readonly #options: HandshakeOptions;
  readonly #preamble: PreambleReader | undefined;
  readonly #decoder = new FrameDecoder();
  #state: "preamble" | "hello" | "open" | "failed";
  #isUnverified = false;
  #isAskedFor = false;

  constructor(options: HandshakeOptions) {
    this.#options = options;
    this.#preamble = options.nonce === undefined ? undefined : new PreambleReader(options.nonce);
    this.#state = "preamble";
    if (this.#preamble === undefined) this.#greet();
  }

  /** What the place wrote before its frames. */
  get banner(): string {
    return this.#preamble?.banner ?? "";
  }

  /** Takes the next bytes. Throws `FrameError` for what is not a frame once the link is open. */
  feed(bytes: Buffer): void {
    if (this.#state === "failed") return;
    if (this.#state === "open") {
      this.#decoder.feed(bytes, (frame) => this.#take(frame));
      return;
    }
    try {
      this.#feedFirst(bytes);
    } catch (error) {
      // What follows the `Hello` in the same bytes belongs to the link.
      if (this.#isOpen()) throw error;
      this.#fail(
        "PI_PLACE_UNREACHABLE",
        `${this.#options.place} answers in another way than pi-host: ${messageOf(error)}`,
      );
    }
  }

  #isOpen(): boolean {
    return this.#state === "open";
  }

  #feedFirst(bytes: Buffer): void {
    let rest = bytes;
    while (this.#state === "preamble" && this.#preamble !== undefined) {
      const line = this.#preamble.feed(rest);
      if (line === undefined) return;
      rest = line.rest;
      this.#takeLine(line);
    }
    if (this.#state !== "failed") this.#decoder.feed(rest, (frame) => this.#take(frame));
  }

  #takeLine({ words }: PreambleLine): void {
    const [what, ...details] = words;
    if (what === "ready") {
      this.#isUnverified = details[0] === "unverified";
      this.#greet();
    } else if (what === "need") this.#send(details[0] ?? "");
    else if (what === "refused") this.#refuse(details[0] ?? "", details.slice(1).join(" "));
    else this.#fail("PI_PLACE_UNREACHABLE", `${this.#options.place} answers in another way than the bootstrap`);
  }

  #greet(): void {
    this.#state = "hello";
    const { leaseMs, nonce, attach } = this.#options;
    const hello = encodeObject(KIND.hello, 0, {
      protocol: PROTOCOL,
      leaseMs,
      ...(nonce === undefined ? {} : { nonce }),
    });
    this.#options.write(attach === undefined ? hello : Buffer.concat([hello, attach()]));
  }

  /** Sends the file that the bootstrap asked for. What the program does not take, its end explains. */
  #send(machine: string): void {
    if (this.#isAskedFor) {
      this.#fail("PI_PLACE_UNREACHABLE", `${this.#options.place} asks for pi-host twice`);
      return;
    }
    this.#isAskedFor = true;
    const binary = this.#options.binaries.find((each) => each.machine === machine);
    if (binary === undefined) {
      this.#fail("PI_PLACE_REFUSED", `${this.#options.place} asks for a pi-host that was not offered`);
      return;
    }
    binary.read().then(
      (bytes) => this.#options.write(bytes),
      (error: unknown) => this.#fail("PI_PLACE_REFUSED", `pi-host cannot be read: ${messageOf(error)}`),
    );
  }

  #take(frame: Frame): void {
    if (this.#state === "open") {
      this.#options.onFrame(frame);
      return;
    }
    if (this.#state !== "hello") return;
    if (frame.kind === KIND.bye) {
      const { reason, detail } = checked(Bye, "Bye", objectOf(frame));
      const { place } = this.#options;
      if (reason === "gone") this.#fail("PI_PLACE_LOST", `${place}: ${detail ?? "pi-host is gone"}`);
      else if (reason === "protocol")
        this.#fail("PI_PLACE_VERSION", `${place} refuses the protocol: ${detail ?? "no reason given"}`);
      else this.#fail("PI_PLACE_UNREACHABLE", `${place} ended the connection at once: ${detail ?? reason}`);
      return;
    }
    if (frame.kind !== KIND.hello) throw new Error("its first frame is not `Hello`");
    this.#hear(checked(FarHello, "Hello", objectOf(frame)));
  }

  #hear(hello: FarHello): void {
    const { place, binaries, isSent } = this.#options;
    if (hello.protocol < PROTOCOL.min || hello.protocol > PROTOCOL.max) {
      const own = PROTOCOL.min === PROTOCOL.max ? `${PROTOCOL.min}` : `${PROTOCOL.min} to ${PROTOCOL.max}`;
      this.#fail(
        "PI_PLACE_VERSION",
        `${place} runs pi-host ${hello.build.version}, which speaks version ${hello.protocol} of the protocol; this host speaks ${own}. Use the pi-host of this version there.`,
      );
      return;
    }
    const { digest } = hello.build;
    const isKnown = digest === undefined ? !this.#isUnverified : binaries.some((each) => each.digest === digest);
    if (isSent && !isKnown) {
      const sent = binaries.map((each) => each.digest).join(" or ");
      this.#fail(
        "PI_HOST_CHANGED",
        `what runs on ${place} is not the pi-host that was sent: its SHA-256 is ${digest ?? "not known"}, and ${sent} was expected. Remove \`pi-host-*\` from the cache folder there.`,
      );
      return;
    }
    this.#state = "open";
    this.#options.onHello(hello);
  }

  #refuse(what: string, detail: string): void {
    const { place, binaries } = this.#options;
    const remedy = "Put pi-host there yourself and name it with the option `hostPath`.";
    const known = binaries.map((each) => each.machine).join(", ");
    const texts: Record<string, string> = {
      machine: `there is no pi-host for ${detail}, which ${place} is (there is one for ${known === "" ? "no machine: it was not built" : known})`,
      folder: `${place} has no folder that pi-host can be run from: ${detail}. ${remedy}`,
      space: `pi-host did not arrive whole in \`${detail}\` on ${place}: the disk there may be full. Make room, or set PI_HOST_CACHE there.`,
      digest: `pi-host arrived in \`${detail}\` on ${place} with another SHA-256 than it was sent with`,
      start: `pi-host cannot be started on ${place}: ${detail}`,
    };
    this.#fail("PI_PLACE_REFUSED", texts[what] ?? `${place} refused pi-host: ${what} ${detail}`);
  }

  #fail(code: PlaceErrorCode, message: string): void {
    if (this.#state === "failed") return;
    this.#state = "failed";
    this.#options.onFailure(new PlaceError(code, this.#options.place, message));
  }
}
