/**
 * Which ports the processes of a shell listen on. A shell of a backend that cannot look has none, and so has one on a place that
 * does not answer.
 */
import type { ProcessInfo } from "@pi-bash/contract";
import type { ListeningPort, ShellPort } from "./natives-port.ts";

/** Looks which ports a command's processes listen on, now. */
export type PortLook = () => Promise<readonly ListeningPort[]>;

/** Time that an answer is good for, in milliseconds: lists are asked for more often than servers start. */
const CACHED_MS = 1_000;
/** What the kernel's clock of starts may be off, in milliseconds: it counts in hundredths of a second. */
const START_SLACK_MS = 50;

/**
 * The look for one command of a shell. In a shell that others use as well, what was started before the command is not its
 * own. A look that fails finds nothing: no result is lost for its ports.
 */
export function portLook(shell: Pick<ShellPort, "listeningPorts">, since: number | undefined): PortLook {
  let last: { atMs: number; found: Promise<readonly ListeningPort[]> } | undefined;
  return () => {
    const now = performance.now();
    if (last !== undefined && now - last.atMs < CACHED_MS) return last.found;
    const found = look(shell).then((ports) => ports.filter((port) => isOfCommand(port, since)));
    last = { atMs: now, found };
    return found;
  };
}

/** Survivors with the ports that they listen on. */
export async function withPorts(shell: ShellPort, survivors: readonly ProcessInfo[]): Promise<readonly ProcessInfo[]> {
  if (survivors.length === 0) return survivors;
  const found = await look(shell);
  if (found.length === 0) return survivors;
  return survivors.map((survivor) => {
    const ports = found.filter(({ pid }) => pid === survivor.pid).map(({ port }) => port);
    return ports.length === 0 ? survivor : { ...survivor, ports: [...new Set(ports)] };
  });
}

async function look(shell: Pick<ShellPort, "listeningPorts">): Promise<readonly ListeningPort[]> {
  try {
    return (await shell.listeningPorts?.()) ?? [];
  } catch {
    return [];
  }
}

function isOfCommand({ startedAtMs }: ListeningPort, since: number | undefined): boolean {
  return since === undefined || startedAtMs >= since - START_SLACK_MS;
}
