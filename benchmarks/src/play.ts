/** One scenario with everyone in it: rounds in turn, so that a noisy moment meets all, and what came of it. */
import type { Entry } from "./contenders.ts";
import { type Row, rowsOf, type Series } from "./figures.ts";
import { HostLink } from "./host-link.ts";
import type { Request } from "./host-messages.ts";
import type { Measured } from "./measured.ts";
import type { Quantity, Scenario } from "./scenario.ts";

/** The figures of one scenario. */
export interface Played {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly quantities: readonly (Quantity & { readonly rows: readonly Row[] })[];
}

/** What hosts need. */
export interface Ground {
  /** The reader in C, where it could be compiled. */
  readonly reader: string | undefined;
  /** A home folder with nothing in it. */
  readonly home: string;
}

/** Plays a scenario with those of `entries` that take part. */
export async function play(scenario: Scenario, entries: readonly Entry[], ground: Ground): Promise<Played> {
  const seats = entries.filter(scenario.takesPart).map((entry) => new Seat(entry, scenario, ground));
  try {
    if (scenario.check !== undefined) for (const seat of seats) await seat.check(scenario.check);
    for (let round = 0; round < scenario.rounds; round += 1) for (const seat of seats) await seat.round();
  } finally {
    await Promise.all(seats.map((seat) => seat.leave()));
  }
  const series = seats.map((seat) => seat.series);
  const { name, title, about } = scenario;
  const quantities = scenario.quantities.map((quantity) => ({ ...quantity, rows: rowsOf(series, quantity.key) }));
  return { name, title, about, quantities };
}

/** A contender in a scenario: its host, and what it gave so far. */
class Seat {
  readonly series: Series;
  readonly #scenario: Scenario;
  readonly #ground: Ground;
  #host: HostLink | undefined;

  constructor(entry: Entry, scenario: Scenario, ground: Ground) {
    this.series = { entry, samples: new Map(), rounds: [] };
    this.#scenario = scenario;
    this.#ground = ground;
  }

  /** A round for its faults only. */
  async check(request: NonNullable<Scenario["check"]>): Promise<void> {
    const { faults } = await this.#ask(request(this.series.entry));
    this.series.rounds.push([...faults]);
  }

  async round(): Promise<void> {
    const { samples, faults } = await this.#ask(this.#scenario.request(this.series.entry));
    this.series.rounds.push([...faults]);
    for (const [key, values] of Object.entries(samples)) {
      this.series.samples.set(key, [...(this.series.samples.get(key) ?? []), ...values]);
    }
    if (this.#scenario.isFresh) await this.leave();
  }

  async leave(): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    await host?.close();
  }

  async #ask(request: Request): Promise<Measured> {
    if (this.#host === undefined) {
      const host = await HostLink.start(this.series.entry, this.#ground);
      if (!(host instanceof HostLink)) return { samples: {}, faults: [host] };
      this.#host = host;
    }
    const measured = await this.#host.ask(request, this.#scenario.patienceMs);
    if (measured.isSpent === true) await this.leave();
    return measured;
  }
}
