/**
 * The shell text that puts `pi-host` in place and starts it.
 *
 * POSIX `sh`, run by dash, bash and busybox alike. It looks for the file by its SHA-256 in cache folders that only the user
 * can enter, asks for it by the stream where it is missing, checks it, tries that it runs, and becomes it. Its words go to
 * standard output as lines that begin with `PI-HOST` and a nonce, see `wire/preamble.ts`:
 *
 * - `need SYSTEM-MACHINE`: the bytes of that file are read from standard input, as many as it was said to have
 * - `ready`, or `ready unverified` where there is no `sha256sum`: the next byte is `pi-host`'s
 * - `refused machine|folder|space|digest|start …`: it ends
 *
 * A remote shell can be csh or fish: the text stands between single quotes there, and so it has none, no `!` and no newline.
 * Its variables begin with `pb_`: one that the user has exported must reach `pi-host` as it was.
 */

/** A build of `pi-host`. */
export interface HostBuild {
  /** System and machine as `uname -s` and `uname -m` say them, e.g. `Linux-x86_64`. */
  readonly machine: string;
  /** SHA-256, in hexadecimal digits. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

/** What the bootstrap is to start. */
export interface Bootstrap {
  /** Without blanks; marks the bootstrap's lines. */
  readonly nonce: string;
  /** The builds that can be sent. */
  readonly builds: readonly HostBuild[];
  /** Words for `pi-host`, each of letters, digits, `-`, `_`, `.` and `/`. */
  readonly args: readonly string[];
  /** A `pi-host` that is there already. Nothing is put in place then. */
  readonly path?: string | undefined;
}

const SAY = 'pb_say() { printf "\\nPI-HOST %s %s\\n" "$pb_n" "$*"; };';

/** `sh -c THIS pi-host NONCE PATH ARGS…` */
const START_GIVEN = [
  "pb_n=$1; pb_f=$2; shift 2;",
  SAY,
  '[ -x "$pb_f" ] || { pb_say refused start "$pb_f cannot be run"; exit 1; };',
  'pb_say ready; exec "$pb_f" "$@"',
].join(" ");

/** `sh -c THIS pi-host NONCE MACHINE:DIGEST:SIZE… -- ARGS…` */
const PUT_AND_START = [
  "pb_o=$(umask); umask 077; pb_n=$1; shift; pb_t=; pb_h=; pb_z=;",
  SAY,
  "pb_m=$(uname -m); case $pb_m in amd64) pb_m=x86_64 ;; arm64) pb_m=aarch64 ;; esac; pb_m=$(uname -s)-$pb_m;",
  'until [ "$1" = -- ]; do case $1 in "$pb_m":*) pb_z=${1#*:}; pb_h=${pb_z%%:*}; pb_z=${pb_z#*:} ;; esac; shift; done;',
  'shift; [ "$pb_h" ] || { pb_say refused machine "$pb_m"; exit 1; };',
  'pb_a="$*"; pb_u=$(id -u);',
  // `pb_own`: the folder belongs to the user and is not a link. `pb_closed`: other users cannot enter it.
  'pb_own() { set -- $(ls -ldn "$1" 2>/dev/null); case $1 in drwx*) [ "$3" = "$pb_u" ] ;; *) false ;; esac; };',
  'pb_closed() { set -- $(ls -ldn "$1" 2>/dev/null); case $1 in drwx------*) true ;; *) false ;; esac; };',
  // Folders in order; the loop leaves those that are good.
  'set -- "/tmp/pi-bash-$pb_u"; if [ -d "$HOME" ]; then set -- "$HOME/.cache/pi-bash" "$@"; fi;',
  'if [ "$XDG_CACHE_HOME" ]; then set -- "$XDG_CACHE_HOME/pi-bash" "$@"; fi;',
  'if [ "$PI_HOST_CACHE" ]; then set -- "$PI_HOST_CACHE" "$@"; fi;',
  'for pb_c; do shift; case $pb_c in /*) ;; *) pb_t="$pb_t; $pb_c is not absolute"; continue ;; esac;',
  'if [ -L "$pb_c" ]; then pb_t="$pb_t; $pb_c is a link"; continue; fi;',
  'mkdir -p "$pb_c" 2>/dev/null; if [ -d "$pb_c" ]; then :; else pb_t="$pb_t; $pb_c cannot be made"; continue; fi;',
  'if pb_own "$pb_c"; then :; else pb_t="$pb_t; $pb_c belongs to another user"; continue; fi;',
  'pb_closed "$pb_c" || chmod 700 "$pb_c" 2>/dev/null;',
  'if pb_closed "$pb_c"; then set -- "$@" "$pb_c"; else pb_t="$pb_t; $pb_c is open to others"; fi; done;',
  // What is there already is started only if it has these bytes: a full disk leaves a part, and a program of the same user can
  // change the file. Where there is no `sha256sum`, its size has to do, and what it says of itself is compared later.
  "pb_k=; if sha256sum </dev/null >/dev/null 2>&1; then pb_k=1; fi;",
  'pb_sum() { set -- $(sha256sum < "$1"); [ "$1" = "$pb_h" ]; };',
  'pb_good() { [ -x "$1" ] && [ "$(wc -c < "$1")" -eq "$pb_z" ] && { [ -z "$pb_k" ] || pb_sum "$1"; }; };',
  'pb_f=; for pb_c; do if pb_good "$pb_c/pi-host-$pb_h" 2>/dev/null; then pb_f=$pb_c/pi-host-$pb_h; break; fi; done;',
  "pb_v=ready;",
  'if [ -z "$pb_f" ]; then pb_p=.new-$$-$(uname -n); pb_w=;',
  'for pb_c; do if ( : > "$pb_c/$pb_p" ) 2>/dev/null; then pb_w=$pb_c; break; fi;',
  'pb_t="$pb_t; $pb_c cannot be written"; shift; done;',
  '[ "$pb_w" ] || { pb_say refused folder "${pb_t#; }"; exit 1; };',
  'pb_clean() { rm -f "$pb_w/$pb_p"; }; trap pb_clean 0; trap "exit 1" 1 2 13 15;',
  'pb_say need "$pb_m";',
  '{ if printf x | head -c 1 >/dev/null 2>&1; then head -c "$pb_z"; else dd bs=1 count="$pb_z"; fi; } > "$pb_w/$pb_p" 2>/dev/null;',
  '[ "$(wc -c < "$pb_w/$pb_p")" -eq "$pb_z" ] || { pb_say refused space "$pb_w"; exit 1; };',
  'if [ "$pb_k" ]; then pb_sum "$pb_w/$pb_p" || { pb_say refused digest "$pb_w"; exit 1; };',
  'else pb_v="ready unverified"; fi;',
  'for pb_c; do pb_g=$pb_c/$pb_p; if [ "$pb_c" = "$pb_w" ] || cp "$pb_w/$pb_p" "$pb_g" 2>/dev/null; then :;',
  'else pb_t="$pb_t; $pb_c cannot be written"; continue; fi;',
  'chmod 700 "$pb_g"; "$pb_g" --version </dev/null >/dev/null 2>&1; pb_x=$?;',
  'if [ $pb_x = 0 ] && mv -f "$pb_g" "$pb_c/pi-host-$pb_h"; then pb_f=$pb_c/pi-host-$pb_h; break; fi;',
  'case $pb_x in 126) pb_t="$pb_t; $pb_c is mounted noexec" ;; *) pb_t="$pb_t; in $pb_c it ends with status $pb_x" ;; esac;',
  '[ "$pb_c" = "$pb_w" ] || rm -f "$pb_g"; done; pb_clean; trap - 0 1 2 13 15;',
  '[ "$pb_f" ] || { pb_say refused folder "${pb_t#; }"; exit 1; }; fi;',
  'umask "$pb_o"; pb_say $pb_v; exec "$pb_f" $pb_a',
].join(" ");

/** The words that run the bootstrap: a program and its arguments. */
export function bootstrapWords({ nonce, builds, args, path }: Bootstrap): string[] {
  const shell = ["/bin/sh", "-c"];
  if (path !== undefined) return [...shell, START_GIVEN, "pi-host", nonce, path, ...args];
  const offers = builds.map(({ machine, digest, size }) => `${machine}:${digest}:${size}`);
  return [...shell, PUT_AND_START, "pi-host", nonce, ...offers, "--", ...args];
}

/** What sh, csh and fish alike take as it stands. */
const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+$/;

/**
 * Words as one line for the login shell of a remote user, whichever it is.
 *
 * @throws RangeError for a word that has a single quote, `!`, a backslash at its end or a newline: shells differ in those
 */
export function joinWords(words: readonly string[]): string {
  const quoted = words.map((word) => {
    if (PLAIN.test(word)) return word;
    if (/['!\n\r\0]|\\$|\\\\/.test(word))
      throw new RangeError(
        `\`${word}\` cannot be quoted alike for every shell: it has a quote, \`!\`, a newline or a backslash`,
      );
    return `'${word}'`;
  });
  return `exec ${quoted.join(" ")}`;
}
