/**
 * The artifacts of a session: which ids there are, which files they stand for, how long they are kept.
 *
 * An id is looked up in a table, never joined to a path. Files lie in one private folder under names no one can guess;
 * whoever runs the command writes them. An artifact is addressable from its allocation, so that the output of a job
 * can be read while it grows; `settle` withdraws the ones that got no file.
 */
import { lstat, readdir, rm, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import {
  type ArtifactAllocation,
  DEFAULT_ARTIFACT_MAX_AGE_MS,
  DEFAULT_ARTIFACT_MAX_BYTES,
  DEFAULT_ARTIFACT_QUOTA_BYTES,
} from "@pi-bash/contract";
import type { OutputMask } from "../natives-port.ts";
import type { FarSpill } from "../places/far-spill.ts";
import { ArtifactError, type ArtifactSelection, parseArtifactAddress } from "./address.ts";
import { ensurePrivateFolder, openPrivateFile, randomName, randomSlice, writePrivateFile } from "./private-folder.ts";
import { type ArtifactText, readArtifact } from "./read.ts";
import type { ReadableFile } from "./readable-file.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

/**
 * Ids are random, not counted: after a restart an address in an old conversation must find its own artifact or
 * nothing, never another one with the same number. 8 letters and digits are 40 bits.
 */
const ID_CHARS = "abcdefghijkmnpqrstuvwxyz23456789";
const ID_LENGTH = 8;
/** `<id>.<kind>.<32 hexadecimal digits>.log` */
const FILE_NAME = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{1,64})\.[0-9a-f]{32}\.log$/;
/** Ids of expired artifacts that are remembered, so that the message can say what became of them. */
const MAX_REMEMBERED_IDS = 10_000;
/** Ids named in a "not found" message. */
const MAX_NAMED_IDS = 20;

/** Where a store is, and how much it holds. */
export interface ArtifactStoreOptions {
  /** Folder of the artifacts; made if missing. The same folder again finds what is there. Default: a new one. */
  folder?: string;
  /** Bytes of all artifacts together. Default `DEFAULT_ARTIFACT_QUOTA_BYTES`. */
  quotaBytes?: number;
  /** Bytes of one artifact, for whoever writes it. Default `DEFAULT_ARTIFACT_MAX_BYTES`. */
  maxBytes?: number;
  /** Milliseconds an artifact is kept. Default `DEFAULT_ARTIFACT_MAX_AGE_MS`. */
  maxAgeMs?: number;
  /** Milliseconds since the Unix epoch; a port for tests. */
  now?: () => number;
}

/** One artifact: its id, and the file with a command's whole output. */
export interface ArtifactEntry extends ArtifactAllocation {
  kind: string;
  /** Milliseconds since the Unix epoch. */
  createdAtMs: number;
}

interface Entry extends ArtifactEntry {
  /** Its file is on a place, and not at `path`. */
  far?: FarSpill | undefined;
  /** Someone may still write it: it is not removed for the quota. */
  isOpen: boolean;
}

/** Whole outputs in files of one folder, within a quota. */
export class ArtifactStore {
  /** Bytes of one artifact: past it the writer stops. */
  readonly maxBytes: number;
  readonly #options: ArtifactStoreOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #expired = new Set<string>();
  readonly #masks = new Set<() => Promise<OutputMask | undefined>>();
  #folder: Promise<string> | undefined;
  /** The temporary folder of a store that was given none. */
  #made: string | undefined;
  #isDisposed = false;

  constructor(options: ArtifactStoreOptions = {}) {
    this.#options = options;
    this.maxBytes = options.maxBytes ?? DEFAULT_ARTIFACT_MAX_BYTES;
  }

  /** A new id and the path of its file, which is not there yet. `kind` says what it is, for people who look. */
  async allocate(kind: string): Promise<ArtifactAllocation> {
    const folder = await this.#open();
    const id = this.#newId();
    const shown = fileKind(kind);
    const path = join(folder, `${id}.${shown}.${randomName()}.log`);
    this.#entries.set(id, { id, path, kind: shown, createdAtMs: this.#now(), isOpen: true });
    return { id, path };
  }

