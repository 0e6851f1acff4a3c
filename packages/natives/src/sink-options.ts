/**
 * How much of an output is kept, and where the whole goes: the options of a sink, checked, and their form for the addon.
 */
import { MAX_TIMER_MS } from "@pi-bash/contract/internal/abort";
import {
  absent,
  checkAbsolutePath,
  checkFunction,
  checkKnown,
  checkObject,
  checkWhole,
  readOnce,
} from "./check-option.ts";
import type { SinkRequest } from "./generated/binding.d.ts";

/** The newest tail of a run's output, and how much there was so far. */
export type SinkUpdateListener = (tail: string, totals: { readonly bytes: number; readonly lines: number }) => unknown;

/** How much of the output is kept in memory, and where the whole goes. */
export interface SinkOptions {
  /** Most bytes of text kept, head and tail together. Default 51,200. */
  readonly maxBytes?: number;
  /** Bytes kept from the beginning. Default 0; at most half of `maxBytes` is used. */
  readonly headBytes?: number;
  /** Longest line shown, in bytes; longer ones are cut in the middle. Default: no limit. The spill file has them whole. */
  readonly maxLineBytes?: number;
  /** File for the raw bytes, made when the output exceeds `maxBytes`; it must not exist. Default: no file. */
  readonly spillPath?: string;
  /** Make that file with the first byte, and at the end in any case: for readers that follow it. Default false. */
  readonly spillFromStart?: boolean;
  /** Most bytes written to that file. Default: no limit. */
  readonly spillMaxBytes?: number;
  /** Least milliseconds between two updates. Default 50. */
  readonly throttleMs?: number;
  /** Remove colours, cursor movement and control characters, and show of a progress line what a terminal would. Default true. */
  readonly plainText?: boolean;
  /** Mask in the spill file too what is masked in the text: it is not exact then. Default false. */
  readonly maskSpill?: boolean;
  /** Called with the newest tail: at once, then at most every `throttleMs`; a slow listener misses older ones. */
  readonly onUpdate?: SinkUpdateListener;
}

/** Largest window, in bytes, which is the core's own bound: 64 MiB. */
const MAX_WINDOW_BYTES = 64 * 1024 * 1024;

/** Names of a sink's options. */
export const SINK_NAMES = [
  "maxBytes",
  "headBytes",
  "maxLineBytes",
  "spillPath",
  "spillFromStart",
  "spillMaxBytes",
  "throttleMs",
  "plainText",
  "maskSpill",
  "onUpdate",
] as const satisfies readonly (keyof SinkOptions)[];

/** A sink's options, each read once. `name` stands for them in errors. */
export function readSink(name: string, options: SinkOptions): SinkOptions {
  checkObject(name, options);
  checkKnown(name, options, SINK_NAMES);
  return readOnce(name, options, SINK_NAMES);
}

/** The addon's form of a sink's options. `prefix` stands before the names in errors. */
export function toSinkRequest(options: SinkOptions, prefix: string): SinkRequest {
  checkObject(prefix === "" ? "options" : "sink", options);
  checkFunction(`${prefix}onUpdate`, options.onUpdate);
  const size = (name: keyof SinkOptions, most: number) => {
    const value = options[name];
    return absent(value) ? {} : { [name]: checkWhole(`${prefix}${name}`, value, 0, most) };
  };
  return {
    ...size("maxBytes", MAX_WINDOW_BYTES),
    ...size("headBytes", MAX_WINDOW_BYTES),
    ...size("maxLineBytes", MAX_WINDOW_BYTES),
    ...size("spillMaxBytes", Number.MAX_SAFE_INTEGER),
    ...size("throttleMs", MAX_TIMER_MS),
    ...(absent(options.spillPath) ? {} : { spillPath: checkAbsolutePath(`${prefix}spillPath`, options.spillPath) }),
    ...(absent(options.spillFromStart) ? {} : { spillFromStart: options.spillFromStart === true }),
    ...(absent(options.plainText) ? {} : { plainText: options.plainText === true }),
    ...(absent(options.maskSpill) ? {} : { maskSpill: options.maskSpill === true }),
  };
}
