/**
 * The other names of a program, for rules that restrict: `./rm`, `grm` and `rm.exe` are `rm`, `git-push` is `git push`.
 *
 * A rule that allows knows none of them: what it covers is the program that it names.
 */
import type { Word } from "@pi-bash/command";
import { programNameOf } from "@pi-bash/command/internal";

/** GNU's programs that Homebrew, MacPorts and FreeBSD install with a `g` before their names. */
const GNU = new Set(
  "awk b2sum base32 base64 basename cat chcon chgrp chmod chown chroot cksum comm cp csplit cut date dd df dir dirname du echo egrep env expand expr factor false fgrep find fmt fold grep groups head hostid id install join kill link ln locate logname ls make md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste patch pathchk pinky pr printenv printf ptx pwd readlink realpath rm rmdir sed seq sha1sum sha256sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync tac tail tar tee test time timeout touch tr true truncate tsort tty uname unexpand uniq unlink updatedb uptime users vdir wc which who whoami xargs yes".split(
    " ",
  ),
);

/**
 * What a program's word says that runs, each as the words that it stands for; none where the name is known only when it
 * runs. A name is also that of itself.
 */
export function callsOf(program: Word): readonly (readonly [string, ...string[]])[] {
  const name = programNameOf(program);
  if (name === null) return [];
  // On Windows, and below WSL, a program is called with the end of its file's name or without it.
  const bare = name.replace(/\.exe$/i, "");
  const calls: [string, ...string[]][] = [[name]];
  if (bare !== name) calls.push([bare]);
  if (bare.startsWith("g") && GNU.has(bare.slice(1))) calls.push([bare.slice(1)]);
  // Git's own programs, and those that it finds by their name.
  if (/^git-./.test(bare)) calls.push(["git", bare.slice("git-".length)]);
  return calls;
}
