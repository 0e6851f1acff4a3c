/** What is measured: the scenarios by name; those about latency, streams and memory are here. */
import type { Request } from "./host-messages.ts";
import {
  base,
  isNamed,
  isNoLimit,
  isPipe,
  isPipeOfAnyUse,
  isTerminal,
  type Quantity,
  type Scenario,
  type Sizes,
} from "./scenario.ts";
import { backgroundChild, coldStart, idleOnes, manyAtOnce, stopping } from "./scenarios-of-life.ts";
import { numbersAndExit, oneByteAtATime, printing, streamed, type Workload } from "./workload.ts";

const WHOLE: Sizes = {
  rounds: 5,
  times: 100,
  // Some thousands of a session's commands. Before, most of its JavaScript is not compiled, in a contender that has some.
  roundMs: 300,
  streamMib: 128,
  terminalMib: 32,
  loopMib: 1024,
  memoryMib: 1024,
  artifactMib: 5 * 1024,
  many: 200,
};
const QUICK: Sizes = {
  rounds: 3,
  times: 30,
  roundMs: 0,
  streamMib: 32,
  terminalMib: 8,
  loopMib: 128,
  memoryMib: 128,
  artifactMib: 512,
  many: 50,
};

const MICROS: readonly Quantity[] = [{ key: "micros", title: "call to settled promise", unit: "µs" }];

const COSTS: readonly Quantity[] = [
  { key: "cpu", title: "host processor time", unit: "ms/MiB" },
  { key: "wall", title: "wall time", unit: "ms/MiB" },
];

/** Ten lines of what scripts are made of, without a program but one. */
const SCRIPT = `count=0
add() { count=$((count + $1)); }
for word in alpha beta gamma; do
  case $word in a*) add 1 ;; *) add 10 ;; esac
done
while read -r line; do add "\${#line}"; done <<< $'one\\ntwo'
[[ $count -gt 20 ]] && result=$(printf '%03d' "$count")
/bin/true
echo "$result"`;

/** Scenarios by name, each made when it is played: its files are written then. */
export type Repertoire = ReadonlyMap<string, () => Scenario>;

/** All scenarios, with their files in `folder`. */
export function scenariosIn(folder: string, isQuick: boolean): Repertoire {
  const sizes = isQuick ? QUICK : WHOLE;
  return new Map([
    ...latencies(sizes),
    ...pipeStreams(folder, sizes),
    ...terminalStreams(folder, sizes),
    ...protections(folder, sizes),
    ["loop", () => loop(folder, sizes)],
    ["memory", () => memoryGrowth(folder, sizes)],
    ["artifact", () => artifactGrowth(folder, sizes)],
    ["stop", () => stopping(folder, sizes)],
    ["background", () => backgroundChild()],
    ["cold", () => coldStart(sizes)],
    ["many", () => manyAtOnce(sizes)],
    ["idle", () => idleOnes(sizes)],
  ]);
}

type Listed = [string, () => Scenario];

function latencies({ rounds, times, roundMs }: Sizes): Listed[] {
  const scenario = (name: string, title: string, command: string, text: string): Listed => [
    name,
    () => {
      const workload = printing(command, text);
      const about = `Commands one after another, at least ${times} and for at least ${roundMs} ms in each round.`;
      const request = (): Request => ({ kind: "latency", workload, times, forMs: roundMs });
      // The first commands pay for what is made once.
      return base({
        name,
        title,
        about,
        quantities: MICROS,
        rounds,
        takesPart: isPipeOfAnyUse,
        request,
        check: request,
      });
    },
  ];
  return [
    scenario("builtin", "A builtin: `echo hi`", "echo hi", "hi\n"),
    scenario("nothing", "A builtin: `true`", "true", ""),
    scenario("variable", "A change of state: `x=1`", "x=1", ""),
    scenario("folder", "A change of folder: `cd /tmp && pwd`", "cd /tmp && pwd", "/tmp\n"),
    scenario("external", "A program: `/bin/echo hi`", "/bin/echo hi", "hi\n"),
    scenario("program", "A program that says nothing: `/bin/true`", "/bin/true", ""),
    scenario("script", "A script of ten lines", SCRIPT, "027\n"),
    ["pty-builtin", () => terminalLatency(rounds, Math.ceil(times / 5))],
  ];
}

function terminalLatency(rounds: number, times: number): Scenario {
  const workload = printing("echo hi", "hi\r\n");
  const request = (): Request => ({ kind: "latency", workload, times, forMs: 0 });
  return base({
    name: "pty-builtin",
    title: "`echo hi` on a terminal",
    about: `A terminal for each command, ${times} one after another in each round.`,
    quantities: MICROS,
    rounds,
    takesPart: isTerminal,
    request,
    check: request,
  });
}

function pipeStreams(folder: string, { rounds, streamMib: mib }: Sizes): Listed[] {
  // A round is over in less time than a busy neighbour of the machine is busy for: `best` needs some that met none.
  const times = rounds * 4;
  const scenario = (name: string, title: string, workload: () => Workload): Listed => [
    name,
    () => streaming({ name, title, workload: workload(), rounds: times, takesPart: isPipe }),
  ];
  return [
    scenario("blocks", "One endless line, 128 KiB a write", () => streamed(folder, "blocks", { mib })),
    scenario("lines", "Lines of 80 columns", () => streamed(folder, "lines", { mib })),
    scenario("colour", "Multibyte text in colour", () => streamed(folder, "colour", { mib: mib / 2 })),
    scenario("bytes", "One byte at a time", () => oneByteAtATime(folder, 50_000)),
  ];
}

