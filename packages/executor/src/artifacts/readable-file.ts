/**
 * A file that the readers of artifacts and job logs read by range: one here, or one on a place.
 */

/** Reads by range. `FileHandle` of Node is one. */
export interface ReadableFile {
  /** Fills `buffer` from `offset` with at most `length` bytes of the file from `position`. 0 bytes: its end. */
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  close(): Promise<void>;
}

/** Opens a file, and says how many bytes it has. */
export type FileOpener = () => Promise<{ file: ReadableFile; size: number }>;

/** Bytes from `position`, as many as there are up to `length`. */
export async function readAt(file: ReadableFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
