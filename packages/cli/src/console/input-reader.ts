/**
 * What a terminal sends, cut into pieces that hold whole keys.
 *
 * A read may end in the middle of a character, of a key's sequence or of a paste. Such an end is kept back until the rest
 * of it comes; after a short time it is taken as it is, because a lone Esc has no rest.
 */
import { StringDecoder } from "node:string_decoder";

/** Time the rest of a key's sequence has to come, in milliseconds; a terminal sends it in one write. */
const KEY_REST_MS = 40;
/** The same for the rest of a paste, which may be large. */
const PASTE_REST_MS = 2_000;

const ESC = "\x1b";
const PASTE_START = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** An Esc at the end with what may be the beginning of a sequence behind it. */
const OPEN_SEQUENCE = new RegExp(`${ESC}(?:\\[[0-9:;<?]*|O)?$`);

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
    const whole = wholeLength(text);
    this.#held = text.slice(whole);
    if (whole > 0) this.#take(text.slice(0, whole));
    if (this.#held === "") return;
    const wait = this.#held.startsWith(PASTE_START) ? PASTE_REST_MS : KEY_REST_MS;
    this.#timer = setTimeout(() => this.#release(), wait);
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

/** Length of the part that ends with a whole key. */
function wholeLength(text: string): number {
  const paste = text.lastIndexOf(PASTE_START);
  if (paste >= 0 && text.indexOf(PASTE_END, paste) < 0) return paste;
  return OPEN_SEQUENCE.exec(text)?.index ?? text.length;
}
