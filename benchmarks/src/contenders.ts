/** Every contender by its id: what it is called, where it runs, what it can take part in, and how it is loaded. */
import { cReader } from "./adapters/c-reader.ts";
import { bunProgram, hasPeer } from "./adapters/peer-folder.ts";
import type { Contender } from "./contender.ts";

/** A contender before it is loaded. */
export interface Entry {
  readonly id: string;
  /** As it stands in tables. */
  readonly name: string;
  /** What a command's output goes through. */
  readonly kind: "pipe" | "pty";
  /** What hosts it. */
  readonly runtime: "node" | "bun";
  /** Whose it is: ours, a peer's, or the limit of the machine. */
  readonly side: "ours" | "peer" | "limit";
  /** It keeps something alive between two commands. */
  readonly hasSessions: boolean;
  /** The package that has to be installed for it. */
  readonly needs?: string;
  /** It takes part in latencies only: it is made for them, and does nothing else that a runner does. */
  readonly isForLatency?: true;
  /** It takes part in the scenarios of these names and in no other: it is one of ours in two ways. Default: in all that fit. */
  readonly only?: readonly string[];
  /** Its commands run read-only, which not every machine can have. */
  readonly isConfined?: true;
}

/** What a machine has, as far as contenders need it. */
export interface Means {
  /** The compiled reader in C; absent: there is no compiler. */
  readonly reader: string | undefined;
  /** Why no command can run read-only; absent: it can. */
  readonly unconfined: string | undefined;
}

const OH_MY_PI = "@oh-my-pi/pi-natives";

/** The first of each kind is what others are compared with. */
export const ENTRIES: readonly Entry[] = [
  ours("ours-chunks", "pi-bash session, callback", "pipe", true),
  { ...ours("ours-spinning", "pi-bash session, callback, waits 40 µs in the call", "pipe", true), isForLatency: true },
  ours("ours-sink", "pi-bash session, sink", "pipe", true),
  ours("ours-once", "pi-bash one-shot, sink", "pipe", false),
  ours("ours-tool", "pi-bash bash tool, artifact", "pipe", true),
  { ...ours("ours-chunks", "pi-bash session, callback (Bun)", "pipe", true), runtime: "bun" },
  variant("ours-executor", "pi-bash executor", ["mask", "confined"]),
  variant("ours-executor-masked", "pi-bash executor, secrets masked", ["mask"]),
  { ...variant("ours-executor-confined", "pi-bash executor, read-only", ["confined"]), isConfined: true },
  variant("ours-executor-chunks", "pi-bash executor, callback", ["mask-chunks"]),
  variant("ours-executor-chunks-masked", "pi-bash executor, callback, secrets masked", ["mask-chunks"]),
  peer("by-hand", "a bash driven by hand", "pipe", { hasSessions: true, isForLatency: true }),
  peer("child-process", "child_process.spawn", "pipe", {}),
  peer("execa", "execa", "pipe", { needs: "execa" }),
  peer("omp-shell", "oh-my-pi Shell", "pipe", { needs: OH_MY_PI, hasSessions: true }),
  peer("omp-execute", "oh-my-pi executeShell", "pipe", { needs: OH_MY_PI }),
  peer("omp-shell", "oh-my-pi Shell (Bun)", "pipe", { needs: OH_MY_PI, hasSessions: true, runtime: "bun" }),
  limit("c-pipe", "C, read(2) of a pipe", "pipe"),
  ours("ours-pty", "pi-bash PtySession", "pty", false),
  { ...ours("ours-pty-screen", "pi-bash PtySession and a screen", "pty", false), only: ["pty-screen"] },
  { ...ours("ours-pty-task", "pi-bash task on a terminal", "pty", false), only: ["pty-screen"] },
  { ...ours("ours-pty", "pi-bash PtySession (Bun)", "pty", false), runtime: "bun" },
  peer("node-pty", "node-pty", "pty", { needs: "node-pty" }),
  peer("@lydell/node-pty", "@lydell/node-pty", "pty", { needs: "@lydell/node-pty" }),
  peer("zigpty", "zigpty", "pty", { needs: "zigpty" }),
  peer("omp-pty", "oh-my-pi PtySession", "pty", { needs: OH_MY_PI }),
  peer("omp-pty", "oh-my-pi PtySession (Bun)", "pty", { needs: OH_MY_PI, runtime: "bun" }),
  limit("c-pty", "C, read(2) of a terminal", "pty"),
];

