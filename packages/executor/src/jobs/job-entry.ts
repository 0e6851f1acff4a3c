/**
 * One job as the manager holds it: its view, its work, who waits for it and who has its result.
 *
 * The rules of exactly-once are here and nowhere else: a result goes to a poll or to the owner's sink, whoever takes it
 * first, and from neither is there a way back.
 */
import { randomUUID } from "node:crypto";
import type { JobState, TaskWaiting } from "@pi-bash/contract";
import { settlesWithin } from "@pi-bash/contract/internal/wait";
import type { PortLook } from "../ports.ts";
import type { DeliveryState, HostIdentity, JobContext, JobDelivery, JobEnd, JobRecord, JobView } from "./job.ts";
import { JobLog } from "./job-log.ts";
import type { JobOptions } from "./job-options.ts";
import { endedText, jobLabel, lostText } from "./job-texts.ts";

/** Time a cancellation waits for what an ended job left running, in milliseconds. */
const SURVIVORS_BOUND_MS = 10_000;

export class JobEntry {
  view: JobView;
  /** Text for the model, bounded; set at the end. */
  text = "";
  delivery: DeliveryState = "none";
  /** The newest tail, for a preview. */
  tail = "";
  /** No one wants a push: the owner ended the job, or it never became a job. */
  isQuiet = false;
  /** Milliseconds since the Unix epoch at which the result was taken. */
  takenAtMs: number | undefined;
  end: JobEnd | undefined;
  /** Time its result is kept after it was taken, in milliseconds; absent: as for any job. */
  keptMs: number | undefined;
  /** Makes it a job; set while it is in the foreground and may become one. */
  promote: (() => boolean) | undefined;
  /** Looks what its processes listen on; absent: nothing of it has run. */
  ports: PortLook | undefined;
  /** Called when a caller ends it, also after its own end. */
  onStop: (() => void) | undefined;
  /** Whether its result is delivered, with a text where it gives one; absent: it is. Asked once, at its end. */
  delivers: ((job: JobView) => boolean | string) | undefined;
  /** As it was given. */
  readonly command: string;
  readonly log = new JobLog();
  readonly runKey: string;
  readonly #cancellation = new AbortController();
  readonly #backgrounded = new AbortController();
  readonly #ended: Promise<void>;
  #finish: () => void = () => undefined;
  #watchers = 0;

  constructor(view: JobView, runKey: string, command: string) {
    this.view = view;
    this.command = command;
    this.runKey = runKey;
    this.#ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  get isRunning(): boolean {
    return this.view.endedAtMs === undefined;
  }

  /** It has an id and is seen. */
  get isJob(): boolean {
    return this.view.id !== "";
  }

  get isCancelled(): boolean {
    return this.#cancellation.signal.aborted;
  }

  /** Whether someone polls it and will take its result. */
  get isWatched(): boolean {
    return this.#watchers > 0;
  }

  /** Resolves when the job has ended. */
  whenEnded(): Promise<void> {
    return this.#ended;
  }

  /** What its work is given; the listeners are called when its artifact is named, and at each prompt that it waits at. */
  context({ onArtifact, onWaiting }: EntryListeners): JobContext {
    return {
      runKey: this.runKey,
      signal: this.#cancellation.signal,
      backgrounded: this.#backgrounded.signal,
      update: (tail, totals) => {
        if (!this.isRunning) return;
        this.tail = tail;
        if (totals !== undefined) this.log.grow(totals);
      },
      setArtifact: (artifactId, path, secrets, open) => {
        this.view = { ...this.view, artifactId };
        this.log.path = path;
        this.log.secrets = secrets;
        this.log.open = open;
        onArtifact();
      },
      setRecord: (recordId) => {
        this.view = { ...this.view, recordId };
        onArtifact();
      },
      setTerminal: (terminal) => {
        this.log.terminal = terminal;
        let reported = terminal.prompt;
        terminal.onChange(() => {
          this.log.changed();
          const { waiting, prompt } = terminal;
          if (waiting?.certain !== true || prompt === reported) return;
          reported = prompt;
          onWaiting(waiting);
        });
      },
      isRead: () => this.log.isRead,
      setPorts: (look) => {
        this.ports = look;
      },
      goToBackground: () => this.isRunning && !this.isCancelled && (this.isJob || this.promote?.() === true),
    };
  }

  goToBackground(): void {
    this.#backgrounded.abort();
  }

