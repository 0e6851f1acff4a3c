/**
 * What a line changes in its session, however harmless: variables, the folder, what a mode that only looks must keep.
 *
 * A read-only line may set the variable of a loop or go to another folder; in mode `plan` even that is refused, because
 * the next command would meet it. In parentheses the change is over with the line.
 */
import type { CommandAnalysis, EffectiveCommand } from "@pi-bash/command";
import { firstValue } from "@pi-bash/command/internal";
import { assignedNames, lastingConstructs, runsInShell } from "./assigned-names.ts";
import type { Finding } from "./finding.ts";
import { changesShell, taintOf } from "./taint.ts";

const HINT = "put it in parentheses: `( … )`";

/** Builtins that go to another folder or change the list of folders. */
const MOVES = /^(?:cd|pushd|popd|dirs)$/;
/** Builtins that change arguments, jobs or the shell itself. */
const CHANGES = /^(?:shift|disown|exit|logout|return|suspend|bg|fg)$/;

/** The changes that stay when the line is over; empty for a line that leaves its session as it was. */
export function sessionChangesOf(analysis: CommandAnalysis): Finding[] {
  const whole = { start: 0, end: 0 };
  const names = assignedNames(analysis).map(({ name, by, span }) =>
    change(name === undefined ? `${by} sets a variable of the session` : `${by} sets \`${name}\` in the session`, span),
  );
  const builtins = analysis.effective.filter(runsInShell).flatMap(byBuiltin);
  const background = lastingConstructs(analysis).flatMap(({ kind, span }) =>
    kind === "background" ? [change("what runs in the background is a job of the session", span)] : [],
  );
  const found = [...builtins, ...names, ...background];
  const taint = taintOf(analysis);
  return found.length > 0 || taint === undefined ? found : [change(`${taint} changes the session`, whole)];
}

function byBuiltin(command: EffectiveCommand): Finding[] {
  const name = firstValue(command.argv);
  if (name === "dirs")
    return command.argv.length > 1 ? [change("`dirs` changes the list of folders", command.span)] : [];
  if (MOVES.test(name)) return [change(`\`${name}\` changes the folder of the session`, command.span)];
  const changes = CHANGES.test(name) || (changesShell(name) && command.argv.length > 1);
  return changes ? [change(`\`${name}\` changes the session`, command.span)] : [];
}

function change(message: string, span: Finding["span"]): Finding {
  return { code: "session-change", severity: "session", message, hint: HINT, span };
}
