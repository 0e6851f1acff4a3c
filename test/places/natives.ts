/**
 * `@pi-bash/natives` as suites see it in the mode `places`: sessions, one-shots and terminals run on the place that
 * `PI_BASH_TEST_PLACE` names, everything else is the package's own. `vitest.config.ts` puts this file in its place.
 *
 * A spill lies on the place. Suites read it at the path that they gave, so it is brought there when its run has ended; what is
 * written later is not, and such tests are listed in `differences.ts`.
 */
import { randomUUID } from "node:crypto";
import { open } from "node:fs/promises";
import type {
  ChunkListener,
  ShellExecuteOptions,
  ShellOptions,
  ShellRunOptions,
  ShellRunResult,
} from "@pi-bash/natives";
import { afterAll } from "vitest";
import { placeUnderTest } from "./place-under-test.ts";

// biome-ignore lint/performance/noReExportAll: whatever a suite asks for has to be here
// biome-ignore lint/performance/noBarrelFile: it stands in the place of one
export * from "@pi-bash/natives";

const place = placeUnderTest();
afterAll(() => place.close());
const { natives, files } = await place.open();

/** Bytes asked for at once. */
const PIECE_BYTES = 1024 * 1024;

export class Shell extends natives.Shell {
  constructor(options?: ShellOptions) {
    super(options);
  }

  override async run(options: ShellRunOptions, onChunk?: ChunkListener): Promise<ShellRunResult> {
    return withSpill(options, (own) => super.run(own, onChunk));
  }
}

export async function executeShell(options: ShellExecuteOptions, onChunk?: ChunkListener): Promise<ShellRunResult> {
  return withSpill(options, (own) => natives.executeShell(own, onChunk));
}

export const capabilities = natives.capabilities;

if (natives.PtySession === undefined) throw new Error("the place has no pseudoterminals");
export const PtySession = natives.PtySession;

/** Runs with a spill of a name of its own over there, and brings it to the path that was asked for. */
async function withSpill<Options extends ShellRunOptions>(
  options: Options,
  run: (options: Options) => Promise<ShellRunResult>,
): Promise<ShellRunResult> {
  const { sink } = options;
  const path = sink?.spillPath;
  if (sink === undefined || path === undefined) return run(options);
  const name = `${randomUUID()}.log`;
  const result = await run({ ...options, sink: { ...sink, spillPath: `/${name}` } });
  const { spilled, spillError } = result.output ?? {};
  if (spilled === true || spillError !== undefined || sink.spillFromStart === true) await bring(name, path);
  return result;
}

async function bring(name: string, path: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    for (let offset = 0; ; ) {
      const { bytes, size } = await files.read(name, offset, PIECE_BYTES);
      await file.write(bytes);
      offset += bytes.length;
      if (offset >= size) return;
    }
  } finally {
    await file.close();
  }
}
