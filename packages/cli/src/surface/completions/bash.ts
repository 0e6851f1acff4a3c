/**
 * The completions for bash, 3.2 and newer: a function that looks up in tables made of the commands and options.
 */
import { COMMAND_NAMES, commandEntry } from "../commands.ts";
import type { Completion } from "../options.ts";
import { quoted, wordsOf } from "./words.ts";

/** What `source <(pi-bash completions bash)` reads. */
export function bashCompletions(): string {
  const values = COMMAND_NAMES.flatMap((name) =>
    Object.entries(commandEntry(name).options)
      .filter(([, { type }]) => type === "string")
      .map(([option, { completion }]) => arm(`${name} --${option}`, completion ?? [])),
  );
  const operands = COMMAND_NAMES.map((name) => arm(name, commandEntry(name).operands ?? []));
  const options = COMMAND_NAMES.map((name) =>
    arm(name, [...Object.keys(commandEntry(name).options), "help"].map(dashed)),
  );
  return `# Completions of pi-bash for bash, printed by \`pi-bash completions bash\`.
_pi_bash() {
  local at word raw full value option command
  local -a line=()
  # Bash cuts the line at each \`=\`; here a word is whole again.
  for ((at = 1; at <= COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if ((\${#line[@]} > 1)) && [[ $word == =* || \${COMP_WORDS[at - 1]} == *= ]]; then
      line[\${#line[@]} - 1]+=$word
    else
      line+=("$word")
    fi
  done
  raw=\${COMP_WORDS[COMP_CWORD]}
  [[ $raw == = ]] && raw=
  full=\${line[\${#line[@]} - 1]} value=$full command=\${line[0]}
  COMPREPLY=()
  if ((\${#line[@]} == 1)); then
    _pi_bash_words ${listed(COMMAND_NAMES)}
    return
  fi
  option=\${line[\${#line[@]} - 2]}
  [[ $full == --*=* ]] && option=\${full%%=*} value=\${full#*=}
  case "$command $option" in
${values.join("")}    *)
      [[ $full == --*=* ]] && return
      if [[ $full == -* ]]; then
        case $command in
${nested(options)}        esac
      else
        case $command in
${nested(operands)}        esac
      fi
      ;;
  esac
}
# Offers each line, without the part before the last \`=\`, which bash leaves standing.
_pi_bash_offer() {
  local each before=\${full%"$value"} standing=\${full%"$raw"}
  while IFS= read -r each; do
    each=$before$each
    COMPREPLY+=("\${each#"$standing"}")
  done
}
_pi_bash_words() {
  local IFS=$'\\n'
  _pi_bash_offer < <(compgen -W "$*" -- "$value")
  if [[ \${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
_pi_bash_paths() {
  _pi_bash_offer < <(compgen "$1" -- "$value")
  compopt -o filenames 2>/dev/null
}
complete -F _pi_bash pi-bash
`;
}

function dashed(name: string): string {
  return `--${name}`;
}

/** One line of a \`case\`. */
function arm(pattern: string, completion: Completion): string {
  const known = wordsOf(completion);
  return `    ${quoted(pattern)}) ${known.length === 0 ? ":" : lookUp(known)} ;;\n`;
}

function lookUp(known: ReturnType<typeof wordsOf>): string {
  switch (known) {
    case "file":
      return "_pi_bash_paths -f";
    case "folder":
      return "_pi_bash_paths -d";
    case "program":
      return '_pi_bash_offer < <(compgen -c -- "$value")';
    default:
      return `_pi_bash_words ${listed(known)}`;
  }
}

function listed(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

function nested(arms: readonly string[]): string {
  return arms.map((each) => `      ${each}`).join("");
}
