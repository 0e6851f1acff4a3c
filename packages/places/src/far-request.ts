/**
 * A command as it crosses a link: the native request, with the spill's name in the place of its path, and with updates as
 * often as the link can have them.
 */
import type { ShellRunOptions } from "@pi-bash/natives";
import { toRunRequest } from "@pi-bash/natives/internal";
import type { Link } from "./link.ts";
import { spillNameOf } from "./remote-files.ts";
import type { FarRequest } from "./remote-run.ts";

/** Least time between two updates over any link: many of a flood's tails would cost it more than all the rest, in milliseconds. */
const LEAST_UPDATE_MS = 100;
/** The same over a link whose round trip takes longer than `FAR_RTT_MS`, in milliseconds. */
const FAR_UPDATE_MS = 500;
const FAR_RTT_MS = 20;

/** The native request as it crosses a link: the spill is a name, and what the minimizer needs stays here. */
export function farRequest(options: ShellRunOptions, wantsChunks: boolean): FarRequest {
  const {
    argv: _,
    minimizer: __,
    spinMicroseconds: ___,
    sink,
    ...rest
  } = toRunRequest(options, undefined, wantsChunks);
  if (sink === undefined) return rest;
  const { spillPath, ...kept } = sink;
  return { ...rest, sink: { ...kept, ...(spillPath === undefined ? {} : { spillName: spillNameOf(spillPath) }) } };
}

/** Updates cost a link more than they do here. */
export function slowDownUpdates(request: FarRequest, { rttMs }: Link): void {
  if (request.sink === undefined || !request.wantsUpdates) return;
  const least = rttMs > FAR_RTT_MS ? FAR_UPDATE_MS : LEAST_UPDATE_MS;
  request.sink.throttleMs = Math.max(request.sink.throttleMs ?? 0, least);
}
