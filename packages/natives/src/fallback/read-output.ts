/**
 * Reads the pipe of a bash that `child_process` started, and decides when all that its command wrote is here.
 *
 * The end of the pipe would not do: a background child holds it open. So after the command's exit the pipe is listened to
 * until it was quiet for a moment, and not longer than a bound.
 */
import type { SinkRequest } from "../generated/binding.d.ts";
import type { ChunkListener } from "../shell.ts";
import type { ShellRunOptions } from "../shell-options.ts";
import type { StartedBash } from "./bash-process.ts";
import type { TailWindow } from "./tail-window.ts";

/** How long a pipe has to be quiet after its command ended, for all that the command wrote to be here; milliseconds. */
const QUIET_MS = 50;

/** Longest that a pipe is listened to after its command ended, where a child goes on writing; milliseconds. */
const DRAIN_MS = 1_000;

/** Longest that a promise of a callback is awaited once its command ended, in milliseconds; as in `../bridge.ts`. */
const ENDED_PATIENCE_MS = 5_000;

/** Most that is read ahead of a callback once the command ended: a child that goes on writing must not fill memory. */
const MAX_LEFT_BYTES = 1024 * 1024;

/** Least milliseconds between two updates of a sink, where none is asked for. */
const DEFAULT_THROTTLE_MS = 50;

/** Reads the pipe: into the sink, to the callback (whose promise holds the command back), and to the update listener. */
export function readOutput(
  { child }: StartedBash,
  sink: TailWindow | undefined,
  request: SinkRequest | undefined,
  run: ShellRunOptions,
  onChunk: ChunkListener | undefined,
) {
  const decoder = new TextDecoder();
  const throttleMs = request?.throttleMs ?? DEFAULT_THROTTLE_MS;
  const pipe = child.stdout;
  let lastDataAt = performance.now();
  let lastUpdateAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let isTelling = false;
  let hasEnded = false;
  // What came while the callback was busy: a paused pipe still gives what its stream has read ahead, in small pieces.
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const tell = async () => {
    isTelling = true;
    while (waiting.length > 0) {
      const text = decoder.decode(Buffer.concat(waiting), { stream: true });
      waiting = [];
      waitingBytes = 0;
      try {
        if (text !== "") await onChunk?.(null, text);
      } catch (error) {
        warn(error);
      }
      lastDataAt = performance.now();
    }
    isTelling = false;
    pipe?.resume();
  };
  const onData = (chunk: Buffer) => {
    lastDataAt = performance.now();
    sink?.push(chunk);
    if (sink !== undefined && run.sink?.onUpdate !== undefined && lastDataAt - lastUpdateAt >= throttleMs) {
      lastUpdateAt = lastDataAt;
      const { tail, bytes, lines } = sink.update();
      guarded(() => run.sink?.onUpdate?.(tail, { bytes, lines }));
    }
    if (onChunk === undefined) return;
    waiting.push(chunk);
    waitingBytes += chunk.length;
    // A command that has ended is not to be slowed down: what is left of it is read at once.
    if (!hasEnded || waitingBytes > MAX_LEFT_BYTES) pipe?.pause();
    if (!isTelling) void tell();
  };
  pipe?.on("data", onData);
  pipe?.once("close", () => {
    isClosed = true;
  });
  return {
    drained: async () => {
      const end = performance.now();
      hasEnded = true;
      pipe?.resume();
      const isOver = (now: number) =>
        isTelling
          ? now - end > ENDED_PATIENCE_MS
          : isClosed || now - end > DRAIN_MS || now - Math.max(lastDataAt, end) > QUIET_MS;
      while (!isOver(performance.now())) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    release: () => {
      if (isClosed) return;
      // Still read, so that a background child is neither blocked nor killed by a pipe without a reader.
      pipe?.removeListener("data", onData);
      pipe?.resume();
      if (pipe !== null && "unref" in pipe && typeof pipe.unref === "function") pipe.unref();
    },
  };
}

function guarded(call: () => unknown): void {
  try {
    const returned = call();
    if (returned instanceof Promise) returned.catch(warn);
  } catch (error) {
    warn(error);
  }
}

/** As the native surface has it: what a callback throws is reported, and the run goes on. */
function warn(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  process.emitWarning(`a callback of a run failed: ${text}`, { code: "PI_CALLBACK_FAILED" });
}