/** What ours cost with a protection, beside the same without. */
function protections(folder: string, { rounds, times, loopMib: mib }: Sizes): Listed[] {
  const masked = (name: string, title: string): Listed => [
    name,
    () => streaming({ name, title, workload: streamed(folder, "lines", { mib }), rounds, takesPart: isNamed }),
  ];
  return [
    masked("mask", "Masked secrets: lines of 80 columns, the end kept"),
    masked("mask-chunks", "Masked secrets: lines of 80 columns, to a callback"),
    ["confined", () => confined(rounds, times)],
  ];
}

function confined(rounds: number, times: number): Scenario {
  const request = (): Request => ({ kind: "latency", workload: printing("/bin/echo hi", "hi\n"), times, forMs: 0 });
  return base({
    name: "confined",
    title: "A program that only reads: `/bin/echo hi`",
    about: `Commands one after another, ${times} in each round, as any other and read-only.`,
    quantities: MICROS,
    rounds,
    takesPart: isNamed,
    request,
    check: request,
  });
}

function terminalStreams(folder: string, { rounds, terminalMib }: Sizes): Listed[] {
  const size = { mib: terminalMib, isTerminal: true };
  const scenario = (name: string, title: string, workload: () => Workload, times = rounds): Listed => [
    name,
    () => streaming({ name, title, workload: workload(), rounds: times, takesPart: isTerminal }),
  ];
  return [
    scenario("pty-lines", "A terminal: lines of 80 columns", () => streamed(folder, "lines", size)),
    scenario("pty-colour", "A terminal: multibyte text in colour", () => streamed(folder, "colour", size)),
    ["pty-screen", () => onScreen(streamed(folder, "lines", size), rounds)],
    scenario("pty-end", "A terminal: `seq 1 20000; exit 7`", () => numbersAndExit(true), rounds * 4),
  ];
}

function onScreen(workload: Workload, rounds: number): Scenario {
  const title = "A terminal and a screen: lines of 80 columns";
  return streaming({ name: "pty-screen", title, workload, rounds, takesPart: isNamed });
}

function streaming({
  name,
  title,
  workload,
  rounds,
  takesPart,
}: Pick<Scenario, "name" | "title" | "rounds" | "takesPart"> & { workload: Workload }): Scenario {
  const size = workload.mib < 1 ? `${(workload.mib * 1024).toFixed(0)} KiB` : `${workload.mib.toFixed(0)} MiB`;
  const stream = (isTimed: boolean) => (): Request => ({ kind: "stream", workload, isTimed, watchesLoop: false });
  return base({
    name,
    title,
    about: `${size} in each round. Length, end and exit status are compared in every round, every character before them.`,
    quantities: COSTS,
    rounds,
    takesPart,
    request: stream(true),
    check: stream(false),
  });
}

function loop(folder: string, { rounds, loopMib }: Sizes): Scenario {
  const workload = streamed(folder, "lines", { mib: loopMib });
  return base({
    name: "loop",
    title: `The event loop during ${loopMib} MiB`,
    about: "A timer of 1 ms looks how late it is; best is the best round.",
    quantities: [
      { key: "p99", title: "delay, 99th percentile of a round", unit: "ms" },
      { key: "max", title: "delay, longest of a round", unit: "ms" },
    ],
    rounds,
    takesPart: (entry) => isPipe(entry) && entry.side !== "limit",
    request: () => ({ kind: "stream", workload, isTimed: true, watchesLoop: true }),
  });
}

function memoryGrowth(folder: string, { memoryMib: mib }: Sizes): Scenario {
  const pipe = streamed(folder, "lines", { mib });
  const terminal = streamed(folder, "lines", { mib: mib / 8, isTerminal: true });
  return base({
    name: "memory",
    title: "Memory with a blocked consumer",
    about: `${mib} MiB (${mib / 8} MiB on a terminal); the consumer blocks the thread for 1 s at the first piece, for 5 ms at every 32nd.`,
    quantities: [{ key: "grown", title: "growth of the host", unit: "MiB" }],
    rounds: 2,
    isFresh: true,
    takesPart: isNoLimit,
    request: (entry) => ({ kind: "memory", workload: entry.kind === "pty" ? terminal : pipe }),
  });
}

function artifactGrowth(folder: string, { artifactMib: mib }: Sizes): Scenario {
  const workload = streamed(folder, "lines", { mib });
  return base({
    name: "artifact",
    title: `${mib / 1024} GiB through the bash tool`,
    about: "The whole output goes to the artifact on the disk, its end to the model.",
    quantities: [{ key: "grown", title: "growth of the host", unit: "MiB" }],
    rounds: 1,
    isFresh: true,
    takesPart: ({ id }) => id === "ours-tool",
    request: () => ({ kind: "memory", workload }),
    patienceMs: 900_000,
  });
}
