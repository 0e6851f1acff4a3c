/** What the judges of removing, moving and changing modes say, and of which of several targets. */
import { describe, expect, it } from "vitest";
import { classify } from "../../src/classify.ts";
import { PLACE } from "../support/danger-answer.ts";

const OPEN = ": whether this is a hard block cannot be decided";

/** The code and the message of a block, else the message of what cannot be decided. */
function said(line: string): string {
  const { class: kind, findings, undecided } = classify(line, PLACE);
  if (kind === "blocked") return findings.map(({ code, message }) => `${code}: ${message}`).join("; ");
  return undecided.map(({ message }) => message.replace(OPEN, "")).join("; ");
}

const FIND = "remove-system: `find` that removes everything on the root folder `/`";
const MODES = "modes-of-system: change of modes or owners of everything in the root folder `/`";

describe("a removal", () => {
  it.each([
    ["rm -r /opt/x /etc /usr", "remove-system: `rm -r` on the system folder `/etc`"],
    ['rm -r a "$X" /etc', "remove-system: `rm -r` on the system folder `/etc`"],
    ['rm -r "$X" "$Y"', "`rm -r` on `…`, which may be the root folder `/`"],
    ['rm -r /usr/local/go "$X"', "`rm -r` on `/usr/local/go`, below a folder of the system"],
    ["rm -r a /usr/local/go", "`rm -r` on `/usr/local/go`, below a folder of the system"],
    ["rm $X /etc", "`rm` with unknown options on the system folder `/etc`"],
    ['for o in "$A" b; do rm $o /etc; done', "`rm` with unknown options on the system folder `/etc`"],
    ["rimraf a /etc", "remove-system: `rimraf -r` on the system folder `/etc`"],
    ['rimraf "$X"', "`rimraf -r` on `…`, which may be the root folder `/`"],
    ["grm -r /etc", "remove-system: `grm -r` on the system folder `/etc`"],
    ["srm -R /usr", "remove-system: `srm -r` on the system folder `/usr`"],
    ["find /etc | xargs rm -f", "remove-system: `rm -r` on the system folder `/etc`"],
    ["find /usr/local/go | xargs rm", "`rm -r` on `/usr/local/go`, below a folder of the system"],
    ["fd . /etc | xargs rm", "remove-system: `rm -r` on the system folder `/etc`"],
    ["fd . /usr/local/go -x rm", "`fd` that removes everything on `/usr/local/go`, below a folder of the system"],
    ["fd . a /etc -x rm", "remove-system: `fd` that removes everything on the system folder `/etc`"],
    ["fd . /etc -x rm /usr", "remove-system: `fd` that removes everything on the system folder `/etc`"],
    ["rsync --delete a /etc/x", "remove-system: `rsync --delete` on `/etc/x`, which belongs to the system"],
    ["rsync --delete a b /etc", "remove-system: `rsync --delete` on the system folder `/etc`"],
    ["fd . x-x /etc -x rm", "remove-system: `fd` that removes everything on the system folder `/etc`"],
    ["cd /etc; find -delete", "remove-system: `find` that removes everything on the system folder `/etc`"],
    ["rsync --delete a ~", "remove-system: `rsync --delete` on the home directory `/home/me`"],
  ])("by %s says: %s", (line, message) => {
    expect(said(line)).toBe(message);
  });

  it.each(["rm -r", "rm", "rimraf", "rm $X", "rm $X a", "fd", "rsync", "rsync --delete", "ls /etc | xargs rm -r"])(
    "without a target of the system says nothing: %s",
    (line) => {
      expect(said(line)).toBe("");
    },
  );
});

describe("a search that removes", () => {
  it.each([
    ["find / -delete", FIND],
    ["find a / -delete", FIND],
    ["find / a -delete", FIND],
    ["find ~ a -delete", "remove-system: `find` that removes everything on the home directory `/home/me`"],
    ["find /etc/x -delete", "remove-system: `find` that removes everything on `/etc/x`, which belongs to the system"],
    ["find a /usr/local/go -delete", "`find` that removes everything on `/usr/local/go`, below a folder of the system"],
    ['find a "$X" -delete', "`find` that removes everything on `…`, which may be the root folder `/`"],
    ['find "$X" -mtime 1 -delete', "`find` that removes everything on `…`, which may be the root folder `/`"],
    ["find / -mtime 1 -delete", "`find` that removes what is not named from the root folder `/`"],
    ["find a / -empty -delete", "`find` that removes what is not named from the root folder `/`"],
    ["find / -mtime 1 -delete -o -name y -delete", "`find` that removes what is not named from the root folder `/`"],
    ["find / -name x -delete -o -delete", FIND],
    ["find / -mtime 1 -delete -o -delete", FIND],
    ["find / -name x -exec rm {} \\; -o -delete", FIND],
    ["find / -exec rm {} + -exec ls {} +", FIND],
    ["find / -exec ls {} + -exec rm {} +", FIND],
    ["find / -exec ls {} \\; -o -exec rm {} \\;", FIND],
    ["find / -exec env -u x-exec rm {} \\;", FIND],
    ["find / -exec env -u -execx rm {} \\;", FIND],
  ])("%s: %s", (line, message) => {
    expect(said(line)).toBe(message);
  });

  it.each(["shred", "unlink", "rmdir", "trash", "rimraf", "srm", "grm", "truncate -s0", "/bin/rm", "rm -f"])(
    "by any program that removes: %s",
    (program) => {
      expect(said(`find / -exec ${program} {} +`)).toBe(FIND);
    },
  );

  it.each(["sudo", "doas", "env", "timeout", "nice", "xargs", "busybox", "sh", "bash", "dash", "zsh"])(
    "behind %s with options that are not known",
    (wrapper) => {
      expect(said(`find / -exec ${wrapper} --foo rm {} \\;`)).toBe(FIND);
      expect(said(`find / -exec ${wrapper} --foo chmod 1 {} \\;`)).toBe(MODES);
      expect(said(`find / -exec ${wrapper} --foo ls {} \\;`)).toBe("");
    },
  );

  it.each([
    ["'rm $0'", FIND],
    ["'ls;rm $0'", FIND],
    ["'a&&rm $0'", FIND],
    ["'a|rm $0'", FIND],
    ["'(rm $0)'", FIND],
    ["'/bin/rm $0'", FIND],
    ["'shred $0'", FIND],
    ["'unlink $0'", FIND],
    ["'warm $0'", ""],
    ["'rmx $0'", ""],
    ["'ls rm'", ""],
    ["'shredder x'", ""],
  ])("by a text for a shell that is not understood: %s", (text, message) => {
    expect(said(`find / -exec sh --foo ${text} {} \\;`)).toBe(message);
  });

  it.each([
    "find / -name x -delete",
    "find / -exec ls {} +",
    "find / -exec echo rm {} \\;",
    "find / -exec foo rm {} \\;",
    "find / -exec foo 'rm x' {} \\;",
    "find / -exec 'a rm b' {} \\;",
    "find / -exec rmx {} +",
    "find / -exec xrm {} +",
    "find / -exec ls {} \\; -name x -exec rm {} \\;",
    "find / -name x -exec ls {} \\; -exec rm {} \\;",
    "find / -exec ls {} \\; -o -name x -exec rm {} \\;",
    "find / -name x -exec rm {} \\; -o -exec ls {} \\;",
    "find -delete",
    "find a -mtime 1 -delete",
    "find / -print; rm x",
  ])("says nothing of %s", (line) => {
    expect(said(line)).toBe("");
  });
});