  cancel(): void {
    this.#cancellation.abort();
  }

  watch(): void {
    this.#watchers += 1;
  }

  unwatch(): void {
    this.#watchers -= 1;
  }

  /** The job has ended; only the first time counts. */
  settle(view: JobView, text: string, end: JobEnd | undefined): void {
    this.view = view;
    this.text = text;
    this.end = end;
    this.tail = "";
    this.log.end(end?.totals);
    this.#finish();
  }

  /** A poll takes the result. False: someone has it already. */
  consume(nowMs: number): boolean {
    if (this.delivery !== "none" && this.delivery !== "queued") return false;
    this.delivery = "consumed";
    this.takenAtMs = nowMs;
    return true;
  }

  /** The result as it is delivered. */
  toDelivery(): JobDelivery {
    const { view } = this;
    return { deliveryId: this.runKey, job: view, text: endedText(view, this.text, view.artifactId) };
  }
}

/** Who hears of what a job's work says early. */
export interface EntryListeners {
  onArtifact: () => void;
  onWaiting: (waiting: TaskWaiting) => void;
}

/** A job, and the command as it was given. */
export interface OwnedJob {
  job: JobView;
  command: string;
}

export function toOwnedJob({ view, command }: JobEntry): OwnedJob {
  return { job: view, command };
}

/** Work that is no job yet: it has no id. */
export function newEntry({ command, owner, title, onStop, delivers }: JobOptions, nowMs: number): JobEntry {
  const view: JobView = {
    id: "",
    type: "bash",
    state: "running",
    label: jobLabel(command),
    startedAtMs: nowMs,
    ...(owner === undefined ? {} : { owner }),
    ...(title === undefined ? {} : { title }),
  };
  const entry = new JobEntry(view, randomUUID(), command);
  entry.onStop = onStop;
  entry.delivers = delivers;
  return entry;
}

/** What is kept on disk. */
export function toRecord({ view, delivery, text, runKey }: JobEntry, host: HostIdentity): JobRecord {
  return { version: 1, deliveryId: runKey, job: view, delivery, text, host };
}

/** Ends what an ended job left running, and says how many processes that were. */
export async function stopSurvivors(entry: JobEntry): Promise<number> {
  const { survivors = [], ...view } = entry.view;
  const stop = entry.end?.stopSurvivors;
  if (survivors.length === 0 || stop === undefined) return 0;
  if (!(await settlesWithin(stop(), SURVIVORS_BOUND_MS))) return 0;
  entry.view = view;
  return survivors.length;
}

/** The view of a job that has ended. Without an end its work failed, or was given up. */
export function settledView(entry: JobEntry, end: JobEnd | undefined, nowMs: number): JobView {
  const { artifactId: _, ...view } = entry.view;
  const survivors = end?.survivors ?? [];
  return {
    ...view,
    state: endState(entry, end),
    endedAtMs: Math.max(nowMs, view.startedAtMs),
    ...(end?.exitCode === undefined || entry.isCancelled ? {} : { exitCode: end.exitCode }),
    ...(end?.signal === undefined ? {} : { signal: end.signal }),
    ...(end?.stopped === undefined ? {} : { stopped: end.stopped }),
    ...(end?.artifactId === undefined ? {} : { artifactId: end.artifactId }),
    ...(survivors.length === 0 ? {} : { survivors }),
    ...(end?.usage === undefined ? {} : { usage: end.usage }),
  };
}

/** The job of a host that is gone: its result, or the word that it is lost. */
export function restoredEntry(record: JobRecord, nowMs: number): JobEntry {
  const isLost = record.job.endedAtMs === undefined;
  const isCancelled = record.job.state === "cancelled";
  const job: JobView = isLost
    ? { ...record.job, state: isCancelled ? "cancelled" : "failed", isLost, endedAtMs: nowMs }
    : record.job;
  const entry = new JobEntry(job, record.deliveryId, job.label);
  entry.settle(job, isLost ? lostText(job) : record.text, undefined);
  entry.isQuiet = isCancelled;
  const isTaken = record.delivery === "delivered" || record.delivery === "consumed";
  entry.delivery = isTaken ? record.delivery : "none";
  if (isTaken) entry.takenAtMs = nowMs;
  return entry;
}

function endState(entry: JobEntry, end: JobEnd | undefined): JobState {
  if (entry.isCancelled) return "cancelled";
  return end?.exitCode === 0 ? "completed" : "failed";
}
