/**
 * Whether commands have sessions here, and the refusal to start without them (`--require-sessions`).
 *
 * Without the native addon each command has a bash of its own. Whoever starts `mcp` or `rpc` for a program cannot see the
 * warning on their own screen, so they can ask for an error instead; the model reads of it in the tool's description.
 */
import { findBackend } from "@pi-bash/executor";

/** Sessions are required, and there are none. */
class NoSessionsError extends Error {
  override readonly name = "NoSessionsError";
  /** Always `PI_NO_SESSIONS`. */
  readonly code = "PI_NO_SESSIONS";
}

/**
 * Whether a command finds what the one before it has set.
 *
 * @throws NoSessionsError where it does not and `isRequired`, with the reason and how to get the addon
 */
export async function keepsState(isRequired: boolean): Promise<boolean> {
  const backend = await findBackend();
  if (backend.kind === "addon") return true;
  if (!isRequired) return false;
  throw new NoSessionsError(
    `\`--require-sessions\`: commands would have a bash each, which keeps nothing for the next: ${backend.problem}\n` +
      "`pi-bash doctor` looks again; without `--require-sessions` commands run all the same",
  );
}