describe("a change of modes", () => {
  it.each([
    ["chmod -R 7 /etc", "modes-of-system: recursive change of modes or owners of the system folder `/etc`"],
    ["chmod -R 7 a /usr/bin", "modes-of-system: recursive change of modes or owners of the system folder `/usr/bin`"],
    ["chmod -R 7 /etc/x /usr", "modes-of-system: recursive change of modes or owners of the system folder `/usr`"],
    ['chmod -R "$X" /etc', "modes-of-system: recursive change of modes or owners of the system folder `/etc`"],
    ["chmod -R 7 /etc/x", "recursive change of modes or owners of `/etc/x`, which belongs to the system"],
    [
      "chown -R a:b /usr/local/go",
      "recursive change of modes or owners of `/usr/local/go`, below a folder of the system",
    ],
    ['chmod -R 7 "$X"', "recursive change of modes or owners of the root folder `/`"],
    ['chmod -R "$X" "$Y"', "recursive change of modes or owners of the root folder `/`"],
    ['chmod -R "u$X" "$Y"', "recursive change of modes or owners of the root folder `/`"],
    ["chmod -R /$X a", "recursive change of modes or owners of the system folder `/usr`"],
    ["chattr -R +i /etc/x", "recursive change of modes or owners of `/etc/x`, which belongs to the system"],
    ["find / -exec chmod 1 {} +", MODES],
    ["find / -exec chown a {} +", MODES],
    ["find / -exec chgrp a {} \\;", MODES],
    ["find a / -exec chmod 1 {} +", MODES],
    ["find /etc/x / -exec chmod 1 {} +", MODES],
    ["find / -exec ls {} \\; -exec chmod 1 {} \\;", MODES],
    ["find / -name x -exec ls {} \\; -o -exec chmod 1 {} +", MODES],
  ])("by %s says: %s", (line, message) => {
    expect(said(line)).toBe(message);
  });

  it.each([
    'chmod -R "$X" a',
    'chmod -R "$X"',
    "chmod -R $X",
    "chmod -R 7 a",
    "chmod -R",
    "chmod 7 /etc",
    "find / -name x -exec chmod 1 {} +",
    "find / -mtime 1 -exec chmod 1 {} +",
    "find / -name x -exec chmod 1 {} \\; -o -exec ls {} \\;",
    "find / -exec chmodx 1 {} +",
    "find / -exec xchmod 1 {} +",
    "find / -exec foo chmod 1 {} +",
    "find /opt -exec ls {} + ; chmod 1 /",
    "find a -exec chmod 1 {} +",
  ])("says nothing of %s", (line) => {
    expect(said(line)).toBe("");
  });
});

describe("a move", () => {
  it.each([
    ["mv /etc a", "move-system: `mv` of the system folder `/etc`"],
    ["mv a /etc b", "move-system: `mv` of the system folder `/etc`"],
    ["mv a /usr /etc b", "move-system: `mv` of the system folder `/usr`"],
    ["mv -t a b /etc", "move-system: `mv` of the system folder `/etc`"],
    ["mv / /dev/sda", "move-system: `mv` of the root folder `/`"],
    ["mv a b /dev/sda", "writes-device: `mv` overwrites the device `/dev/sda`"],
    ["mv /dev/sda b", ""],
    ["mv a /dev/sda b", ""],
    ["rsync --delete a /etc b", ""],
    ["mv /etc/x a", ""],
    ["mv /usr/local/go a", ""],
    ["mv a /etc", ""],
    ["mv /etc", ""],
    ["mv", ""],
    ['mv "$X" a', ""],
    ["rsync a /dev/sda", "writes-device: `rsync` overwrites the device `/dev/sda`"],
    ["rsync /dev/sda a", ""],
    ["rsync --delete a /usr/local/go", ""],
    ['rsync --delete a "$X"', ""],
    ["rsync a /etc", ""],
  ])("by %s says: %s", (line, message) => {
    expect(said(line)).toBe(message);
  });
});
