/**
 * Snapshots for hosts that want a function: one a shell and home, kept for the process.
 *
 * An executor has a source of its own; this is for whoever runs shells without one.
 */
import { type SnapshotOptions, type SnapshotOutcome, SnapshotSource } from "./snapshot.ts";

const sources = new Map<string, SnapshotSource>();

/** The snapshot of that shell's rc, made at the first call and written again when its file is gone. Never rejects. */
export function getOrCreateSnapshot(options: SnapshotOptions): Promise<SnapshotOutcome> {
  const key = JSON.stringify([options.shell, options.env["HOME"] ?? null]);
  const source = sources.get(key) ?? new SnapshotSource(options);
  sources.set(key, source);
  return source.restore();
}

/** Removes the files of `getOrCreateSnapshot`. The next call makes new ones. */
export async function disposeSnapshots(): Promise<void> {
  const ended = [...sources.values()];
  sources.clear();
  await Promise.all(ended.map((source) => source.dispose()));
}