/** Why a contender cannot take part; `undefined` when it can. */
export function absenceOf(entry: Entry, { reader, unconfined }: Means): string | undefined {
  if (entry.isConfined === true && unconfined !== undefined) return unconfined;
  if (entry.side === "limit" && reader === undefined) return "no C compiler";
  if (entry.runtime === "bun" && bunProgram() === undefined) return "Bun is not installed (npm run bench:peers)";
  if (entry.needs !== undefined && !hasPeer(entry.needs))
    return `${entry.needs} is not installed (npm run bench:peers)`;
  return undefined;
}

/** Loads a contender's library. What this takes is the cost of its import. */
export async function load(id: string, reader: string | undefined): Promise<Contender> {
  switch (id) {
    case "ours-chunks":
      return (await import("./adapters/ours.ts")).oursWithChunks();
    case "ours-spinning":
      return (await import("./adapters/ours.ts")).oursWithChunks({ spinMicroseconds: 40 });
    case "ours-sink":
      return (await import("./adapters/ours.ts")).oursWithSink();
    case "ours-once":
      return (await import("./adapters/ours.ts")).oursOneShot();
    case "ours-executor":
      return (await import("./adapters/executor.ts")).oursThroughExecutor({});
    case "ours-executor-masked":
      return (await import("./adapters/executor.ts")).oursThroughExecutor({ isMasked: true });
    case "ours-executor-confined":
      return (await import("./adapters/executor.ts")).oursThroughExecutor({ isConfined: true });
    case "ours-executor-chunks":
      return (await import("./adapters/executor.ts")).oursThroughExecutor({ hasChunks: true });
    case "ours-executor-chunks-masked":
      return (await import("./adapters/executor.ts")).oursThroughExecutor({ hasChunks: true, isMasked: true });
    case "ours-tool":
      return (await import("./adapters/tool.ts")).oursThroughTool();
    case "ours-pty":
      return (await import("./adapters/ours.ts")).oursOnTerminal();
    case "ours-pty-screen":
      return (await import("./adapters/ours.ts")).oursOnScreen();
    case "ours-pty-task":
      return (await import("./adapters/executor.ts")).oursAsTerminalTask();
    case "by-hand":
      return (await import("./adapters/pipes.ts")).bashByHand();
    case "child-process":
      return (await import("./adapters/pipes.ts")).childProcess();
    case "execa":
      return (await import("./adapters/pipes.ts")).execaPeer();
    case "omp-shell":
      return (await import("./adapters/oh-my-pi.ts")).ohMyPiShell();
    case "omp-execute":
      return (await import("./adapters/oh-my-pi.ts")).ohMyPiExecute();
    case "omp-pty":
      return (await import("./adapters/oh-my-pi.ts")).ohMyPiTerminal();
    case "c-pipe":
    case "c-pty":
      return cReader(reader ?? "", id === "c-pipe" ? "pipe" : "pty");
    default:
      return (await import("./adapters/terminals.ts")).terminalPeer(id);
  }
}

function ours(id: string, name: string, kind: Entry["kind"], hasSessions: boolean): Entry {
  return { id, name, kind, runtime: "node", side: "ours", hasSessions };
}

function variant(id: string, name: string, only: readonly string[]): Entry {
  return { ...ours(id, name, "pipe", true), only };
}

function peer(
  id: string,
  name: string,
  kind: Entry["kind"],
  more: Partial<Pick<Entry, "needs" | "hasSessions" | "runtime" | "isForLatency">>,
): Entry {
  return { id, name, kind, runtime: "node", side: "peer", hasSessions: false, ...more };
}

function limit(id: string, name: string, kind: Entry["kind"]): Entry {
  return { id, name, kind, runtime: "node", side: "limit", hasSessions: false };
}
