/**
 * Streaming: processor time of the whole host process and wall time for each MiB, in milliseconds; with `watchesLoop` how
 * late the event loop was meanwhile instead, because the watching costs processor time.
 */
import type { Runner } from "../contender.ts";
import type { Measured } from "../measured.ts";
import type { Workload } from "../workload.ts";
import { DelayWatch } from "./delay-watch.ts";
import { Reception } from "./reception.ts";

/** Runs the command once. `isTimed: false` compares every character and measures nothing. */
export async function stream(
  runner: Runner,
  { command, expected, mib }: Workload,
  { isTimed, watchesLoop }: { isTimed: boolean; watchesLoop: boolean },
): Promise<Measured> {
  const reception = new Reception(!isTimed);
  const watch = watchesLoop ? new DelayWatch() : undefined;
  const before = process.cpuUsage();
  const start = performance.now();
  const ended = await runner.run(command, { take: (text) => void reception.take(text) });
  const wallMs = ended.own?.wallMs ?? performance.now() - start;
  const used = process.cpuUsage(before);
  const cpuMs = ended.own?.cpuMs ?? (used.user + used.system) / 1000;
  const faults = reception.faults(expected, ended);
  if (!isTimed) return { samples: {}, faults };
  if (watch !== undefined) return { samples: watch.stop(), faults };
  return { samples: { cpu: [cpuMs / mib], wall: [wallMs / mib] }, faults };
}
