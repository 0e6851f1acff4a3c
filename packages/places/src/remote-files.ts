/**
 * Files of a place: spills by range, files that are put there, what stands at a path.
 */
import { createHash } from "node:crypto";
import type { Link } from "./link.ts";
import { PlaceError } from "./place-error.ts";
import { request } from "./request.ts";
import { MAX_PUT_BYTES, MAX_READ_BYTES } from "./wire/kinds.ts";
import { checked, StatAnswer } from "./wire/messages.ts";
import { isPlainPath } from "./wire/plain.ts";

/** What stands at a path of a place. */
export type PathKind = "file" | "directory" | "other" | "missing" | "denied";

/** What a name of a spill may be, as the protocol has it. */
const SPILL_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/;

/**
 * The name under which a spill lies over there: the last part of its path here.
 *
 * @throws RangeError where that is not a name that the protocol takes
 */
export function spillNameOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!SPILL_NAME.test(name)) throw new RangeError(`\`${name}\` is not a name of a file that a place takes`);
  return name;
}

/** Files of one place. Each method rejects with `PlaceError` where there is no link, and with `ShellError` where the far side refuses. */
export class RemoteFiles {
  readonly #place: string;
  readonly #link: () => Promise<Link>;

  constructor(place: string, link: () => Promise<Link>) {
    this.#place = place;
    this.#link = link;
  }

  /** Bytes of a spill from `offset`, at most 1 MiB of them, and the size of the whole. */
  async read(name: string, offset: number, length: number): Promise<{ bytes: Buffer; size: number }> {
    const wanted = Math.min(length, MAX_READ_BYTES);
    const options = { place: this.#place, maxBytes: wanted };
    const { ok, bytes } = await request(
      await this.#link(),
      "read",
      { spillName: name, offset, length: wanted },
      options,
    );
    const { size } = ok;
    if (typeof size === "number" && Number.isSafeInteger(size) && size >= 0) return { bytes, size };
    throw new PlaceError("PI_PLACE_REFUSED", this.#place, `${this.#place} did not say how large \`${name}\` is`);
  }

  /** Removes a spill. */
  async remove(name: string): Promise<void> {
    await request(await this.#link(), "remove", { spillName: name }, { place: this.#place });
  }

  /** What stands at `path`. */
  async stat(path: string): Promise<{ kind: PathKind; realPath?: string }> {
    const { ok } = await request(await this.#link(), "stat", { path }, { place: this.#place });
    const { kind, realPath } = checked(StatAnswer, "stat", ok);
    return { kind, ...(realPath === undefined ? {} : { realPath }) };
  }

  /** Puts a file there and returns its path. A file that is there already is not sent again. */
  async put(name: string, bytes: Uint8Array): Promise<string> {
    return putFile(await this.#link(), this.#place, name, bytes);
  }
}

/** `RemoteFiles.put` over one link. */
export async function putFile(link: Link, place: string, name: string, bytes: Uint8Array): Promise<string> {
  if (bytes.length > MAX_PUT_BYTES) throw new RangeError(`\`${name}\` is larger than ${MAX_PUT_BYTES} bytes`);
  const digest = createHash("sha256").update(bytes).digest("hex");
  const { ok } = await request(link, "put", { digest, size: bytes.length, name }, { place, bytes });
  const { path } = ok;
  // It goes back as the path of a driver or a snapshot, and is never opened here.
  if (!isPlainPath(path)) throw new PlaceError("PI_PLACE_REFUSED", place, `${place} did not say where \`${name}\` is`);
  return path;
}
