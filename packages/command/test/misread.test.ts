/** Texts that the parser takes without an error and bash reads otherwise: they count as not understood. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "../src/index.ts";

const isUnderstood = (text: string): boolean => analyzeCommand(text).ok;

describe("a text that bash reads otherwise than the parser", () => {
  it.each([
    // The parser ends the substitution at a character that means something only outside of it.
    'echo "a${PWD/$(cat a/b; touch x)/}"',
    "echo ${PWD/$(: $(x)/b; touch x)/}",
    "echo ${PWD//`cat a/b; touch x`/}",
    "echo ${PWD/#$(: a/b\ntouch x)/}",
    'echo "x${PWD#<(: {a};touch x)}"',
    '[[ "x${PWD%<(: }; touch x)}" ]]',
    // It knows nothing of the subscript.
    "echo ${u[{$(touch x),a}]}",
    "echo ${#u[{$(touch x),a}]}",
    "echo ${u[$(touch x){a,b}]}",
    // What stands in quotes is expanded once more.
    "a['$(touch x)']=1",
    "a[\\$(touch x)]=1",
    "a=(['$(touch x)']=1)",
    "a=([[a]'$(touch x)']=1)",
    "echo ${PWD['$(touch x)']}",
    "echo ${PWD:0:'$(touch x)'}",
    "echo ${PWD:'`touch x`'}",
    "echo $(( '$(touch x)' ))",
    "echo $((${x:-'$(touch x)'}))",
    '(( a["\\$(touch x)"] ))',
    "for (( i='$(touch x)'; i<0; )); do :; done",
    "for ((;; ${x+$'$(touch x)'})); do :; done",
    "[[ 'a[$(touch x)]' -eq 0 ]]",
    "[[ -v 'a[$(touch x)]' ]]",
    "cat <<E\n${x+'$(touch x)'}\nE",
    // `((` is two subshells where its parentheses do not match as bash counts them.
    "echo $((touch -x + $(case x in (x) :;; esac)))",
    "echo $((touch -x + $(cat <<E\n)\nE\n)))",
    "echo $((touch -x + $(: #)\n)))",
    "(( <(touch x; case x in x) :;; esac) ))",
  ])("is not understood: %s", (text) => {
    expect(isUnderstood(text)).toBe(false);
  });

  it.each([
    'echo "${PWD/$(pwd)/x}" "${x/$(basename "$y")/z}"',
    'echo ${x//\\//_} "${x##*/}" "${x/\'a/b\'/c}" ${x:1:2} ${x: -3} ${x:(-3)}',
    'echo "${a[@]}" ${#a[@]} ${a[$i]} ${a[$((i+1))]} "${!a[@]}" "${a[\'k\']}"',
    "a[$(awk '{print $(NF)}' f)]=x",
    "a=([x]='$(y)' ['b c']=2)",
    "declare -A m=(['k']='v $(x)')",
    "echo $(( $(wc -l < f) + 1 )) $(( (1+2) * 3 )) $((16#ff << 2)) $((x ? (y) : z))",
    "((i += $(nproc))); (( a[1]++ )); for ((i=0; i<$(nproc); i++)); do :; done",
    'echo $(( $(grep -c "#" f) + $(wc -l <<< "$x") ))',
    "[[ $x -eq 1 && -v y && -v 'a[1]' ]]",
    "cat <<E\n\\$(not run) ${x:-'a'} $(date)\nE",
    "cat <(sort a) <(sort b); echo `date`",
  ])("is nothing of the kind: %s", (text) => {
    expect(isUnderstood(text)).toBe(true);
  });
});
