/** Lines whose danger is seen only where values, outputs and texts are followed, and honest ones beside them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text

/** Blocks. */
export const BLOCKED_FOLLOWED: Readonly<Record<string, readonly string[]>> = {
  "a redirection to what a text or a function is given": [
    'f() { zcat img.gz > "$1"; }; f /dev/sda',
    'f() { > "$1"; }; f /dev/sda',
    'f() { { cat x; } > "$1"; }; f /dev/sda',
    "bash -c 'cat x > $1' _ /dev/sda",
    "X=/dev/sda sh -c '> $X'",
    "while read d; do cat x > $d; done <<< /dev/sda",
    "find /dev/sda -exec sh -c ': > \"$0\"' {} \\;",
    "env -C /dev sh -c 'cat x > sda'",
    ": ${D:=/dev/sda} > $D",
  ],
  "the shell by another name": [
    "$SHELL -c 'rm -rf /usr'",
    "\"$SHELL\" -c 'rm -rf /usr'",
    "${BASH} -c 'rm -rf /usr'",
    "sudo $SHELL -c 'rm -rf /usr'",
    "echo 'rm -rf /usr' | $SHELL",
    "/proc/self/exe -c 'rm -rf /usr'",
    "/proc/$$/exe -c 'rm -rf /usr'",
    "echo 'rm -rf /usr' | /proc/self/exe",
  ],
  "a text that a function prints": [
    'g() { echo rm -rf /usr; }; eval "$(g)"',
    'g() { echo rm -rf /usr; }; bash -c "$(g)"',
    "g() { echo rm -rf /usr; }; $(g)",
    "g() { echo rm -rf /usr; }; source <(g)",
    'g() { echo rm -rf "$1"; }; eval "$(g /usr)"',
    'g() { echo rm -rf /usr; }; h() { g; }; x=$(h); eval "$x"',
  ],
  "items of `xargs`": [
    "xargs -d: rm -rf <<< /usr:/etc",
    "xargs -d ',' rm -rf <<< build,/etc",
    "xargs --delimiter=';' rm -rf <<< '/usr;/etc'",
    "echo build:/usr | xargs -d: rm -rf",
    "sudo xargs -d: rm -rf <<< build:/usr",
    "xargs -d: -I{} sh -c 'rm -rf {}' <<< 'a:/usr'",
    "xargs rm -rf <<< 'build /usr'",
    "echo '-rf /usr' | xargs rm",
    "xargs rm <<< '-rf /usr'",
    "echo '\"/usr\"' | xargs rm -rf",
    "xargs -I{} rm -rf {} <<< \"'/usr'\"",
  ],
  "a callback": ["mapfile -C 'rm -rf' -c 1 <<< /usr", "readarray -tC 'rm -rf /usr #' lines < list"],
};

/** Blocks for some values of what is not known. */
export const UNDECIDED_FOLLOWED: Readonly<Record<string, readonly string[]>> = {
  "an unknown wrapper": [
    '$SUDO sh -c "dd if=x of=/dev/sda"',
    "$SUDO -E rm -rf /usr",
    "$SUDO -u root bash -c 'rm -rf /usr'",
    '"$SUDO" rm -rf /usr',
    "\"${SUDO}\" sh -c 'rm -rf /usr'",
  ],
  "an unknown shell": ["$X -c 'rm -rf /usr'", "\"$X\" -ec 'rm -rf /usr'"],
  "a program by a pattern": [
    "/bin/r? -rf /usr",
    "/bin/b?sh -c 'rm -rf /usr'",
    "/usr/bin/[d]d if=x of=/dev/sda",
    "/bin/r* -rf /usr",
  ],
  "a variable that some program runs": [
    "GIT_PAGER='rm -rf /usr' git log",
    "export PAGER='rm -rf /usr'; man ls",
    "env EDITOR='rm -rf /usr' crontab -e",
    "PROMPT_COMMAND='rm -rf /usr'",
    "PS4='$(rm -rf /usr)'; set -x",
  ],
};

/** Neither. */
export const ORDINARY_FOLLOWED: Readonly<Record<string, readonly string[]>> = {
  "redirections to what is given": [
    'f() { echo x > "$1"; }; f out.txt; f "$LOG"',
    'log() { echo "$*" >> "$LOGFILE"; }; log started',
    "find . -name '*.log' -exec sh -c ': > \"$1\"' _ {} \\;",
    'find . -type f -exec sh -c \'sort "$1" > "$1.sorted"\' _ {} \\;',
    "find /dev -name 'x*' -exec sh -c 'echo \"$1\" > \"/tmp/${1##*/}\"' _ {} \\;",
    'while read -r d; do echo x > "$d.out"; done < list',
    "X=/dev/sda cat x > $X",
    "docker run img sh -c 'cat x > \"$1\"' _ /dev/sda",
    "cd /dev && env -C /tmp sh -c 'cat x > sda'",
  ],
  "programs that a variable holds": [
    'exec "$SHELL" -l',
    "$SHELL script.sh",
    "echo ls | $SHELL",
    "SHELL=/bin/echo; $SHELL -c 'rm -rf /usr'",
    "$GREP -c 'x y' file",
    '"$CLI" shutdown',
    "\"$PYTHON\" -c 'import os; print(os.name)'",
    "$SUDO apt-get install -y curl",
    '"$SUDO" rm -rf build',
    '$SUDO sh -c "echo 1 > /etc/x.conf"',
    '"$DOCKER" run --rm img rm -rf /usr',
    "$CC -c main.c -o main.o",
    "/bin/l? -la /usr",
    "/bin/r? -f build.log",
  ],
  "functions that print": ['g() { echo rm -rf build; }; eval "$(g)"', 'g() { echo "$1"; }; x=$(g /usr); echo "$x"'],
  "items of `xargs`": [
    "xargs -d: rm -rf <<< build:dist",
    "echo 'a,b,c' | xargs -d, rm -rf",
    "xargs -d '\\n' rm -rf <<< $'build\\ndist'",
    "xargs -I{} rm -rf '{}' <<< 'my /usr dir'",
    "echo '\"/ foo\"' | xargs rm -rf",
    "echo '-rf build' | xargs rm",
    "echo '-f a.log' | xargs rm",
    'echo "$PATH" | xargs -d: ls',
  ],
  "a number of lines": [
    "ls -dt releases/* | tail -n +$((keep+1)) | xargs -r rm -rf",
    'ls -dt releases/* | tail -n "$KEEP" | xargs -r rm -rf',
    "ls -t | head -$N | xargs rm -rf",
    "ls -t | head -n -$((n)) | xargs rm -rf",
  ],
  "callbacks and variables": [
    "mapfile -t lines < <(ls)",
    "mapfile -t -C 'echo got' -c 1 lines < list",
    "GIT_PAGER=cat git log",
    "PAGER='less -R' git log",
    "EDITOR='code --wait' git commit",
    "PROMPT_COMMAND='history -a'",
    "PS4='+ $(date) '; set -x",
    "PS1='\\u@\\h:\\w\\$ ' bash",
    "MESSAGE='rm -rf /usr' make",
  ],
};
