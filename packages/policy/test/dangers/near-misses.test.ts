/** Lines that hold what a hard block looks for in a place where it means something else, beside those where it counts. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

const names = (count: number): string => Array.from({ length: count }, (_, at) => `a${at}`).join(" ");

describe("a line that only looks unusual", () => {
  it.each([
    // References and names in other spellings of the same option.
    "X=/; declare -gn R=X; rm -rf $R",
    "printf -vxy /; rm -rf $xy",
    // Without a value nothing stands there.
    'rm -rf "${X:-}/"',
    "rm -rf ${X-}/",
    // However many lines are handed on, the first may be among them.
    "find / | head -10 | xargs rm -rf",
    "find / | tail -n+12 | xargs rm -rf",
    "fd -F et / -x rm -rf",
    "cp x/sda/ /dev",
    // Every command of a text that a search runs counts, and each block has its own input.
    `find / -exec sh -c 'rm "$0"; ls' {} \\;`,
    "{ bash; } <<< 'rm -rf /'; { cat; } < f",
    // Each `>(…)` gets what is written into it.
    "echo 'rm -rf /' > >(bash); echo a > >(cat)",
    "pkill '(.{1,500}){1,500}'",
    // An argument that is handed on as it came does not end the calls.
    'f() { if [ $1 -lt 2 ]; then echo; else f "${10}" | f "${10}"; fi; }; f 1',
    `bash -c "$(printf '%s ' rm -rf / ${names(200)})"`,
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each(["/bin/?m -rf /", "cat x > /dev/$Y", "rm -rf $(cd x; echo /)", "declare -n R=$Y; rm -rf $R"])(
    "cannot be decided: %s",
    (line) => {
      expect(answerOf(line)).toBe("undecided");
    },
  );

  it.each([
    // A partition by its label is read.
    "dd if=/dev/disk/by-label/of=x",
    // What is printed in front of `>(…)` or behind it does not go into it.
    "echo 'rm -rf /'; echo a > >(bash)",
    "echo a > >(bash); echo 'rm -rf /'",
    "tee >(bash) < f; printf 'rm -rf /'",
    "echo a > >(bash); echo 'rm -rf /' > >(cat)",
    // A pattern for programs of the project.
    "node_modules/bin/r? -rf /",
    // An empty place in `CDPATH` is the folder that the line runs in.
    "CDPATH=:/opt; cd etc && rm -rf *",
    // The host is called so, and no unit.
    "systemctl -H rescue start nginx",
    "diskutil apfsx deleteVolume a",
    "gpart createx ada0",
    "asr restore --source x --target /tmp/a.dmg",
    "sfdisk -l /dev/sda",
    "rsync -n --delete a/ /etc",
    // The signal 0 only asks.
    "pkill -0 -- .",
    "killall -0 -- init",
    "git --work-tree=a checkout -f",
  ])("is not hard-blocked: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
