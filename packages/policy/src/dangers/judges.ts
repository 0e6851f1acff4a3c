/**
 * The judges of hard blocks, by the program that they judge.
 */
import type { Word } from "@pi-bash/command";
import { programNameOf } from "@pi-bash/command/internal";
import { type DangerJudge, worst } from "./call.ts";
import { CODE_JUDGES } from "./devices/device-code.ts";
import { DISK_JUDGES, isWholeDevice, judgeWholeDevice } from "./devices/disk-programs.ts";
import { WRITER_JUDGES } from "./devices/file-writers.ts";
import { VOLUME_JUDGES } from "./devices/volumes.ts";
import { PROCESS_JUDGES } from "./processes/processes.ts";
import { SHUTDOWN_JUDGES } from "./processes/shutdown.ts";
import { REMOVAL_JUDGES } from "./removal.ts";

const JUDGES = together([
  ...REMOVAL_JUDGES,
  ...WRITER_JUDGES,
  ...DISK_JUDGES,
  ...VOLUME_JUDGES,
  ...CODE_JUDGES,
  ...PROCESS_JUDGES,
  ...SHUTDOWN_JUDGES,
]);

/** A program may have several judges: `find` removes, and writes lists. */
function together(judges: readonly (readonly [string, DangerJudge])[]): ReadonlyMap<string, DangerJudge> {
  const found = new Map<string, DangerJudge>();
  for (const [name, judge] of judges) {
    const other = found.get(name);
    found.set(name, other === undefined ? judge : (call) => worst([other(call), judge(call)]));
  }
  return found;
}

/** The programs that have a judge of their own. */
export const JUDGED: readonly string[] = [...JUDGES.keys()];

/** The judge of a program. */
export function judgeOf(name: string): DangerJudge | undefined {
  return JUDGES.get(name) ?? (isWholeDevice(name) ? judgeWholeDevice : undefined);
}

/** The program that a word names: also that of `"$DIR"/rm`, and of `rm.exe` in a bash on Windows. */
export function nameOf(word: Word): string {
  const name = programNameOf(word) ?? "";
  return JUDGES.has(name) ? name : name.replace(/\.(?:exe|cmd)$/i, "");
}
