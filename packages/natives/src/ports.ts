/**
 * Which TCP ports programs listen on.
 *
 * Looked for on a thread of the pool. Linux only: elsewhere there are none to see. A port that a container publishes belongs
 * to the program that forwards it, and not to the tree that started the container.
 */
import { binding } from "./binding.ts";
import type { ListeningPort as NativePort } from "./generated/binding.d.ts";
import { native, ShellError } from "./shell-error.ts";

/** A TCP port that a program listens on. */
export interface ListeningPort {
  readonly port: number;
  /** Where it is bound, e.g. `127.0.0.1` or `::`. */
  readonly address: string;
  /** The process that has the socket; absent where it is another user's. */
  readonly pid?: number;
  /** Short name of its program. */
  readonly program?: string;
  /** When that process started, in milliseconds since the Unix epoch; 0 where that is not known. */
  readonly startedAtMs: number;
  /** It is in another network namespace, e.g. a sandbox's, and cannot be reached from here. */
  readonly isInside: boolean;
}

/** Most processes of one question: more than a call leaves behind. */
const MAX_ROOTS = 10_000;
const MAX_PID = 2 ** 31 - 1;

/**
 * The ports that these processes and everything below them listen on, by number and address, each once. Takes about
 * 10 to 20 milliseconds for 500 processes. Processes that are gone have none.
 *
 * @throws ShellError when a pid is none
 * @throws NativeLoadError when there is no addon for this platform
 */
export async function listeningPorts(pids: readonly number[]): Promise<ListeningPort[]> {
  if (!Array.isArray(pids) || pids.length > MAX_ROOTS || !pids.every(isPid)) {
    throw new ShellError("PI_INVALID_OPTION", `\`pids\` takes at most ${MAX_ROOTS} numbers of processes, from 1`);
  }
  const found = await native(() => binding().addon.listeningPorts([...pids]));
  return found.map(toPort);
}

/**
 * Who listens on a port of this machine, whoever started it; `null` where nothing does. Looks at all processes, which takes
 * some tens of milliseconds.
 *
 * @throws ShellError when `port` is none
 * @throws NativeLoadError when there is no addon for this platform
 */
export async function portHolder(port: number): Promise<ListeningPort | null> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new ShellError("PI_INVALID_OPTION", "`port` takes a number from 1 to 65535");
  }
  const [found] = await native(() => binding().addon.portHolder(port));
  return found === undefined ? null : toPort(found);
}

function isPid(pid: unknown): boolean {
  return Number.isInteger(pid) && Number(pid) >= 1 && Number(pid) <= MAX_PID;
}

function toPort({ pid, program, ...rest }: NativePort): ListeningPort {
  return {
    ...rest,
    ...(pid === undefined || pid === null ? {} : { pid }),
    ...(program === undefined || program === null ? {} : { program }),
  };
}
