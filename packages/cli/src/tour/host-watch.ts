/**
 * What a run costs the process that asked for it: memory on top, and how long its event loop stood still.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";

export const MEBIBYTE = 1024 * 1024;
export const GIBIBYTE = 1024 * MEBIBYTE;

/** Time between two looks at the memory, in milliseconds: short against a run, cheap against its work. */
const SAMPLE_MS = 10;
const NANOSECONDS_PER_MS = 1e6;

/** What was seen between `watchHost` and `stop`. */
export interface HostCost {
  /** Highest resident memory minus that at the start, in bytes; never negative. */
  grownBytes: number;
  /** The longest the event loop was late by, in whole milliseconds. */
  longestPauseMs: number;
}

export interface HostWatch {
  stop(): HostCost;
}

export function watchHost(): HostWatch {
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  const before = process.memoryUsage.rss();
  let highest = before;
  const look = () => {
    highest = Math.max(highest, process.memoryUsage.rss());
  };
  const timer = setInterval(look, SAMPLE_MS);
  delay.enable();
  return {
    stop() {
      clearInterval(timer);
      delay.disable();
      look();
      // The histogram holds the timer's own interval too; only what is on top of it is a pause.
      const latestMs = delay.max / NANOSECONDS_PER_MS - SAMPLE_MS;
      return { grownBytes: highest - before, longestPauseMs: Math.max(0, Math.round(latestMs)) };
    },
  };
}
