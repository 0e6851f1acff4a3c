/** Samples of one contender in one quantity, and what is reported of them. */
import type { Entry } from "./contenders.ts";
import type { Fault, FaultKind } from "./measured.ts";

/** What is reported of one contender in one quantity, in that quantity's unit. */
export interface Row {
  readonly contender: string;
  readonly side: Entry["side"];
  /** Absent: there is no sample. */
  readonly figures?: Figures;
  /** Best to the best of the first row; absent where one of them has none. */
  readonly ratio?: number;
  /** The limit's best to its best: 1 is as fast as the machine can; absent where there is no limit. */
  readonly ofLimit?: number;
  /** What was not as it should be, or empty. */
  readonly note: string;
}

/** Order statistics of samples. */
export interface Figures {
  readonly samples: number;
  readonly best: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Sorts samples into figures; `undefined` without samples. The lowest is the best. */
export function figuresOf(samples: readonly number[]): Figures | undefined {
  const sorted = [...samples].sort((left, right) => left - right);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  if (sorted.length === 0) return undefined;
  return { samples: sorted.length, best: at(0), p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

/** What one contender gave over all rounds. */
export interface Series {
  readonly entry: Entry;
  /** Samples by quantity. */
  readonly samples: Map<string, number[]>;
  /** Faults of each round. */
  readonly rounds: Fault[][];
}

/** The rows of one quantity, in the order of the series; the first is what others are compared with. */
export function rowsOf(series: readonly Series[], key: string): Row[] {
  const all = series.map(({ entry, samples, rounds }) => ({
    entry,
    note: noteOf(rounds),
    figures: figuresOf(samples.get(key) ?? []),
  }));
  const reference = all[0]?.figures?.best;
  const limit = all.find(({ entry }) => entry.side === "limit")?.figures?.best;
  return all.map(({ entry, note, figures }) => ({
    contender: entry.name,
    side: entry.side,
    ...(figures === undefined ? {} : { figures }),
    ...(figures !== undefined && reference ? { ratio: figures.best / reference } : {}),
    ...(figures !== undefined && limit !== undefined ? { ofLimit: limit / figures.best } : {}),
    note,
  }));
}

/** How a fault is worded; `most` is the largest amount of one. */
const WORDS: Readonly<Record<FaultKind, (most: number, text: string) => string>> = {
  lost: (most) => `lost up to ${most.toLocaleString("en")} characters`,
  added: (most) => `up to ${most.toLocaleString("en")} characters too many`,
  altered: () => "another text",
  status: (most) => (most === -1 ? "no exit status" : `exit status ${most}`),
  answers: (most) => `up to ${most.toLocaleString("en")} wrong answers`,
  alive: (most) => `left up to ${most} alive`,
  unsettled: (most) => `not settled after ${most / 1000} s`,
  unusable: () => "of no use afterwards",
  failed: (_most, text) => `failed: ${text}`,
};

/** Faults in words, with the number of rounds that had them; empty when there were none. */
export function noteOf(rounds: readonly (readonly Fault[])[]): string {
  const kinds = new Set(rounds.flatMap((faults) => faults.map(({ kind }) => kind)));
  const notes = [...kinds].map((kind) => {
    const having = rounds.filter((faults) => faults.some((fault) => fault.kind === kind));
    const same = having.flat().filter((fault) => fault.kind === kind);
    const most = Math.max(...same.map(({ amount }) => amount));
    return `${WORDS[kind](most, same[0]?.text ?? "")} (${having.length} of ${rounds.length} rounds)`;
  });
  return notes.join("; ");
}

/** A number as tables show it: three digits that matter. */
export function shown(value: number): string {
  if (value >= 99.95) return Math.round(value).toLocaleString("en");
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(value >= 0.9995 ? 2 : 3);
}
