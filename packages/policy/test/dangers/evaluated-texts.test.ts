/** Texts in quotes that bash expands all the same, and those that stay texts. */
import { describe, expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

describe("a text in quotes that bash may expand", () => {
  it.each([
    "let 'a[$(rm -rf /)]'",
    "compgen -C 'rm -rf /'",
    "compgen -aC 'rm -rf /' x",
    "compgen '-Crm -rf /'",
    "for RANDOM in 'a[$(rm -rf /)]'; do :; done",
    "for x in 'a[$(rm -rf /)]'; do (( x )); done",
    "select x in 'a[$(rm -rf /)]'; do (( x )); done",
    "read RANDOM <<< 'a[$(rm -rf /)]'",
    "while read x; do echo $((x)); done <<< 'a[$(rm -rf /)]'",
    "printf -v RANDOM %s 'a[$(rm -rf /)]'",
    "f() { [[ $1 -gt 0 ]]; }; f 'a[$(rm -rf /)]'",
    "f() { local -i x=$1; }; f 'a[`rm -rf /`]'",
    "let 'a[$(rm -rf /)]=1'",
    "builtin let 'a[`rm -rf /`]'",
    "test -v 'a[$(rm -rf /)]'",
    "[ -v 'a[$(rm -rf /)]' ]",
    "[[ -v 'a[$(rm -rf /)]' ]]",
    "[[ 'a[$(rm -rf /)]' -eq 1 ]]",
    "printf -v 'a[$(rm -rf /)]' x",
    "printf '-va[$(rm -rf /)]' x",
    "read 'a[$(rm -rf /)]' <<< x",
    "mapfile 'a[$(rm -rf /)]'",
    "readarray -t 'a[$(rm -rf /)]'",
    "unset 'a[$(rm -rf /)]'",
    "declare 'a[$(rm -rf /)]=1'",
    "f() { local 'a[$(rm -rf /)]=1'; }; f",
    "getopts ab 'a[$(rm -rf /)]'",
    "wait -n -p 'a[$(rm -rf /)]'",
    "compgen -W '$(rm -rf /)'",
    "complete -W '$(rm -rf /)' x",
    "a['b[$(rm -rf /)]']=1",
    "a['b[$(rm -rf /)]']+=1",
    "echo ${a['$(rm -rf /)']}",
    "echo $((a['$(rm -rf /)']))",
    "((a['$(rm -rf /)']))",
    "for ((i='a[$(rm -rf /)]';;)); do break; done",
    "bash -c \"let 'a[\\$(rm -rf /)]'\"",
  ])("asks where it holds a hard block: %s", (line) => {
    expect(answerOf(line)).toBe("undecided");
  });

  it.each([
    "x='a[$(rm -rf /)]'; echo $((x))",
    "x='a[$(rm -rf /)]'; [[ $x -eq 1 ]]",
    "x='$(rm -rf /)'; echo ${x@P}",
    'x="\\$(rm -rf /)"; echo "${x@P}"',
    "export x='a[`mkfs /dev/sda`]'",
    "declare -i x='a[$(rm -rf /)]'",
    "PS4='$(rm -rf /)' bash -x script",
  ])("asks where a variable holds one: %s", (line) => {
    expect(answerOf(line)).toBe("undecided");
  });

  it.each([
    "let 'a[$(date +%s)]=1'",
    "let a=1 b=a+2",
    "[[ -v 'a[$(id -u)]' ]]",
    "x='a[$(nproc)]'; echo $((x))",
    "x='$(rm -rf build)'; echo ${x@P}",
    "PS1='$(git branch) $ '",
    "unset 'a[1]'",
    "read -r 'a[0]' <<< x",
    "a['$x']=1",
  ])("says nothing of one that is harmless: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });

  it.each([
    "echo 'a[$(rm -rf /)]'",
    "printf '%s' 'use $(rm -rf /)'",
    "grep 'x[$(rm -rf /)]' f",
    "git commit -m 'never $(rm -rf /)'",
    "test \"$x\" = '$(rm -rf /)'",
    "awk '{ print $(rm) }' f",
    "[[ $x == '$(rm -rf /)' ]]",
    "case $x in '$(rm -rf /)') ;; esac",
  ])("says nothing of one that stays a text: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
