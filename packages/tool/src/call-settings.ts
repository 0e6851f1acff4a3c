/**
 * The settings of a call: parsed when the session has others than before, so that interception rules compile once.
 */
import { Settings } from "@pi-bash/contract";
import type { BashToolSession } from "./session.ts";

/** Gives the session's settings with all defaults. Throws what the schema throws. */
export function settingsReader(session: BashToolSession): () => Settings {
  let source: BashToolSession["settings"];
  let parsed: Settings | undefined;
  return () => {
    if (parsed === undefined || session.settings !== source) {
      source = session.settings;
      parsed = Settings.parse(source ?? {});
    }
    return parsed;
  };
}
