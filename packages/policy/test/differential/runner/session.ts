/**
 * What a line changed in its session: variables that programs or the shell obey, options, functions, aliases, traps.
 *
 * The loops of people fill variables with plain lower-case names; those and the folder are left out.
 */

/** Changed by every line, or by a `cd`. */
const VOLATILE =
  /^declare (?:-\S+) (?:_|BASH\w*|COMP\w*|DIRSTACK|EPOCH\w+|FUNCNAME|HISTCMD|LINENO|OLDPWD|OPTIND|PIPESTATUS|PWD|RANDOM|REPLY|SECONDS|SHLVL|SRANDOM|PPID|GROUPS|HOLD_line|ONE|TWO)\b/;
/** What a loop or `read` may fill. */
const PLAIN = /^declare -- (?:[a-z_][a-z0-9_]*|[A-Za-z])(?:=|$)/;

let baseline: Set<string> | undefined;

/** The lines of a state that no line of its own accord changes. */
export function stateLines(state: string): string[] {
  return state.split("\n").filter((line) => !VOLATILE.test(line));
}

/** The changed or new lines of the state; the first call sets what later ones are compared with. Variables of the case are `given`. */
export function sessionChanges(state: string, given: readonly string[] = []): string[] {
  const ofCase = new RegExp(`^declare -\\S+ (?:${["=", ...given].join("|")})=`);
  const lines = stateLines(state).filter((line) => !PLAIN.test(line) && !ofCase.test(line));
  if (baseline === undefined) {
    baseline = new Set(lines);
    return [];
  }
  const known = baseline;
  return lines.filter((line) => !known.has(line) && /^(?:declare|alias|trap|shopt|set|enable|0\d+$)/.test(line));
}
