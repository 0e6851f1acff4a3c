/**
 * The process that one contender lives in: it loads the library, measures what it is asked to, and answers. One process for
 * each contender, so that the memory, the threads and the leftovers of one are not those of another.
 *
 *   node dist/host.js ID [READER]     asked and answering over the channel to its parent
 */

import type { Contender, Runner } from "./contender.ts";
import { load } from "./contenders.ts";
import type { Answer, Request } from "./host-messages.ts";
import type { Measured } from "./measured.ts";
import { background } from "./measures/background.ts";
import { idle } from "./measures/idle.ts";
import { latency } from "./measures/latency.ts";
import { many } from "./measures/many.ts";
import { memory } from "./measures/memory.ts";
import { Reception } from "./measures/reception.ts";
import { stop } from "./measures/stop.ts";
import { stream } from "./measures/stream.ts";

const BYTES_PER_MIB = 1024 * 1024;

/** What loading the library took. */
interface Loaded {
  readonly contender: Contender;
  readonly importMs: number;
  readonly rssMib: number;
}

async function loadTimed(id: string, reader: string | undefined): Promise<Loaded> {
  const before = process.memoryUsage.rss();
  const start = performance.now();
  const contender = await load(id, reader);
  const importMs = performance.now() - start;
  return { contender, importMs, rssMib: (process.memoryUsage.rss() - before) / BYTES_PER_MIB };
}

async function measure(request: Request, loaded: Loaded, runner: Runner): Promise<Measured> {
  switch (request.kind) {
    case "first": {
      const reception = new Reception();
      const start = performance.now();
      const ended = await runner.run(request.workload.command, { take: (text) => void reception.take(text) });
      const samples = { import: [loaded.importMs], first: [performance.now() - start], rss: [loaded.rssMib] };
      return { samples, faults: reception.faults(request.workload.expected, ended) };
    }
    case "latency":
      return latency(runner, request.workload, request.times, request.forMs);
    case "stream":
      return stream(runner, request.workload, request);
    case "stop":
      return stop(runner, request.folder);
    case "memory":
      return memory(runner, request.workload);
    case "background":
      return background(runner, request.workload);
    case "many":
      return many(loaded.contender, request.count);
    case "idle":
      return idle(loaded.contender, request.count, request.hasSessions);
  }
}

function answer(message: Answer): void {
  process.send?.(message);
}

function failed(error: unknown): Measured {
  const text = error instanceof Error ? error.message : String(error);
  return { samples: {}, faults: [{ kind: "failed", amount: 1, text }], isSpent: true };
}

async function main(): Promise<void> {
  const [id = "", reader] = process.argv.slice(2);
  const loaded = await loadTimed(id, reader);
  const runner = loaded.contender.open();
  process.on("message", (message: Request | "close") => {
    if (message === "close") {
      void runner.close().finally(() => process.exit(0));
      return;
    }
    void measure(message, loaded, runner)
      .catch(failed)
      .then((measured) => answer({ kind: "measured", measured }));
  });
  answer({ kind: "ready" });
}

main().catch((error: unknown) => {
  answer({ kind: "measured", measured: failed(error) });
});
