/**
 * Which backend runs commands: the addon, or what works without it.
 *
 * On a system without a prebuilt addon an agent can still run commands, each in a bash of its own. That this is less
 * (no session state, no supervisor, no terminal) is said once, in a process warning with the code `PI_FALLBACK`.
 */
import type { NativesPort } from "./natives-port.ts";

/** The two entries of `@pi-bash/natives`. */
export interface NativesEntries {
  /** Throws a `NativeLoadError` from `addonInfo` where there is no addon. */
  loadNatives(): Promise<NativesPort & { addonInfo(): unknown }>;
  loadFallback(): Promise<NativesPort>;
}

const PACKAGE: NativesEntries = {
  loadNatives: () => import("@pi-bash/natives"),
  loadFallback: () => import("@pi-bash/natives/fallback"),
};

let hasWarned = false;

/** The addon where it loads, else the fallback. An addon that fails for any other reason is an error. */
export async function usableNatives(entries: NativesEntries = PACKAGE): Promise<NativesPort> {
  const natives = await entries.loadNatives();
  try {
    natives.addonInfo();
    return natives;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "PI_NATIVE_LOAD")) throw error;
    if (!hasWarned) process.emitWarning(`commands run without sessions: ${error.message}`, { code: "PI_FALLBACK" });
    hasWarned = true;
    return entries.loadFallback();
  }
}
