/**
 * The signal of a call, as a host gives it: looked at once, before anything waits for it.
 */
import { isAbortSignal, onAbort } from "@pi-bash/contract/internal/abort";
import { ToolAbortError, ToolError } from "./tool-error.ts";

/** Throws `ToolError` for a signal that could tell no one, and `ToolAbortError` for one that is aborted already. */
export function checkSignal(signal: AbortSignal | undefined): void {
  if (signal === undefined || signal === null) return;
  try {
    if (!isAbortSignal(signal))
      throw new ToolError("The call's signal is not an AbortSignal; give `controller.signal`");
    onAbort(signal, () => undefined)();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError("The call's signal does not accept listeners; give an AbortSignal of this runtime", {
      cause: error,
    });
  }
  if (signal.aborted) throw new ToolAbortError();
}
