/**
 * Which ports the processes of a shell listen on, and who has a port. A shell of a backend that cannot look has none.
 */
import type { ProcessInfo } from "@pi-bash/contract";
import type { ListeningPort, NativesPort, ShellPort } from "./natives-port.ts";

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
export function portLook(natives: NativesPort, shell: ShellPort, since: number | undefined): PortLook {
  let last: { atMs: number; found: Promise<readonly ListeningPort[]> } | undefined;
  return () => {
    const now = performance.now();
    if (last !== undefined && now - last.atMs < CACHED_MS) return last.found;
    const found = look(natives, shell, since).catch(() => []);
    last = { atMs: now, found };
    return found;
  };
}

async function look(
  natives: NativesPort,
  shell: ShellPort,
  since: number | undefined,
): Promise<readonly ListeningPort[]> {
  const root = shell.rootPid;
  if (root === undefined || natives.listeningPorts === undefined) return [];
  const found = await natives.listeningPorts([root]);
  return found.filter(({ startedAtMs }) => since === undefined || startedAtMs >= since - START_SLACK_MS);
}

/** Survivors with the ports that they listen on. */
export async function withPorts(
  natives: NativesPort,
  survivors: readonly ProcessInfo[],
): Promise<readonly ProcessInfo[]> {
  if (survivors.length === 0 || natives.listeningPorts === undefined) return survivors;
  const found = await natives.listeningPorts(survivors.map(({ pid }) => pid)).catch(() => []);
  if (found.length === 0) return survivors;
  return survivors.map((survivor) => {
    const ports = found.filter(({ pid }) => pid === survivor.pid).map(({ port }) => port);
    return ports.length === 0 ? survivor : { ...survivor, ports: [...new Set(ports)] };
  });
}
