/**
 * Whether a command may go to the background by itself once it has used up the time it may block its agent.
 */
import { basename } from "node:path";
import { analyzeCommand } from "@pi-bash/command";
import type { Settings } from "@pi-bash/contract";

/** The settings that decide it. */
export type AutoBackgroundSettings = Pick<
  Settings,
  "task.autoBackground" | "task.blockingBudgetMs" | "task.neverBackground"
>;

/** Time a command stays in the foreground, in milliseconds; infinity: as long as it takes. */
export function blockingBudgetMs(command: string, settings: AutoBackgroundSettings): number {
  const isAllowed = settings["task.autoBackground"] && isAutoBackgroundingAllowed(command, settings);
  return isAllowed ? settings["task.blockingBudgetMs"] : Number.POSITIVE_INFINITY;
}

/**
 * Not where the command begins with a program whose end is what the agent waits for. A command that is not understood
 * may: going on in the background ends nothing.
 */
function isAutoBackgroundingAllowed(command: string, settings: Pick<Settings, "task.neverBackground">): boolean {
  const program = analyzeCommand(command).effective[0]?.argv[0]?.value;
  return typeof program !== "string" || !settings["task.neverBackground"].includes(basename(program));
}
