/**
 * Scripts of the corpus that a session answers differently from bash with a file, by id, each with the reason. The page
 * `docs/oracle.md` says more about them. Over the bash driver there are none.
 */
import { driverInfo } from "@pi-bash/natives";

export const DIFFERENCES: ReadonlyMap<string, string> = new Map(
  driverInfo().state === "absent"
    ? [["commands: set x", "bash repeats the first character of PS4 for every `eval` around the command"]]
    : [],
);
