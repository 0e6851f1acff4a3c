/**
 * The file with a run's raw output, on the place where the command ran.
 *
 * It is read by range there, with a block of 1 MiB kept, since each question costs a round trip. A small one is pulled when its
 * run has ended and nothing writes to it any more: most outputs outlive their place that way.
 */
import { rename, unlink } from "node:fs/promises";
import { createPrivateFile } from "../artifacts/private-folder.ts";
import type { ReadableFile } from "../artifacts/readable-file.ts";
import type { PlaceFiles } from "./place.ts";

/** Spills of up to this many bytes are pulled after their runs: 8 MiB. */
export const PULLED_BYTES = 8 * 1024 ** 2;
/** Bytes that one question asks for. */
const BLOCK_BYTES = 1024 ** 2;

/** One spill of one place. */
export class FarSpill {
  /** The place, e.g. `ssh:build7`. */
  readonly place: string;
  /** Its name there. */
  readonly name: string;
  readonly #files: PlaceFiles;
  /** Bytes, as far as known: for the quota. */
  sizeBytes = 0;

  constructor(place: string, path: string, files: PlaceFiles) {
    this.place = place;
    this.name = path.slice(path.lastIndexOf("/") + 1);
    this.#files = files;
  }

  /** Opens it there. Rejects with an error that has a code. */
  async open(): Promise<{ file: ReadableFile; size: number }> {
    const { size } = await this.#files.read(this.name, 0, 0);
    this.sizeBytes = size;
    let block: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) };
    const read: ReadableFile["read"] = async (buffer, offset, length, position) => {
      if (position < block.at || position >= block.at + block.bytes.length) {
        block = { at: position, bytes: (await this.#files.read(this.name, position, BLOCK_BYTES)).bytes };
      }
      if (block.bytes.length === 0 && position < size) throw endsEarly(this);
      const start = position - block.at;
      const bytesRead = block.bytes.copy(buffer, offset, start, Math.min(start + length, block.bytes.length));
      return { bytesRead };
    };
    return { file: { read, close: () => Promise.resolve() }, size };
  }

  /**
   * Copies it to a new file here, and removes it there. Nothing is left of a copy that failed.
   *
   * @param mostBytes a file that says it is larger is refused: it fills no disk of this machine
   */
  async pull(path: string, mostBytes: number): Promise<void> {
    const partial = `${path}.partial`;
    const target = await createPrivateFile(partial);
    try {
      try {
        for (let offset = 0; ; ) {
          const { bytes, size } = await this.#files.read(this.name, offset, BLOCK_BYTES);
          await target.writeFile(bytes);
          offset += bytes.length;
          if (Math.max(offset, size) > mostBytes) throw tooMuch(this, mostBytes);
          if (offset >= size) break;
          if (bytes.length === 0) throw endsEarly(this);
        }
      } finally {
        await target.close();
      }
      await rename(partial, path);
    } catch (error) {
      await unlink(partial).catch(() => undefined);
      throw error;
    }
    await this.remove();
  }

  /** Removes it there. Never rejects: with its place it is gone anyway. */
  async remove(): Promise<void> {
    await this.#files.remove(this.name).catch(() => undefined);
  }
}

/** Readers go on until the size that was said: without an error they would ask for ever. */
function endsEarly({ place, name }: FarSpill): Error {
  return new Error(`${place} gives less of \`${name}\` than it says there is`);
}

function tooMuch({ place, name }: FarSpill, mostBytes: number): Error {
  return new Error(`${place} gives more of \`${name}\` than the ${mostBytes} bytes that may be brought here`);
}
