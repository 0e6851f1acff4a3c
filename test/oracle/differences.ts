/**
 * Scripts of the corpus that a session answers differently from bash with a file, by id, each with the reason. The page
 * `docs/oracle.md` says more about them. In a bash that is kept there are none; `PI_BASH_SESSION=per-command` runs the
 * corpus over a bash for each command.
 */
import { capabilities } from "@pi-bash/natives";

export const DIFFERENCES: ReadonlyMap<string, string> = new Map(
  capabilities().session === "per-command"
    ? [["commands: set x", "bash repeats the first character of PS4 for every `eval` around the command"]]
    : [],
);
