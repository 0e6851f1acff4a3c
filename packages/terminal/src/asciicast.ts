/**
 * The lines of a terminal's record in the form asciicast v2: made of events, and read back with what is wrong named.
 *
 * The form is asciinema's: a JSON object with the size, then an array `[seconds, code, data]` a line
 * (https://docs.asciinema.org/manual/asciicast/v2/). Files are opened and played elsewhere.
 */

/** The version of the form that is written and read. */
const VERSION = 2;
/** Largest size that is read, in cells: a record is hostile, and its screen is allocated. */
const MAX_CELLS = 1_000;

/** What a record begins with. */
export interface CastHeader {
  readonly width: number;
  readonly height: number;
  /** When it began, in seconds since the Unix epoch. */
  readonly timestamp?: number | undefined;
  readonly command?: string | undefined;
}

/** `o`: the program wrote; `i`: it was typed to; `r`: another size, `COLSxROWS`; `m`: a marker. */
export type CastCode = "o" | "i" | "r" | "m";

/** One event. */
export interface CastEvent {
  /** Seconds since the beginning. */
  readonly seconds: number;
  /** Another code than {@link CastCode} is of a newer form: players pass over it. */
  readonly code: string;
  readonly data: string;
}

/** A record that cannot be read; the message names the line. */
export class CastError extends Error {
  readonly code = "PI_CAST";

  constructor(line: number, problem: string) {
    super(`line ${line}: ${problem}`);
    this.name = "CastError";
  }
}

/** The first line, without its end. */
export function castHeader({ width, height, timestamp, command }: CastHeader): string {
  return JSON.stringify({ version: VERSION, width, height, timestamp, command, env: { TERM: "xterm-256color" } });
}

/** The line of an event, without its end. */
export function castEvent(seconds: number, code: CastCode, data: string): string {
  return JSON.stringify([Math.round(seconds * 1e6) / 1e6, code, data]);
}

/** Reads the first line. Throws {@link CastError}. */
export function readCastHeader(text: string): CastHeader {
  const value = jsonOf(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CastError(1, "is not the header of an asciicast, a JSON object");
  }
  const { version, width, height, timestamp, command } = value as Readonly<Record<string, unknown>>;
  if (version !== VERSION)
    throw new CastError(1, `is of version ${String(version)}; asciicast version 2 can be played`);
  if (!isSize(width) || !isSize(height)) throw new CastError(1, `has no width and height of 1 to ${MAX_CELLS}`);
  return {
    width,
    height,
    timestamp: typeof timestamp === "number" ? timestamp : undefined,
    command: typeof command === "string" ? command : undefined,
  };
}

/** Reads a line after the first; `number` is the line's, from 1. Throws {@link CastError}. */
export function readCastEvent(text: string, number: number): CastEvent {
  const value = jsonOf(text);
  const [seconds, code, data] = Array.isArray(value) ? (value as unknown[]) : [];
  if (typeof seconds !== "number" || !(seconds >= 0) || typeof code !== "string" || typeof data !== "string") {
    throw new CastError(number, "is not an event, `[seconds, code, data]`");
  }
  return { seconds, code, data };
}

/** The size that an `r` event names; undefined where it names none. */
export function castSize(data: string): { cols: number; rows: number } | undefined {
  const [, cols, rows] = /^(\d{1,4})x(\d{1,4})$/.exec(data)?.map(Number) ?? [];
  return isSize(cols) && isSize(rows) ? { cols, rows } : undefined;
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MAX_CELLS;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
