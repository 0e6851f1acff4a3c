/** Samples of one contender in one scenario, and what is told of them. */

/** One measured quantity, in the unit of its scenario. */
export interface Figures {
  readonly contender: string;
  readonly best: number;
  readonly p50: number;
  readonly p90: number;
  /** What was delivered was right in every round. */
  readonly correct: boolean;
}

/** Sorts samples into figures. Throws without samples. */
export function figuresOf(contender: string, samples: readonly number[], correct: boolean): Figures {
  const sorted = [...samples].sort((left, right) => left - right);
  const at = (share: number): number => {
    const sample = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
    if (sample === undefined) throw new RangeError(`no samples of ${contender}`);
    return sample;
  };
  return { contender, best: at(0), p50: at(0.5), p90: at(0.9), correct };
}

/** The figures as lines of a table; the ratio is that of the best rounds to the first row's. */
export function tableOf(unit: string, rows: readonly Figures[]): string[] {
  const width = Math.max(...rows.map((row) => row.contender.length));
  const reference = rows[0]?.best ?? 0;
  const number = (value: number): string => value.toFixed(value < 10 ? 3 : 1).padStart(10);
  const head = `${"".padEnd(width)} ${`best ${unit}`.padStart(10)} ${"p50".padStart(10)} ${"p90".padStart(10)} ${"ratio".padStart(8)}`;
  return [
    head,
    ...rows.map((row) => {
      const ratio = reference > 0 ? (row.best / reference).toFixed(2) : "-";
      const note = row.correct ? "" : "  WRONG OUTPUT";
      return `${row.contender.padEnd(width)} ${number(row.best)} ${number(row.p50)} ${number(row.p90)} ${ratio.padStart(8)}${note}`;
    }),
  ];
}
