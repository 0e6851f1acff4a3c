/**
 * Lets messages of a bounded size through to the transport, and answers the others with an error.
 *
 * The SDK closes its connection at a message that is too large; here it costs its sender an error answer, with the
 * message's own `id` where it has one, and the next message is read. What is too large is not kept: its bytes are read
 * on to the end of the line, and of them only the `id` is looked for.
 */
import { Transform } from "node:stream";

/** Longest `id` that is answered, in bytes. */
const MAX_ID_BYTES = 256;

/** A stream of whole lines of at most `most` bytes. `refuse` is notified of each longer one, with its `id` as JSON or null. */
export function frameGuard(most: number, refuse: (id: string | number | null) => void): Transform {
  let kept: Buffer[] = [];
  let bytes = 0;
  /** Looks through a line that is too long; undefined: this one is not. */
  let skipped: IdScanner | undefined;
  const take = (piece: Buffer): void => {
    bytes += piece.length;
    if (skipped === undefined && bytes > most) {
      skipped = new IdScanner();
      for (const each of kept) skipped.push(each);
      kept = [];
    }
    if (skipped === undefined) kept.push(piece);
    else skipped.push(piece);
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let rest = chunk;
      for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10)) {
        take(rest.subarray(0, at));
        if (skipped === undefined) this.push(Buffer.concat([...kept, rest.subarray(at, at + 1)]));
        else refuse(skipped.id);
        kept = [];
        bytes = 0;
        skipped = undefined;
        rest = rest.subarray(at + 1);
      }
      if (rest.length > 0) take(rest);
      done();
    },
    flush(done) {
      if (skipped !== undefined) refuse(skipped.id);
      else if (bytes > 0) this.push(Buffer.concat(kept));
      done();
    },
  });
}

/** Reads JSON byte by byte and keeps nothing of it but the value of the outermost `id`. */
class IdScanner {
  #depth = 0;
  #isString = false;
  #isEscaped = false;
  /** Of the outermost object: the string that was read last, the `id` while it is read. */
  #word: number[] = [];
  #state: "key" | "colon" | "value" = "key";
  #isId = false;
  #found: number[] | undefined;

  get id(): string | number | null {
    try {
      const value: unknown = JSON.parse(Buffer.from(this.#found ?? this.#pending()).toString());
      return typeof value === "string" || typeof value === "number" ? value : null;
    } catch {
      return null;
    }
  }

  push(bytes: Buffer): void {
    if (this.#found !== undefined) return;
    for (const byte of bytes) {
      this.#take(byte);
      if (this.#found !== undefined) return;
    }
  }

  #pending(): number[] {
    return this.#isId && this.#state === "value" ? this.#word : [];
  }

  #take(byte: number): void {
    if (this.#isString) {
      this.#inString(byte);
      return;
    }
    switch (byte) {
      case QUOTE:
        this.#isString = true;
        if (this.#depth === 1) this.#word = [byte];
        return;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.#depth += 1;
        return;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (this.#depth === 1) this.#endValue();
        this.#depth -= 1;
        return;
      default:
        if (this.#depth === 1) this.#between(byte);
    }
  }

  #inString(byte: number): void {
    if (this.#depth === 1) this.#keep(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isString = false;
      if (this.#depth === 1 && this.#state === "key") this.#state = "colon";
    }
  }

  #between(byte: number): void {
    if (byte === COLON && this.#state === "colon") {
      this.#isId = Buffer.from(this.#word).toString() === '"id"';
      this.#state = "value";
      this.#word = [];
    } else if (byte === COMMA) {
      this.#endValue();
      this.#state = "key";
    } else if (this.#state === "value" && byte > SPACE) this.#keep(byte);
  }

  #keep(byte: number): void {
    if (this.#word.length <= MAX_ID_BYTES) this.#word.push(byte);
  }

  #endValue(): void {
    if (this.#isId && this.#state === "value") this.#found = this.#word;
    this.#isId = false;
    this.#word = [];
  }
}

const [QUOTE, BACKSLASH, COLON, COMMA, SPACE] = [0x22, 0x5c, 0x3a, 0x2c, 0x20];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
