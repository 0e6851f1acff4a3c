/** Scenarios about the life of commands: how they begin, how they end, and what many of them cost. */
import { base, isNoLimit, type Scenario, type Sizes } from "./scenario.ts";
import { printing } from "./workload.ts";

/** The abort of a tree. */
export function stopping(folder: string, { rounds }: Sizes): Scenario {
  return base({
    name: "stop",
    title: "Abort of a tree",
    about:
      "Three levels; one process ignores SIGTERM and SIGHUP, one has a session of its own, one is a daemon. Whoever lives on a second after the end counts as left alive.",
    quantities: [
      { key: "settled", title: "abort to settled promise", unit: "ms" },
      { key: "dead", title: "abort to the last dead process, where all died", unit: "ms" },
    ],
    rounds: Math.min(rounds, 3),
    takesPart: isNoLimit,
    request: () => ({ kind: "stop", folder }),
  });
}

/** A child that holds the pipe. */
export function backgroundChild(): Scenario {
  return base({
    name: "background",
    title: "`sleep 5 & echo done`",
    about: "A child in the background holds the pipe; a terminal ends its own.",
    quantities: [
      { key: "settled", title: "call to settled promise", unit: "ms" },
      { key: "alive", title: "children that live on", unit: "count" },
    ],
    rounds: 2,
    takesPart: isNoLimit,
    request: (entry) => ({ kind: "background", workload: printing("", entry.kind === "pty" ? "done\r\n" : "done\n") }),
  });
}

/** The first command of a process. */
export function coldStart({ rounds }: Sizes): Scenario {
  const pipe = printing("echo hi", "hi\n");
  const terminal = printing("echo hi", "hi\r\n");
  return base({
    name: "cold",
    title: "Cold start",
    about: "Each round in a new process.",
    quantities: [
      { key: "import", title: "import of the library", unit: "ms" },
      { key: "first", title: "first command after it", unit: "ms" },
      { key: "rss", title: "memory taken by the import", unit: "MiB" },
    ],
    rounds,
    isFresh: true,
    takesPart: isNoLimit,
    request: (entry) => ({ kind: "first", workload: entry.kind === "pty" ? terminal : pipe }),
  });
}

/** Many commands at once. */
export function manyAtOnce({ many }: Sizes): Scenario {
  return base({
    name: "many",
    title: `${many} at once`,
    about:
      "`/bin/sleep 0.2; echo number N`, each in a session of its own where there are sessions, their start included.",
    quantities: [
      { key: "wall", title: "until all have settled", unit: "ms" },
      { key: "threads", title: "threads of the host at most", unit: "count" },
    ],
    rounds: 2,
    isFresh: true,
    takesPart: isNoLimit,
    request: () => ({ kind: "many", count: many }),
  });
}

/** Many that do nothing. */
export function idleOnes({ many }: Sizes): Scenario {
  return base({
    name: "idle",
    title: `${many} that do nothing`,
    about: "Sessions that have run one command; programs on a terminal that wait for input. For each of them:",
    quantities: [
      { key: "host", title: "memory of the host", unit: "KiB" },
      { key: "processes", title: "memory of its processes", unit: "KiB" },
      { key: "threads", title: "threads of the host", unit: "count" },
    ],
    rounds: 1,
    isFresh: true,
    takesPart: (entry) => isNoLimit(entry) && (entry.hasSessions || entry.kind === "pty"),
    request: ({ hasSessions }) => ({ kind: "idle", count: many, hasSessions }),
  });
}
