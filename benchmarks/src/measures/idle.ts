/** Idle: what each of many sessions that do nothing costs the host in KiB and threads, and in KiB of processes. */
import { setTimeout as pause } from "node:timers/promises";
import type { Contender } from "../contender.ts";
import type { Measured } from "../measured.ts";
import { descendantsMib, threads } from "./processes.ts";

const BYTES_PER_KIB = 1024;
const KIB_PER_MIB = 1024;

/** Time for what is warmed in the background to stand, in milliseconds. */
const REST_MS = 1_000;

/** Longest wait for all programs to stand. */
const START_MS = 60_000;

/** Opens `count` runners; each has answered a command (a session) or waits for input (a program on a terminal). */
export async function idle(contender: Contender, count: number, hasSessions: boolean): Promise<Measured> {
  const controller = new AbortController();
  const before = { rss: process.memoryUsage.rss(), threads: threads() };
  const runners = Array.from({ length: count }, () => contender.open());
  const ends: Promise<unknown>[] = [];
  let standing = 0;
  for (const runner of runners) {
    if (hasSessions) await runner.run("true", { take: () => undefined });
    else {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, START_MS).unref();
        const take = (text: string) => {
          if (text.includes("up")) resolve();
          return undefined;
        };
        ends.push(runner.run("echo up; read -r line", { signal: controller.signal, take }).catch(() => undefined));
      });
    }
    standing += 1;
  }
  await pause(REST_MS);
  const samples = {
    host: [(process.memoryUsage.rss() - before.rss) / BYTES_PER_KIB / standing],
    threads: [(threads() - before.threads) / standing],
    processes: [(descendantsMib() * KIB_PER_MIB) / standing],
  };
  controller.abort();
  await Promise.race([Promise.all(ends), pause(START_MS, undefined, { ref: false })]);
  await Promise.all(runners.map((runner) => runner.close()));
  return { samples, faults: [] };
}
