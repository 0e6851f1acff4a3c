/**
 * One watch: an expression on the output of a job, whose matches are brought to an owner.
 *
 * It reads whenever the job has written, gathers what matches for a moment, and gives it to the job's news: at once, or to go
 * with whatever is next. While the rate is used up, matches are counted and named by their lines. A watch holds its job's result
 * back until its last lines are queued before it.
 */
import type { JobEntry } from "./job-entry.ts";
import type { LogFilter } from "./log-reader.ts";
import { MonitorEvent, type UnshownMatches } from "./monitor-event.ts";
import type { TurnBucket } from "./monitor-rate.ts";
import { type LinePlace, lastPlace, type MatchedLine, type MatchReading, readMatchesFrom } from "./monitor-reader.ts";

/** Matches are reported this long after the last one, in milliseconds. */
const SETTLE_MS = 200;
/** And at most this long after the first one, in milliseconds. */
const LONGEST_SETTLE_MS = 1_000;
/** After so long without enough turns a watch starts none any more, in milliseconds. */
const DEMOTE_MS = 30_000;
/** Time without a match that had to wait, after which that is over, in milliseconds. */
const CALM_MS = 10_000;

/** What a watch does with matches: start a turn, or go with the next one. */
export type MonitorMode = "wake" | "quiet";

/** Matches as they are described to an owner. */
export interface MonitorNews {
  jobId: string;
  /** Name or label of the job. */
  name: string;
  /** The artifact with the whole output. */
  artifactId: string | undefined;
  filter: string;
  lines: readonly MatchedLine[];
  unshown: UnshownMatches | undefined;
  /** There were too many turns: from here on it starts none. */
  isDemoted: boolean;
}

/** What a watch is asked for with. */
export interface MonitorOptions {
  /** Who reads; each reader and expression has one place in the output, whether it waits or watches. */
  reader: string;
  /** RE2. */
  filter: string;
  mode: MonitorMode;
  /** Makes the text for the owner. */
  describe: (news: MonitorNews) => string;
}

export interface MonitorPort {
  bucket: TurnBucket;
  /** Milliseconds of a clock that only goes forward. */
  now: () => number;
  /** Queues a text for the job's owner; `merge` is given the unsent one of before. */
  put(news: { key: string; isQuiet: boolean; text: (earlier: string | undefined) => string }): void;
  /** The watch is over. */
  over(): void;
}

export class Monitor {
  mode: MonitorMode;
  readonly #entry: JobEntry;
  readonly #filter: LogFilter;
  readonly #options: MonitorOptions;
  readonly #port: MonitorPort;
  readonly #stopped = new AbortController();
  readonly #whenStopped = new Promise<void>((resolve) => {
    this.#stopped.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  readonly #cursorKey: string;
  #place: LinePlace = { offset: 0, lines: 0, barren: 0 };
  #gathered = new MonitorEvent();
  #firstAtMs = 0;
  #timer: NodeJS.Timeout | undefined;
  /** What was queued and not sent. */
  #event = new MonitorEvent();
  #suppressed: UnshownMatches | undefined;
  #sinceMs: number | undefined;
  #lastSuppressedMs = 0;
  #reading: Promise<void> | undefined;
  #mustReadAgain = false;
  #offNews: () => unknown = () => undefined;

  constructor(entry: JobEntry, filter: LogFilter, options: MonitorOptions, port: MonitorPort) {
    this.#entry = entry;
    this.#filter = filter;
    this.#options = options;
    this.#port = port;
    this.mode = options.mode;
    this.#cursorKey = JSON.stringify([options.reader, options.filter, false]);
  }

  /** Begins at the reader's place, or after what is there. Number of the first line that is looked at. */
  async begin(): Promise<number> {
    this.#entry.watch();
    const cursor = this.#entry.log.cursor(this.#cursorKey);
    if (cursor.offset === 0) {
      this.#place = await lastPlace(this.#entry.log).catch(() => this.#place);
      cursor.offset = this.#place.offset;
    } else {
      await this.#passOver(cursor.offset);
    }
    const from = this.#place.lines + 1;
    this.#offNews = this.#entry.log.onNews(() => this.#read());
    void this.#entry.whenEnded().then(() => this.#finish());
    this.#read();
    return from;
  }

