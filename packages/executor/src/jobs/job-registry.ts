/**
 * The jobs of a session on disk, so that a host that was restarted finds what its predecessor's jobs became.
 *
 * One private file a job, replaced as a whole, written in order. A registry that cannot be written costs the memory of
 * a crash, never a job: the first failure is kept for whoever asks.
 */
import { readdir, readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { Job, ProcessInfo, StopReason } from "@pi-bash/contract";
import { ensurePrivateFolder, writePrivateFile } from "../artifacts/private-folder.ts";
import type { DeliveryState, HostIdentity, JobRecord, JobView } from "./job.ts";

const FILE_NAME = /^bg_[0-9]{1,9}\.json$/;
const DELIVERY_STATES: readonly DeliveryState[] = ["none", "queued", "sending", "delivered", "consumed"];

export class JobRegistry {
  readonly #folder: string;
  /** The last write of each job: the next one waits for it. */
  readonly #writes = new Map<string, Promise<void>>();
  #error: Error | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Why something could not be written; the first one. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** What is there. Files that are no records are left alone. */
  async load(): Promise<JobRecord[]> {
    await ensurePrivateFolder(this.#folder);
    const names = (await readdir(this.#folder)).filter((name) => FILE_NAME.test(name));
    const records = await Promise.all(names.map((name) => this.#read(name)));
    return records
      .filter((record) => record !== undefined)
      .sort((left, right) => left.job.startedAtMs - right.job.startedAtMs);
  }

  /** Writes a record, after the earlier ones of that job. Never rejects. */
  write(record: JobRecord): Promise<void> {
    const text = JSON.stringify(record);
    return this.#inOrder(record.job.id, () => writePrivateFile(this.#pathOf(record.job.id), text));
  }

  /** Removes a record. Never rejects. */
  remove(id: string): Promise<void> {
    return this.#inOrder(id, () => unlink(this.#pathOf(id)));
  }

  /** Resolves when everything asked for so far is on disk. */
  async flush(): Promise<void> {
    await Promise.all([...this.#writes.values()]);
  }

  #inOrder(id: string, work: () => Promise<void>): Promise<void> {
    const previous = this.#writes.get(id) ?? Promise.resolve();
    const next = previous.then(work).catch((error: unknown) => {
      const isGone = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!isGone) this.#error ??= error instanceof Error ? error : new Error(String(error));
    });
    this.#writes.set(id, next);
    void next.then(() => {
      if (this.#writes.get(id) === next) this.#writes.delete(id);
    });
    return next;
  }

  async #read(name: string): Promise<JobRecord | undefined> {
    try {
      return toRecord(JSON.parse(await readFile(join(this.#folder, name), "utf8")));
    } catch {
      return undefined;
    }
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

/** Checks what was read: another version may have written it, or a person. */
function toRecord(value: unknown): JobRecord | undefined {
  if (!isObject(value) || value.version !== 1) return undefined;
  const job = toView(value.job);
  const host = toHost(value.host);
  const delivery = DELIVERY_STATES.find((state) => state === value.delivery);
  const { text, deliveryId } = value;
  if (job === undefined || host === undefined || delivery === undefined) return undefined;
  if (typeof text !== "string" || typeof deliveryId !== "string") return undefined;
  return { version: 1, deliveryId, job, delivery, text, host };
}

function toView(value: unknown): JobView | undefined {
  const parsed = Job.safeParse(value);
  if (!parsed.success || !isObject(value)) return undefined;
  const { owner, title, signal, isLost } = value;
  const stopped = StopReason.safeParse(value.stopped);
  const survivors = ProcessInfo.array().safeParse(value.survivors);
  return {
    ...parsed.data,
    ...(typeof owner === "string" ? { owner } : {}),
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof signal === "string" ? { signal } : {}),
    ...(stopped.success ? { stopped: stopped.data } : {}),
    ...(isLost === true ? { isLost } : {}),
    ...(survivors.success ? { survivors: survivors.data } : {}),
  };
}

function toHost(value: unknown): HostIdentity | undefined {
  if (!isObject(value)) return undefined;
  const { pid, startTime, instance } = value;
  if (typeof pid !== "number" || typeof startTime !== "string" || typeof instance !== "string") return undefined;
  return { pid, startTime, instance };
}

/** The fields that a record may have, of any type. */
type Fields = Partial<
  Record<
    | "version"
    | "deliveryId"
    | "job"
    | "delivery"
    | "text"
    | "host"
    | "owner"
    | "title"
    | "signal"
    | "stopped"
    | "survivors"
    | "isLost"
    | "pid"
    | "startTime"
    | "instance",
    unknown
  >
>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}
