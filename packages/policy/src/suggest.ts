/**
 * Suggests rules for "do not ask again", never broader than a program with its subcommand.
 *
 * An approval given once must not open more than the person saw: interpreters, wrappers and commands with assignments
 * get no suggestion, because any argument of theirs is a program; everything without subcommands gets its exact words.
 */
import type { EffectiveCommand } from "@pi-bash/command";
import { programName } from "@pi-bash/command/internal";

const WITH_SUBCOMMANDS: ReadonlySet<string> = new Set(
  "git npm pnpm yarn cargo go docker podman kubectl gh pip pip3 brew apt apt-get dnf systemctl terraform helm poetry uv dotnet bundle composer make just".split(
    " ",
  ),
);

/** Subcommands that run whatever comes behind them. */
const RUNS_ANYTHING = /^(?:exec|x|dlx|run|shell|sh|start|config|alias|filter-branch|bisect|submodule|rebase)$/;

const NEVER: ReadonlySet<string> = new Set(
  "bash sh dash zsh ksh node deno bun python python3 ruby perl php lua awk gawk sed find xargs env sudo doas ssh eval source . exec npx su timeout nohup nice watch parallel rm dd mkfs kill curl wget".split(
    " ",
  ),
);

/** Rules that would have allowed the given commands, in the notation of `parseRule`; empty where none is safe. */
export function suggestRules(commands: readonly EffectiveCommand[]): string[] {
  const rules = commands.map(suggestRule);
  return rules.includes(undefined) ? [] : [...new Set(rules.flatMap((rule) => rule ?? []))];
}

function suggestRule(command: EffectiveCommand): string | undefined {
  const values = command.argv.map((word) => word.value);
  const program = values[0] ?? null;
  if (program === null || command.via.length > 0 || command.assignments.length > 0) return undefined;
  if (command.unresolved !== undefined || NEVER.has(programName(program))) return undefined;
  const subcommand = values[1];
  const fits = typeof subcommand === "string" && /^[a-z][\w-]*$/.test(subcommand) && !RUNS_ANYTHING.test(subcommand);
  if (WITH_SUBCOMMANDS.has(program) && fits) return `Bash(${program} ${subcommand} **)`;
  if (values.some((value) => value === null || !/^[\w@%+=:,./-]+$/.test(value))) return undefined;
  return `Bash(${values.join(" ")})`;
}
