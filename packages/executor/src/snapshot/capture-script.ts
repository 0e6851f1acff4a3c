/**
 * The bash text that loads the user's rc and writes down what it defined.
 *
 * It only records; what is kept and how it is written is decided in `assemble.ts`, where it can be tested without a
 * shell. Fields end with NUL, the one byte no bash value can hold. Everything goes to descriptor 3, a file that only
 * this user can read: an rc may print, close or redirect 0, 1 and 2 as it likes.
 */
import { quote } from "./quote.ts";

/** First field of a record, what follows it, and in which order they come. */
export const RECORDS = {
  /** `version`, text of `BASH_VERSION` */
  version: 1,
  /** `option`, name, `on` or `off`, once before the rc (`before`) and once after (`after`) */
  option: 3,
  /** `shopt`, as `option` */
  shopt: 3,
  /** `export`, name, value, `before` or `after` */
  export: 3,
  /** `function`, name, text of the definition */
  function: 2,
  /** `alias`, name, value */
  alias: 2,
  /** `variable`, name, text of `declare -p` */
  variable: 2,
  /** `end`: the record is complete */
  end: 0,
} as const;

/** Most variables and functions that are written down; an rc with more is not what a person wrote. */
const MAX_ITEMS = 10_000;

/**
 * The script. `rcPath` is sourced with nothing to read and nowhere to print; `recordPath` gets the record.
 *
 * The names of the script's own functions and variables begin with `__pi_`, so that they can be left out. After the rc,
 * aliases are off and functions that hide the words used here are gone; nothing forks, because an rc with completions
 * has hundreds of functions.
 */
export function captureScript(rcPath: string, recordPath: string): string {
  return `
umask 077
__pi_record=${quote(recordPath)}
__pi_options() {
  builtin local __pi_name __pi_state
  while builtin read -r __pi_name __pi_state; do
    builtin printf 'option\\0%s\\0%s\\0%s\\0' "$__pi_name" "$__pi_state" "$1"
  done < <(builtin shopt -o 2>/dev/null)
  while builtin read -r __pi_name __pi_state; do
    builtin printf 'shopt\\0%s\\0%s\\0%s\\0' "$__pi_name" "$__pi_state" "$1"
  done < <(builtin shopt 2>/dev/null)
}
__pi_exports() {
  builtin local __pi_name
  while builtin read -r __pi_name; do
    builtin printf 'export\\0%s\\0%s\\0%s\\0' "$__pi_name" "\${!__pi_name}" "$1"
  done < <(builtin compgen -e)
}
__pi_definitions() {
  builtin local __pi_name __pi_count=0
  while builtin read -r __pi_name; do
    (( ++__pi_count > ${MAX_ITEMS} )) && break
    builtin printf 'function\\0%s\\0' "$__pi_name"
    builtin declare -f -- "$__pi_name"
    builtin printf '\\0'
  done < <(builtin compgen -A function)
  for __pi_name in "\${!BASH_ALIASES[@]}"; do
    builtin printf 'alias\\0%s\\0%s\\0' "$__pi_name" "\${BASH_ALIASES[$__pi_name]}"
  done
  __pi_count=0
  while builtin read -r __pi_name; do
    (( ++__pi_count > ${MAX_ITEMS} )) && break
    builtin printf 'variable\\0%s\\0' "$__pi_name"
    builtin declare -p -- "$__pi_name" 2>/dev/null
    builtin printf '\\0'
  done < <(builtin compgen -v)
}
exec 3>|"$__pi_record" || builtin exit 9
{ builtin printf 'version\\0%s\\0' "$BASH_VERSION"; __pi_options before; __pi_exports before; } >&3
builtin . ${quote(rcPath)} </dev/null >/dev/null 2>&1 3>&-
\\unset -f builtin unset shopt set umask 2>/dev/null
\\builtin shopt -u expand_aliases
builtin set +euxvf 2>/dev/null
IFS=$' \\t\\n'
umask 077
{ __pi_options after; __pi_exports after; __pi_definitions; builtin printf 'end\\0'; } 2>/dev/null >&3
`;
}
