/** What a search hands to a command that writes there: devices, and everything in a folder of the system. */
import { describe, expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

describe("a line that writes what a search finds", () => {
  it.each([
    "find -- / -delete",
    "find -H -- /etc -delete",
    "find -O3 -L -- /etc -exec rm {} +",
    "find -D exec -- / -delete",
    "find -x / -delete",
    "find -f / -- -delete",
    "find /dev -type b -exec dd if=/dev/zero of={} \\;",
    "find /dev -type b -exec cp x {} \\;",
    "find /dev -name 'sd*' -exec tee {} \\;",
    "find /dev -name sdc -exec wipefs -a {} \\;",
    "find /dev/mapper -exec mkfs.ext4 {} \\;",
    "find /dev/sda -exec sudo tee {} \\;",
    "find /dev -type b -exec sh -c 'for d; do cat x > $d; done' _ {} +",
    "find /dev -type b | xargs -I{} dd if=/dev/zero of={}",
    'find /dev -type b | while read -r d; do cat x > "$d"; done',
    'while read -r d; do dd if=x of="$d"; done < <(find /dev -type b)',
    "cd /dev && find . -type b -exec dd of={} \\;",
    "find / -exec dd if=/dev/zero of={} \\;",
    "find / -type f -exec cp /dev/null {} \\;",
    "find /usr -type f -exec ln -sf /dev/null {} \\;",
    "find /etc -type f -exec sudo tee {} \\;",
    "find / -type f -exec sh -c 'echo > \"$1\"' _ {} \\;",
    "find / -type f -exec sh -c ': > {}' \\;",
    "find / -type f -exec bash -c 'for f in \"$@\"; do echo > $f; done' _ {} +",
    'find / -type f | while read f; do > "$f"; done',
    'find / -type f | while read f; do cp /dev/null "$f"; done',
    "for f in $(find / -type f); do tee $f; done",
    "find / -type f | xargs -I% cp /dev/null %",
    "find / -type f -print0 | xargs -0 tee",
    "find / -type f | xargs -n1 sh -c '> \"$0\"'",
    "find / -type f | xargs -I{} sh -c ': > {}'",
    "cd /; find . -type f -exec cp /dev/null {} \\;",
    "fd . / -x cp /dev/null",
    "fd . / -t f -x sh -c '> \"$1\"' _ {}",
    "fd . /dev -t b -x dd if=/dev/zero of={}",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each(["find /dev -newer x -exec tee {} \\;", "find /dev -mmin -5 -exec dd of={} \\;"])(
    "cannot be decided: %s",
    (line) => {
      expect(answerOf(line)).toBe("undecided");
    },
  );

  it.each([
    "find -- . -name '*.tmp' -delete",
    "find . -type f -exec cp x {} \\;",
    "find /tmp -type f -exec tee {} \\;",
    "find / -name '*.orig' -exec cp x {} \\;",
    "find / -name x.log -exec sh -c 'echo > \"$1\"' _ {} \\;",
    "find /etc/nginx -name '*.conf' -exec cp x {} \\;",
    "find / -type f -exec cp {} /backup \\;",
    "find / -type f | xargs -I{} cp {} /backup",
    'find / -type f | while read f; do echo "$f" > out; done',
    "find / -type d -exec cp a {} \\;",
    'find /srv -type d | while read d; do cp index.html "$d"; done',
    "find /var/log -type f -exec cp /dev/null {} \\;",
    'find /var/log -type f | while read f; do > "$f"; done',
    "find /dev -type b -exec blkid {} \\;",
    "find /dev -name 'sd*' -exec fdisk -l {} \\;",
    "find /dev -name 'tty*' -exec tee {} \\;",
    "find /dev/shm -type f -exec tee {} \\;",
    "find /dev -type b | xargs ls -l",
    'find "$d" -type f -exec cp x {} \\;',
    "for d in / /opt; do cp x $d; done",
    'DEST=/opt; find . -type f | while read f; do cp "$f" "$DEST"; done',
    "for d in /opt /srv; do find . -name '*.so' | while read f; do cp \"$f\" $d; done; done",
    "fd . / -x cp {} /backup",
    "fd -t d . / -x cp x {}",
    "fd -e conf . /etc -x cp x {}",
  ])("is let through: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