  /** Ends it; what was gathered and not delivered goes with it. */
  stop(): void {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    clearTimeout(this.#timer);
    this.#offNews();
    this.#entry.unwatch();
    this.#port.over();
  }

  #read(): void {
    if (this.#reading !== undefined) {
      this.#mustReadAgain = true;
      return;
    }
    this.#mustReadAgain = false;
    this.#reading = this.#readAll()
      // A file that cannot be read now is tried again with the next news.
      .catch(() => undefined)
      .finally(() => {
        this.#reading = undefined;
        if (this.#mustReadAgain && !this.#stopped.signal.aborted) this.#read();
      });
  }

  /** Reads what is there. Whoever waits with the same expression is notified of its lines first. */
  async #readAll(): Promise<void> {
    const cursor = this.#entry.log.cursor(this.#cursorKey);
    const { signal } = this.#stopped;
    if (!(await cursor.hold(this.#whenStopped))) return;
    try {
      await this.#passOver(cursor.offset);
      await readMatchesFrom(this.#entry.log, this.#place, this.#filter, ({ matches, place }) => {
        if (signal.aborted) return false;
        this.#place = place;
        if (place.offset > cursor.offset) {
          Object.assign(cursor, { offset: place.offset, line: place.lines, barren: 0 });
        }
        this.#gather(matches);
        return true;
      });
    } finally {
      cursor.free();
    }
  }

  /** Counts lines that a call has been given. */
  async #passOver(offset: number): Promise<void> {
    if (this.#place.offset >= offset) return;
    const pass = ({ place }: MatchReading): boolean => {
      this.#place = place;
      return true;
    };
    await readMatchesFrom(this.#entry.log, this.#place, NO_LINES, pass, offset);
  }

  #gather(matches: readonly MatchedLine[]): void {
    if (matches.length === 0) return;
    const now = this.#port.now();
    if (this.#gathered.all === undefined) this.#firstAtMs = now;
    for (const match of matches) this.#gathered.add(match);
    clearTimeout(this.#timer);
    const leftMs = this.#firstAtMs + LONGEST_SETTLE_MS - now;
    if (leftMs <= 0) {
      this.#tell(false);
      return;
    }
    this.#timer = setTimeout(() => this.#tell(false), Math.min(SETTLE_MS, leftMs));
    this.#timer.unref();
  }

  /** The job has ended: its last lines go before its result. */
  async #finish(): Promise<void> {
    while (this.#reading !== undefined) await this.#reading;
    if (!this.#stopped.signal.aborted) {
      await this.#readAll().catch(() => undefined);
      this.#tell(true);
    }
    this.stop();
  }

  #tell(isLast: boolean): void {
    clearTimeout(this.#timer);
    const found = this.#gathered;
    const { all } = found;
    this.#gathered = new MonitorEvent();
    if (this.#stopped.signal.aborted || this.#entry.isQuiet) return;
    if (all === undefined && (!isLast || this.#suppressed === undefined)) return;
    if (this.mode === "quiet" || isLast || this.#port.bucket.take()) {
      this.#put(found, { isQuiet: this.mode === "quiet", isDemoted: false });
      return;
    }
    if (all !== undefined) this.#suppress(all);
  }

  #suppress(more: UnshownMatches): void {
    const now = this.#port.now();
    if (this.#sinceMs === undefined || now - this.#lastSuppressedMs > CALM_MS) this.#sinceMs = now;
    this.#lastSuppressedMs = now;
    const before = this.#suppressed;
    this.#suppressed =
      before === undefined ? more : { count: before.count + more.count, first: before.first, last: more.last };
    if (now - this.#sinceMs < DEMOTE_MS) return;
    this.mode = "quiet";
    this.#put(new MonitorEvent(), { isQuiet: false, isDemoted: true });
  }

  #put(found: MonitorEvent, { isQuiet, isDemoted }: { isQuiet: boolean; isDemoted: boolean }): void {
    this.#port.put({
      key: `watch:${this.#cursorKey}`,
      isQuiet,
      text: (earlier) => {
        if (earlier === undefined) this.#event = new MonitorEvent();
        if (this.#suppressed !== undefined) this.#event.skip(this.#suppressed);
        this.#suppressed = undefined;
        this.#event.take(found);
        const { view } = this.#entry;
        return this.#options.describe({
          jobId: view.id,
          name: view.title ?? view.label,
          artifactId: view.artifactId,
          filter: this.#options.filter,
          lines: this.#event.lines,
          unshown: this.#event.unshown,
          isDemoted,
        });
      },
    });
  }
}

const NO_LINES: LogFilter = { matches: () => false, mayBeIn: () => false, isExcluding: false };
