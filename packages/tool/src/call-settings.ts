/**
 * The settings of a call: parsed when the session has others than before, so that interception rules compile once.
 */
import { Settings } from "@pi-bash/contract";
import { checkedValue } from "@pi-bash/contract/internal";
import type { BashToolSession } from "./session.ts";
import { ToolError } from "./tool-error.ts";

/** Gives the session's settings with all defaults. Throws `ToolError` that names what is wrong with which. */
export function settingsReader(session: BashToolSession): () => Settings {
  let source: BashToolSession["settings"];
  let parsed: Settings | undefined;
  return () => {
    if (parsed === undefined || session.settings !== source) {
      parsed = parse(session.settings ?? {});
      source = session.settings;
    }
    return parsed;
  };
}

/** Wrong ones are never taken for the defaults: among them are those that refuse commands. */
function parse(given: unknown): Settings {
  const checked = checkedValue(Settings, given, { whole: "`settings`" });
  if ("value" in checked) return checked.value;
  throw new ToolError(`Wrong settings: ${checked.problem}`, { cause: checked.cause });
}
