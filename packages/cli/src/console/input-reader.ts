/**
 * What a terminal sends, cut into pieces that hold whole keys.
 *
 * A read may end in the middle of a character, of a key's sequence or of a paste. Such an end is kept back until the rest
 * of it comes; after a short time it is taken as it is, because a lone Esc has no rest.
 */
import { StringDecoder } from "node:string_decoder";
import { keyRestMs, wholeKeysLength } from "@pi-bash/renderer/internal";

export class InputReader {
  readonly #decoder = new StringDecoder("utf8");
  readonly #take: (keys: string) => void;
  #held = "";
  #timer: NodeJS.Timeout | undefined;

  /** `take` is given text that ends with a whole key. */
  constructor(take: (keys: string) => void) {
    this.#take = take;
  }

  /** The next read. */
  push(data: Buffer): void {
    clearTimeout(this.#timer);
    const text = this.#held + this.#decoder.write(data);
    const whole = wholeKeysLength(text);
    this.#held = text.slice(whole);
    if (whole > 0) this.#take(text.slice(0, whole));
    if (this.#held === "") return;
    this.#timer = setTimeout(() => this.#release(), keyRestMs(this.#held));
  }

  /** Nothing more comes. */
  end(): void {
    clearTimeout(this.#timer);
    this.#held = "";
  }

  #release(): void {
    const held = this.#held;
    this.#held = "";
    this.#take(held);
  }
}