  /** Saves a whole text: it is there completely when this resolves, or the promise rejects and there is nothing. */
  async save(kind: string, content: string | Uint8Array): Promise<ArtifactAllocation> {
    const allocation = await this.allocate(kind);
    try {
      await writePrivateFile(allocation.path, content);
      await this.settle(allocation.id, "keep");
      return allocation;
    } catch (error) {
      await this.settle(allocation.id, "discard");
      this.recheck();
      throw new ArtifactError("PI_ARTIFACT_STORE", `artifact cannot be saved: ${messageOf(error)}`, error);
    }
  }

  /**
   * Ends the writing of an artifact. `keep`: the file is whole. `discard`: what is there is removed. `unused`: nothing
   * was written. Only a kept one costs a look at the disk, since most commands need none.
   */
  async settle(id: string, verdict: "keep" | "discard" | "unused"): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.isOpen = false;
    if (verdict === "keep") {
      await this.#makeRoom();
      return;
    }
    this.#entries.delete(id);
    if (verdict === "discard") await removeFile(entry);
  }

  /** The file of `id` is on a place from now on; undefined: it is here. False: there is no such artifact in this store. */
  moveTo(id: string, path: string, far: FarSpill | undefined): boolean {
    const entry = this.#entries.get(id);
    if (entry?.path !== path) return false;
    entry.far = far;
    return true;
  }

  /** Bytes of a file that is on a place, 0 where it cannot be asked for; undefined: it is not on a place. */
  async farSize(id: string): Promise<number | undefined> {
    const far = this.#entries.get(id)?.far;
    if (far === undefined) return undefined;
    return (await far.open().catch(() => undefined))?.size ?? 0;
  }

  /** Opens the file of an artifact for reading, wherever it is. Rejects where there is none. */
  open({ id, path }: ArtifactAllocation): Promise<{ file: ReadableFile; size: number }> {
    return this.#entries.get(id)?.far?.open() ?? openPrivateFile(path);
  }

  /** Looks at the folder again before the next allocation: a file could not be written, it may be gone. */
  recheck(): void {
    this.#folder = undefined;
  }

  /** What is known of an id. */
  async get(id: string): Promise<ArtifactEntry | undefined> {
    await this.#open();
    return this.#entries.get(id);
  }

  /** All artifacts, oldest first. */
  async list(): Promise<ArtifactEntry[]> {
    await this.#open();
    return [...this.#entries.values()].map(({ id, path, kind, createdAtMs }) => ({ id, path, kind, createdAtMs }));
  }

  /** The text behind an address, or the part of it that the address selects. Throws `ArtifactError`. */
  async read(address: string, options: { maxBytes?: number; signal?: AbortSignal } = {}): Promise<ArtifactText> {
    const { id, ...selection }: { id: string } & ArtifactSelection = parseArtifactAddress(address);
    await this.#expire();
    const entry = await this.get(id);
    if (entry === undefined) throw this.#missing(id);
    const masks = await Promise.all([...this.#masks].map((mask) => mask()));
    return readArtifact(entry, selection, { ...options, masks: masks.filter((mask) => mask !== undefined) });
  }

  /** Masks what is read from now on by what `mask` gives; files stay as they are. Executors do so with their secrets. */
  maskWith(mask: () => Promise<OutputMask | undefined>): void {
    this.#masks.add(mask);
  }

  /** Ends what `maskWith` began. */
  unmask(mask: () => Promise<OutputMask | undefined>): void {
    this.#masks.delete(mask);
  }

  /** Removes the folder, if this store made it for itself, and makes none any more; a folder it was given stays. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    // One that is being made for a call under way has to be there before it can go.
    await this.#folder?.catch(() => undefined);
    const made = this.#made;
    this.#made = undefined;
    this.#folder = undefined;
    if (made !== undefined) await rm(made, { recursive: true, force: true });
  }

  /** Removes what is too old, and the oldest beyond the quota. */
  async #makeRoom(): Promise<void> {
    await this.#expire();
    const quota = this.#options.quotaBytes ?? DEFAULT_ARTIFACT_QUOTA_BYTES;
    const sizes = await Promise.all(
      [...this.#entries.values()].map(async (entry) => ({
        entry,
        size: entry.far?.sizeBytes ?? (await sizeOf(entry.path)),
      })),
    );
    let total = sizes.reduce((sum, { size }) => sum + size, 0);
    for (const { entry, size } of sizes) {
      if (total <= quota) return;
      if (entry.isOpen) continue;
      await this.#remove(entry);
      total -= size;
    }
  }

  async #expire(): Promise<void> {
    const oldest = this.#now() - (this.#options.maxAgeMs ?? DEFAULT_ARTIFACT_MAX_AGE_MS);
    for (const entry of [...this.#entries.values()]) {
      if (!entry.isOpen && entry.createdAtMs < oldest) await this.#remove(entry);
    }
  }

  async #remove(entry: Entry): Promise<void> {
    this.#entries.delete(entry.id);
    if (this.#expired.size < MAX_REMEMBERED_IDS) this.#expired.add(entry.id);
    await removeFile(entry);
  }

  #missing(id: string): ArtifactError {
    if (this.#expired.has(id)) {
      return new ArtifactError("PI_ARTIFACT_EXPIRED", `Artifact ${id} was removed: it was too old or over the quota.`);
    }
    const names = [...this.#entries.keys()].slice(-MAX_NAMED_IDS);
    const available = names.length === 0 ? "none" : names.join(", ");
    return new ArtifactError("PI_ARTIFACT_NOT_FOUND", `Artifact ${id} not found. Available: ${available}`);
  }

  #newId(): string {
    for (;;) {
      let id = "";
      // 32 characters, so that each byte chooses any of them equally often.
      for (const byte of randomSlice(ID_LENGTH)) id += ID_CHARS[byte % ID_CHARS.length];
      if (!this.#entries.has(id) && !this.#expired.has(id)) return id;
    }
  }

  /** The folder, made or checked once; a failure is tried again at the next call, since disks come back. */
  #open(): Promise<string> {
    this.#folder ??= this.#openFolder().catch((error: unknown) => {
      this.#folder = undefined;
      throw new ArtifactError("PI_ARTIFACT_STORE", `artifact folder cannot be used: ${messageOf(error)}`, error);
    });
    return this.#folder;
  }

  async #openFolder(): Promise<string> {
    const folder = this.#options.folder ?? this.#made;
    if (folder === undefined) {
      if (this.#isDisposed) throw new Error("the artifact store is disposed; create another one");
      this.#made = await makeTemporaryFolder("artifacts");
      return this.#made;
    }
    await ensurePrivateFolder(folder);
    await this.#adopt(folder);
    return folder;
  }

  /** Takes over what an earlier store left in the folder: regular files with names of ours, nothing else. */
  async #adopt(folder: string): Promise<void> {
    const found: Entry[] = [];
    for (const name of await readdir(folder)) {
      const match = FILE_NAME.exec(name);
      if (match?.[1] === undefined || match[2] === undefined) continue;
      const path = join(folder, name);
      const info = await lstat(path).catch(() => undefined);
      if (!info?.isFile() || this.#entries.has(match[1])) continue;
      found.push({ id: match[1], path, kind: match[2], createdAtMs: info.mtimeMs, isOpen: false });
    }
    found.sort((left, right) => left.createdAtMs - right.createdAtMs);
    for (const entry of found) this.#entries.set(entry.id, entry);
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

/** A kind as it can stand in a file name: letters, digits, `_`, `-`, at most 64; `tool` if nothing is left. */
function fileKind(kind: string): string {
  const clean = kind.replaceAll(/[^A-Za-z0-9_-]/g, "").slice(0, 64);
  return clean === "" ? "tool" : clean;
}

async function removeFile({ path, far }: Entry): Promise<void> {
  if (far === undefined) await unlink(path).catch(() => undefined);
  else await far.remove();
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
