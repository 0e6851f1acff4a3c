/** Lines that the differential harness found to be called read-only, and their relatives; see `differential/`. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { classify } from "../src/classify.ts";

const PLACE = { cwd: "/proj", workspace: "/proj", home: "/home/me" };
/** What stands between backquotes or in a here-document loses the end of a line behind a backslash, even in quotes. */
const JOINED = "awk 'BEGIN{sys\\\ntem(\"touch x\")}'";

describe("found by the harness", () => {
  it.each([
    `echo \`${JOINED}\``,
    `echo "\`${JOINED}\`"`,
    `cat <(echo \`${JOINED}\`)`,
    `cat <<E\n$(${JOINED})\nE`,
    `cat <<E\n\`${JOINED}\`\nE`,
    `cat <<-E\n\t$(${JOINED})\n\tE`,
    `cat <<E\n"$(${JOINED})"\nE`,
    `cat <<E\n\${x:-$(${JOINED})}\nE`,
    "cat <<E\n$\\\n{E@P}\nE",
    "cat <<E\n${E\\\n@P}\nE",
    "cat <<E\n$\\\n((A))\nE",
    "cat <<E\n${x\\\n:=y}\nE",
  ])("is no line that the parser reads as bash does: %s", (command) => {
    expect(classify(command, PLACE).class).not.toBe("readonly");
  });

  it.each([
    "while read -r JAVA_HOME; do ls; done < f",
    "while IFS= read -r NODE_PATH; do ls; done < f",
    "while read EDITOR x; do ls; done < f",
    "for i in a; do read CC; done < f",
    "xargs -a /proc/1/environ echo",
    "xargs -0a /proc/1/environ echo",
    "xargs --arg-file=/proc/1/environ printf '%s\\n'",
    "nice xargs --arg-file /proc/1/environ ls",
    "cd /proc/1; xargs -0 -a environ echo",
    "du --files0-from=/proc/1/environ",
    "du --files0-from /proc/1/environ",
    "du -X /proc/1/environ .",
    "tree --fromfile /proc/1/environ",
    "tree --infofile /proc/1/environ",
    "while read f; do cat $f; done <<< /proc/1/environ",
    "xargs cat <<< /proc/1/environ",
    "xargs cat <<E\n/proc/1/environ\nE",
    "LANGUAGE=../../../proj/x ls",
    "LC_ALL=/proj/x sort f",
    "LANG=x/../../y ls",
    "TZ=/proj/f date",
    "TZ=:/proj/f date",
    "TERM=./x ls",
    "xxd f -c",
    "xxd f -p",
    "xxd -l 8 f -u",
    "xxd - -E",
    'git diff -U "$x"',
    'git log -p -U "$x"',
    'git show -U "$x" HEAD',
    'git diff-tree -p -U "$x" HEAD',
    "git log --remerge-diff",
    "git log -p --diff-merges=remerge",
    "git show --diff-merges=r HEAD",
    'git log --diff-merges="$x"',
    'git for-each-ref --format "$x"',
    'git for-each-ref --sort "$x"',
  ])("is not read-only: %s", (command) => {
    expect(classify(command, PLACE).class).toBe("not-readonly");
  });

  it.each([
    "cat <<E\nfirst \\\n$(ls) $x\nE",
    "cat <<'E'\n$(awk 'a\\\nb')\nE",
    "echo $(ls \\\n-l)",
    "while read -r line rest; do echo $line; done < f",
    "TZ=Europe/Paris date; TZ=America/Argentina/Buenos_Aires date; TZ=UTC-3 date",
    "LC_ALL=de_DE.UTF-8@euro ls; LANGUAGE=de:en ls",
    "find . -name '*.ts' -print0 | du --files0-from=- -ch",
    "git for-each-ref --sort refname --format '%(refname)'",
    "xargs -a list wc -l",
    'git diff -U5; git log -p --unified=5; git log -n "$n"; git log -S "$x"',
    "xxd -p f; xxd -l 8 -c 4 f; xxd -- f",
    "git log -p --diff-merges=first-parent; git show --diff-merges=cc HEAD; git log --no-diff-merges",
  ])("is read-only still: %s", (command) => {
    expect(classify(command, PLACE)).toMatchObject({ class: "readonly", findings: [] });
  });
});
