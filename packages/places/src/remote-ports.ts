/**
 * Which ports programs of a place listen on, as its `pi-host` finds them.
 *
 * It is beside the point of every answer that has it: a place that is away or slow has no ports, and nothing waits for it.
 */
import { waitWithin } from "@pi-bash/contract/internal/wait";
import type { ListeningPort } from "@pi-bash/natives";
import type { Link } from "./link.ts";
import { request } from "./request.ts";
import { checked, PortsAnswer } from "./wire/messages.ts";

/** Longest wait for a look, in milliseconds: several round trips of a slow link. */
const LOOK_MS = 3_000;

/** Looks: at a session by its number over there, or at whoever has a port. Rejects with what the far side says against it. */
export async function remotePorts(
  link: Link,
  of: { readonly session: number } | { readonly port: number },
  place: string,
): Promise<ListeningPort[]> {
  if (link.end !== undefined || link.isQuiet) return [];
  const asked = request(link, "ports", of, { place, isOfConnection: true });
  const waited = await waitWithin(asked, { timeoutMs: LOOK_MS });
  if (waited.kind === "error") throw waited.error;
  if (waited.kind !== "value") return [];
  const { clockMs, ports } = checked(PortsAnswer, "ports", waited.value.ok);
  // Its clock is another one than ours: what counts is how long ago a process was started.
  const aheadMs = clockMs - Date.now();
  return ports.map(({ pid, program, startedAtMs, ...rest }) => ({
    ...rest,
    ...(pid === undefined ? {} : { pid }),
    ...(program === undefined ? {} : { program }),
    startedAtMs: startedAtMs === 0 ? 0 : Math.max(0, startedAtMs - aheadMs),
  }));
}
