/** What a scenario is, and the parts that several are made of. */
import type { Entry } from "./contenders.ts";
import type { Request } from "./host-messages.ts";

/** Something that is measured; less is better. */
export interface Quantity {
  readonly key: string;
  readonly title: string;
  readonly unit: string;
}

/** One scenario. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** What happens, for who reads the figures. */
  readonly about: string;
  readonly quantities: readonly Quantity[];
  readonly rounds: number;
  /** Every round has hosts of its own. */
  readonly isFresh: boolean;
  readonly takesPart: (entry: Entry) => boolean;
  readonly request: (entry: Entry) => Request;
  /** Asked once before the rounds, for its faults only. */
  readonly check?: (entry: Entry) => Request;
  /** Longest wait for one round, in milliseconds. */
  readonly patienceMs: number;
}

/** Sizes of a run. */
export interface Sizes {
  readonly rounds: number;
  /** Commands of a round of a latency at least. */
  readonly times: number;
  /** Milliseconds that such a round has at least. */
  readonly roundMs: number;
  readonly streamMib: number;
  readonly terminalMib: number;
  readonly loopMib: number;
  readonly memoryMib: number;
  readonly artifactMib: number;
  readonly many: number;
}

/**
 * A scenario whose hosts live as long as it does, with a patience of two minutes, unless it says otherwise. A contender that
 * names its scenarios is in these, whatever `takesPart` says.
 */
export function base(scenario: Omit<Scenario, "isFresh" | "patienceMs"> & Partial<Scenario>): Scenario {
  const takesPart = (entry: Entry): boolean => entry.only?.includes(scenario.name) ?? scenario.takesPart(entry);
  return { isFresh: false, patienceMs: 120_000, ...scenario, takesPart };
}

/** Whose output goes through a pipe. */
export function isPipe({ kind, isForLatency }: Entry): boolean {
  return kind === "pipe" && isForLatency !== true;
}

/** The same, and those that are for latencies only. */
export function isPipeOfAnyUse({ kind }: Entry): boolean {
  return kind === "pipe";
}

/** Whose programs have a terminal. */
export function isTerminal({ kind }: Entry): boolean {
  return kind === "pty";
}

/** No one but those that name the scenario. */
export function isNamed(): boolean {
  return false;
}

/** Everyone but the readers in C, which run one command and nothing else. */
export function isNoLimit({ side, isForLatency }: Entry): boolean {
  return side !== "limit" && isForLatency !== true;
}
