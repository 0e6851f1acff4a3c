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
    // Directly in `/home` each name is that of a user, but for one with a dot.
    "find /home -maxdepth 1 -name 'zz*' -exec rm -rf {} +",
    "fd -d 1 zz /home -x rm -rf",
    "fd -d 1 '^\\.zz|^zz' /home -x rm -rf",
    // The name is that of the folder in which the search starts.
    "find /var/log -name log -exec rm -rf {} +",
    // A place between characters has no width.
    "fd '^\\betc\\b$' / -x rm -rf",
    "X=rm; env -S '${X} -rf /'",
    // What may not be computed leaves the variable as it was.
    "x=/; ((y && (x=1))); rm -rf $x",
    "x=/; ((y || (x=1))); rm -rf $x",
    "x=/; ((y ? x=1 : 2)); rm -rf $x",
    "read xy <<< /; rm -rf $xy",
    "echo -n -e 'rm\\x20-rf /' | sh",
    // A shell passes over a NUL in a script and in what a command prints; `printf -v` stops there.
    "printf 'r\\0m -rf /' | bash",
    "bash <(printf 'r\\0m -rf /')",
    "eval \"$(printf 'r\\0m -rf /')\"",
    "printf -v x '/\\0a'; rm -rf $x",
    "printf '%s\\0' / | xargs -0 rm -rf",
    // Opened for both, it is read all the same.
    "bash <> <(echo 'rm -rf /')",
    // Another descriptor leaves the input as it is.
    "echo 'rm -rf /' | bash 3< f",
    "echo 'rm -rf /' | bash 3<> f",
    "bash /dev/fd/3 3< <(echo 'rm -rf /')",
    // A pattern inside a text for a shell is part of the text.
    "sh -c rm\\ -rf\\ /e*",
    "pushd /; popd +1; rm -rf *",
    // What is waited for came before.
    "wait; yes | while read x; do a & done",
    "echo './x & ./x' > x; source x",
    "tar cbf 20 /dev/sda x",
    // Of modes that contradict each other the one that writes counts.
    "tar xzf /dev/sda --create",
    'X=/; mapfile -C "rm -rf $X" x < f',
    "socat - OPEN:/proc/sysrq-trigger,append",
    "rm -rf /mnt/c/Windows",
    // No character has this number: the escape stays.
    "printf '\\U00110000\\nrm -rf /' | sh",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each([
    "/bin/?m -rf /",
    "cat x > /dev/$Y",
    "cat x > /dev/??$Y",
    "rm -rf $(cd x; echo /)",
    "declare -n R=$Y; rm -rf $R",
    // Of two patterns it is not known which folder comes last.
    "for d in /e* /t*; do cd $d; rm -rf *; done",
    // The stack of folders is that of the session.
    "pushd; rm -rf *",
    "pushd /; pushd +1; rm -rf *",
    "fd zz /home -x rm -rf",
    "fd -d 2 zz /home -x rm -rf",
  ])("cannot be decided: %s", (line) => {
    expect(answerOf(line)).toBe("undecided");
  });

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
    "find / -maxdepth 1 -name 'zz*' -exec rm -rf {} +",
    "find /home -name 'zz*' -exec rm -rf {} +",
    "find /home -maxdepth 1 -name '.zz*' -exec rm -rf {} +",
    "fd -d 1 '^\\.zz' /home -x rm -rf",
    "fd -d 1 '\\.zz|\\.yy' /home -x rm -rf",
    "fd '^etc\\.$' / -x rm -rf",
    // A value that is known is read in its place, and nothing else is found.
    "F=-false; find / $F -delete",
    // Without an option `echo` prints escapes as they are.
    "echo 'rm\\x20-rf / #e' | sh",
    // `--` is not the beginning of a long option.
    "X='-- /etc'; zip a.zip $X",
    "zip -a- a.zip /etc",
    "x=/; ((x=1)); rm -rf $x",
    "pushd /; pushd; rm -rf *",
    // Filled in for the placeholder, it is not an option of its own.
    "echo -delete | xargs -I% find / -name %x",
    "yes | while read x; do a & wait; done",
    // What a pipe brings is not read behind a redirection.
    "echo 'rm -rf /' | bash < f",
    "echo 'rm -rf /' | bash 0<> f",
    // A script that is only shown.
    "echo './x & ./x' > x; cat x",
    // The first of the old letters takes the first word.
    "tar cbf /dev/sda x.tar y",
    "socat - OPEN:/dev/null,append",
    "printf -v x 'a\\0/'; rm -rf /tmp/$x",
    // A disk of one's own.
    "rm -rf /mnt/data/windows",
    'X=/; mymapfile -C "rm -rf $X" x < f',
    // Behind a number a value begins no path.
    "rm -rf $#$Y",
    // Numbers name no device.
    "cat x > /dev/$#",
    "cat x > /dev/pts/${#X}",
  ])("is not hard-blocked: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});

describe("an ending that `fd` looks for", () => {
  it("is that of a folder in capitals, too", () => {
    const place = { cwd: "/home/me/Code.D/app", workspace: "/home/me/Code.D/app" };

    expect(answerOf("fd -e d . /home/me -x rm -rf", place)).toBe("blocked");
    expect(answerOf("fd -e o . /home/me -x rm -rf", place)).toBe("neither");
  });
});
