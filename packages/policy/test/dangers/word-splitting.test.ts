/** Where blanks come from that separate the words of a line: `$IFS`, defaults and parts of values. Nothing is run. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { classify } from "../../src/classify.ts";
import { answerOf, PLACE } from "../support/danger-answer.ts";

describe("a line whose words `$IFS` separates", () => {
  it.each([
    "rm$IFS-rf$IFS/",
    '"rm"${IFS}"-rf"${IFS}"/"',
    "rm$IFS-rf$IFS/*",
    "sudo rm$IFS-rf$IFS/",
    "rm -rf$IFS/",
    "rm${IFS:0:1}-rf${IFS: -1}/",
    "rm${IFS%??}-rf${IFS#??}/",
    "rm${IFS[0]}-rf${IFS[@]}/",
    "reboot$IFS-f",
    "systemctl${IFS}isolate${IFS}reboot.target",
    "kill -9$IFS-1",
    "mkfs.ext4$IFS/dev/sda",
    "dd${IFS}if=x${IFS}of=/dev/sda",
    "cat x >$IFS/dev/sda",
    "bash -c 'rm$IFS-rf$IFS/'",
    "eval rm\\$IFS-rf\\$IFS/",
    "echo 'rm$IFS-rf$IFS/' | sh",
    "X=rm$IFS-rf$IFS/; $X",
    "s=$IFS; rm$s-rf$s/",
    "IFS=$'\\n'; rm$IFS-rf$IFS/",
    "while IFS= read -r f; do rm$IFS-rf$IFS/; done",
    "f() { rm$IFS-rf$IFS$1; }; f /",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each([
    "rm$IFS-rf$IFS./build",
    'rm -rf "$IFS/"x/build',
    "rm'$IFS'-rf /",
    // Empty, it separates nothing, and as a colon it does so with nothing else.
    "IFS=; rm$IFS-rf$IFS/",
    "unset IFS; rm$IFS-rf$IFS/",
    // In quotes the line break in it ends the first command of the text.
    'eval "rm${IFS}-rf${IFS}/"',
    'while IFS= read -r f; do rm -rf "./$f"; done < list',
    'old=$IFS; IFS=:; for d in $PATH; do echo "$d"; done; IFS=$old',
    "IFS=, read -r a b <<< x,y; rm -rf build",
  ])("is not a block: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });

  it.each(["cat${IFS}a", "ls$IFS-l"])("does not only read: %s", (line) => {
    expect(classify(line, PLACE).class).toBe("not-readonly");
  });
});

describe("a line with a default of several words", () => {
  it.each([
    "${x-rm -rf /}",
    "${x-rm -rf /*}",
    '${x:-rm "-rf" /}',
    "${x:-rm -rf ${y:-/}}",
    "${x:-${y:-rm -rf /}}",
    "${x:-$(echo rm) -rf /}",
    "${x:=rm -rf /}",
    "${x+rm -rf /}",
    "rm${x- -rf /}",
    "rm${x:- }-rf${x:- }/",
    "rm ${x:--rf /}",
    "sudo ${x:-rm -rf /}",
    '"${x:-rm}" -rf /',
    'eval "${x:-rm -rf /}"',
    'bash -c "${x:-rm -rf /}"',
    "x=${y:-rm -rf /}; $x",
    ": ${x:=rm -rf /}; $x",
    'set -- ${x:-rm -rf /}; "$@"',
    "for i in ${x:-a /}; do rm -rf $i; done",
    'systemctl "${x:-reboot}"',
    "systemctl ${x:-start reboot.target}",
    "service ${x:-reboot start}",
    "loginctl ${x:-reboot}",
    "zpool ${x:-destroy} tank",
    "kill ${x:--9 -1}",
    "mkfs ${x:--t ext4 /dev/sda}",
    "chmod -R ${m:-777} /usr",
    "rm -rf ${x:-~}",
    "X=/etc; rm -rf ${X:0:1}",
    "X=a/; rm -rf ${X:1}",
    "X=a/b; rm -rf ${X: -2:1}",
    "X=a/b; rm -rf ${X:1:-1}",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each(["rm -rf ${x:-a b}", "rm -rf ${x:0:1}", "rm -rf ${x:-$y}", "X=/; rm -rf ${X:$n}"])(
    "cannot be decided: %s",
    (line) => {
      expect(answerOf(line)).toBe("undecided");
    },
  );

  it.each([
    "${x:-ls -l} *",
    "${CC:-gcc} -o x *.c",
    '"${x:-rm -rf /}"',
    '${x:-"rm -rf /"}',
    "systemctl ${x:-restart nginx}",
    'systemctl "${x:-status}" nginx',
    "systemctl ${x:---user} restart nginx",
    'rm -rf "${TMPDIR:-/tmp}/x"',
    'rm -rf "${OUT:-build}/out"',
    "X=/etc/x; rm -rf .${X:4}",
  ])("is not a block: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});

describe("a line with one of several values", () => {
  it.each([
    "for v in status reboot; do systemctl $v; done",
    "for v in restart start; do systemctl $v reboot.target; done",
    "for v in list destroy; do zpool $v tank; done",
    "v=status; if a; then v=poweroff; fi; systemctl $v",
  ])("is blocked where one of them is: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each([
    "for v in status restart; do systemctl $v nginx; done",
    "for s in reboot nginx; do systemctl status $s; done",
  ])("is not where none is: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});

describe("a line that names arguments by their place from the end", () => {
  it.each([
    "set -- a /; rm -rf ${!#}",
    "set -- a /; rm -rf ${@:$#}",
    'set -- a /; rm -rf "${@: -1}"',
    'set -- a /; rm -rf "${*:$#:1}"',
    'set -- a / b; rm -rf "${@:2}"',
    "set -- a /; x=${!#}; rm -rf $x",
    "f() { rm -rf ${!#}; }; f a /",
    "f() { rm -rf ${!#}; }; f a /; f b c",
    "f() { rm -rf ${@:$#}; }; f a /",
    "bash -c 'rm -rf ${!#}' x a /",
    "set -- a /; bash -c 'rm -rf '${!#}",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each(['set -- / a; rm -rf "${@:2}"', 'set -- a /; rm -rf "${@:$n}"'])("cannot be decided: %s", (line) => {
    expect(answerOf(line)).toBe("undecided");
  });

  it.each([
    "set -- / build; rm -rf ${!#}",
    'f() { rm -rf "${!#}"; }; f -v build',
    'f() { cp "${@:1:$#-1}" "${!#}"; }; f a b c',
  ])("is not a block: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
