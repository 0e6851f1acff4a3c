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

/** What runs commands here: the addon, or the fallback with the reason why. */
export type Backend =
  /** The addon: sessions keep their state. */
  | { readonly kind: "addon" }
  /** A bash for each command, which keeps nothing for the next. `problem`: why there is no addon, and how to get one. */
  | { readonly kind: "fallback"; readonly problem: string };

/** Which backend there is, without a warning. An addon that fails for any other reason than that there is none is an error. */
export async function findBackend(entries: NativesEntries = PACKAGE): Promise<Backend> {
  const natives = await entries.loadNatives();
  try {
    natives.addonInfo();
    return { kind: "addon" };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "PI_NATIVE_LOAD")) throw error;
    return { kind: "fallback", problem: error.message };
  }
}

/** The addon where it loads, else the fallback. An addon that fails for any other reason is an error. */
export async function usableNatives(entries: NativesEntries = PACKAGE): Promise<NativesPort> {
  const backend = await findBackend(entries);
  if (backend.kind === "addon") return entries.loadNatives();
  if (!hasWarned) process.emitWarning(`commands run without sessions: ${backend.problem}`, { code: "PI_FALLBACK" });
  hasWarned = true;
  return entries.loadFallback();
}
