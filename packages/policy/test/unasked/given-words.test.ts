/** Writes below the system's settings whose place a loop, a listing or a wrapper fills in. Nothing is run. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { describe, expect, it } from "vitest";
import { findUnasked } from "../../src/unasked/find-unasked.ts";

const PLACE = { cwd: "/home/u/p", home: "/home/u", workspace: "/home/u/p" };

const kindsIn = (command: string): string[] => findUnasked({ command, ...PLACE }).map(({ code }) => code);

describe("a line whose words are filled in", () => {
  it.each([
    'for f in /etc/*; do echo x > "$f"; done',
    "for f in /etc/*.conf; do sed -i s/a/b/ $f; done",
    'for f in /etc/{hosts,fstab}; do echo x >> "$f"; done',
    'for f in src/* /etc/*.conf; do tee "$f"; done',
    "for f in /etc/x a; do touch $f; done",
    "find /etc -exec sed -ni p {} \\;",
    "for f in $(find /etc -name '*.conf'); do sed -i s/a/b/ $f; done",
    "for f in `ls /etc/*.conf`; do sed -i s/a/b/ $f; done",
    "f=/etc/*.conf; sed -i s/a/b/ $f",
    "find /etc -name '*.conf' | while read f; do sed -i s/a/b/ \"$f\"; done",
    "while read f; do sed -i s/a/b/ \"$f\"; done < <(find /etc -name '*.conf')",
    'ls /etc/*.conf | while read -r f; do cp x "$f"; done',
    "ls -d /etc/x | while read; do rm $REPLY; done",
    "grep -l a /etc/*.conf | while read f; do sed -i s/a/b/ $f; done",
    "find /etc -type f -exec sh -c '> \"$1\"' _ {} \\;",
    "find /etc -name x -exec sh -c '> \"${1}\"' _ {} \\;",
    "find /etc -name x -exec gsed -i s/a/b/ {} \\;",
    "find /etc -name x -exec sh -c 'sed -i s/a/b/ \"$0\"' {} \\;",
    "find /etc -name x -exec bash -c 'for f; do echo x >> \"$f\"; done' _ {} +",
    'find /etc -name x -exec bash -c \'for f in "$@"; do tee "$f"; done\' _ {} +',
    "find /etc -name x -exec sh -c 'echo x > {}' \\;",
    "cd /etc; find . -name x -exec sh -c 'cp a $1' _ {} \\;",
    "d=/etc; find $d -name x -exec sh -c '> \"$1\"' _ {} \\;",
    "ls /etc/* | xargs -I{} cp x {}",
    "ls /etc/* | xargs -I % dd if=x of=%",
    "ls /etc/* | xargs -n1 cp x",
    "ls /etc/* | xargs -n 1 sh -c '> \"$0\"'",
    "ls /etc/* | xargs -I% sh -c 'echo a > %'",
    "sh -c '> \"$1\"' _ /etc/hosts",
    "sudo sh -c '> \"$1\"' _ /etc/hosts",
  ])("asks: %s", (line) => {
    expect(kindsIn(line)).toEqual(["system-write"]);
  });

  it.each([
    'for f in /etc/*.conf; do cat "$f"; done',
    'for f in /etc/*.conf; do cp "$f" backup/; done',
    'for f in /etc/*.conf; do grep x "$f" > out; done',
    "for f in src/*.ts; do sed -i s/a/b/ $f; done",
    'for f in *.md; do echo x > "/tmp/$f"; done',
    "find /etc -name '*.conf' | while read f; do echo \"$f\" >> list; done",
    'ls /etc | while read f; do echo x > "$f"; done',
    'grep x /etc/passwd | while read u; do mkdir "$u"; done',
    "find /etc -name x -exec sh -c 'cp \"$1\" /tmp' _ {} \\;",
    "find /etc -name x -exec gsed -n p {} \\;",
    "find /etc -name x -exec sh -c 'cat \"$1\" > /tmp/x' _ {} \\;",
    "find src -name x -exec sh -c '> \"$1\"' _ {} \\;",
    "ls /etc/* | xargs -I{} cp {} backup",
    "ls /etc/* | xargs cp -t backup",
    "ls /etc/* | xargs -n1 sh -c 'echo \"$0\"'",
    "sh -c 'cat \"$1\"' _ /etc/hosts",
    "sh -c '> \"$1\"' _ out",
    // What stands behind the end of `-exec` is not an argument of it.
    "find . -exec sh -c 'touch \"$@\"' _ {} \\; -newer /etc/x",
  ])("does not ask: %s", (line) => {
    expect(kindsIn(line)).toEqual([]);
  });
});
