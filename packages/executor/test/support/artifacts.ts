/**
 * A store of artifacts in a folder of its own.
 */
import { join } from "node:path";
import { scratchFolder } from "../../../../test/support/scratch.ts";
import { ArtifactStore, type ArtifactStoreOptions } from "../../src/artifacts/store.ts";

/** An empty store. */
export function storeIn(options: ArtifactStoreOptions = {}) {
  const folder = join(scratchFolder(), "artifacts");
  return { folder, store: new ArtifactStore({ folder, ...options }) };
}

/** A store with one artifact. */
export async function saved(text: string, options: ArtifactStoreOptions = {}) {
  const { folder, store } = storeIn(options);
  const { id, path } = await store.save("bash", text);
  return { folder, store, id, path };
}
