/** A sink of one run, here or on a place that is made up, and what becomes of it when the run has ended. */
import { type CommandResult, settledResult } from "../../src/command-result.ts";
import type { RunOutput } from "../../src/natives-port.ts";
import type { PlaceFiles } from "../../src/places/place.ts";
import { openRunSink, type RunSinkSource } from "../../src/run-sink.ts";
import { storeIn } from "./artifacts.ts";
import { ended } from "./fake-natives.ts";

export const WINDOW = { maxBytes: 1_000, headBytes: 0, maxLines: 3 } as RunSinkSource["window"];
export const SURVIVOR = { pid: 7, command: "daemon" } as NonNullable<CommandResult["survivors"]>[number];

/** A sink of one run; on a place where `far` says what its file has there. */
export async function sinkOf(more: Partial<RunSinkSource> & { far?: { text: string; isGone?: boolean } } = {}) {
  const { far, ...source } = more;
  const { store, folder } = storeIn();
  const removed: string[] = [];
  const reads: string[] = [];
  const closing: (() => Promise<void>)[] = [];
  const files: PlaceFiles = {
    read: async (name, offset, length) => {
      reads.push(name);
      if (far?.isGone === true) throw new Error("the place is gone");
      const bytes = Buffer.from(far?.text ?? "");
      return { bytes: bytes.subarray(offset, offset + length), size: bytes.length };
    },
    remove: async (name) => void removed.push(name),
    stat: async () => ({ kind: "missing" }),
    put: () => Promise.reject(new Error("it takes no file")),
  };
  const sink = await openRunSink({
    store,
    artifact: undefined,
    window: WINDOW,
    ...(far === undefined ? {} : { place: { name: "far", files } }),
    onSessionClosed: (work) => closing.push(work),
    ...source,
  });
  const finish = (output: Partial<RunOutput> | undefined, change: Partial<CommandResult> = {}) => {
    const raw = ended({ text: "end\n", ...output });
    const result: CommandResult = { ...settledResult(raw, 1_000), ...change };
    return sink.finish(result, output === undefined ? undefined : raw.output);
  };
  return { store, folder, sink, path: sink.spillPath ?? "", reads, removed, closing, finish };
}
