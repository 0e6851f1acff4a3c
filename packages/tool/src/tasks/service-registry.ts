/**
 * The services of a host: which name is whose, and that a name has one service at a time.
 *
 * Kept beside the job manager, since whoever shares its jobs shares its services. What has ended is forgotten with its job.
 */
import { MAX_SERVICES } from "@pi-bash/contract/internal";
import type { JobManager } from "@pi-bash/executor";
import { ToolError } from "../tool-error.ts";
import type { Service } from "./service.ts";
import { RESTART_LIMITS, type RestartLimits } from "./service-restarts.ts";

/** Ended services whose names are still remembered, the oldest go first. */
const MAX_ENDED = 100;

export class Services {
  /** How often each of them may be started again. */
  readonly limits: RestartLimits;
  #all: Service[] = [];
  /** The last call about each name: the next one waits for it. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(limits: RestartLimits) {
    this.limits = limits;
  }

  /** The service of that name that runs, or will run again, of one of these owners. */
  live(name: string, isInScope: (owner: string | undefined) => boolean): Service | undefined {
    return this.#all.find((service) => service.name === name && service.isLive && isInScope(service.owner));
  }

  /** The service whose newest job that is. */
  ofJob(jobId: string): Service | undefined {
    return this.#all.findLast((service) => service.jobId === jobId);
  }

  /** Counts a service in. Throws `ToolError` where there are too many. */
  add(service: Service): void {
    const live = this.#all.filter((each) => each.isLive);
    if (live.length >= MAX_SERVICES) {
      const names = live.map(({ name }) => name).join(", ");
      throw new ToolError(`${MAX_SERVICES} services run already: ${names}. End one with task_terminate first.`);
    }
    const ended = this.#all.filter((each) => !each.isLive);
    const forgotten = new Set(ended.slice(0, Math.max(0, ended.length - MAX_ENDED)));
    this.#all = [...this.#all.filter((each) => !forgotten.has(each)), service];
  }

  /** It was never started. */
  remove(service: Service): void {
    this.#all = this.#all.filter((each) => each !== service);
  }

  /** Does the work when no other call looks for or starts a service of that name: there are never two of one. */
  async inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(name) ?? Promise.resolve();
    const turn = before.then(work, work);
    const settled = turn.catch(() => undefined);
    this.#turns.set(name, settled);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(name) === settled) this.#turns.delete(name);
    }
  }
}

const known = new WeakMap<JobManager, Services>();

/** The services beside a job manager. `limits`: where they are asked for first; other ones are for tests. */
export function servicesOf(manager: JobManager, limits: RestartLimits = RESTART_LIMITS): Services {
  const services = known.get(manager) ?? new Services(limits);
  known.set(manager, services);
  return services;
}
