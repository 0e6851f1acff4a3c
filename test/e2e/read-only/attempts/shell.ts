/** Attempts at the session: its state, its descriptors, the socket on which its shells report, and what bash does itself. */
import { type Attempts, OUT, probe, uncertain } from "./attempt.ts";

/** Numbers of descriptors that are sockets: the one on which the shell reports is among them. */
const EACH_SOCKET = 'for fd in /proc/$$/fd/*; do [[ $(readlink "$fd") == socket:* ]] || continue; fd=${fd##*/}';
/** A report as the driver makes one: kind, sequence, number, ending, flags, options, and a text. */
const report = (kind: string, sequence: string, number: string, ending: string, text: string): string =>
  `printf '${kind}\\0\\0\\0${sequence}\\0\\0\\0${number}${ending}\\0\\0\\0\\x7f\\0\\0\\0%044d${text}' 0 >&$fd`;
const EACH_SEQUENCE = (text: string): string =>
  `${EACH_SOCKET}; ${["\\001", "\\002", "\\003", "\\010", "\\100"].map((one) => text.replaceAll("SEQUENCE", one)).join("; ")}; done 2> /dev/null; true`;
const FORGED = "the host does not take it for more than the end of a command, confined or not";

export const SHELL: Attempts = {
  "change a variable": "variable=lost",
  "export a variable": "export PATH=/evil:$PATH",
  "unset a variable": "unset exported",
  "change an array": "array+=(more); map[k]=lost",
  "make a variable read-only": "declare -r variable",
  "set by printf": "printf -v variable lost",
  "set by read": "read -r variable <<< lost",
  "set by a loop": "for exported in lost; do :; done",
  "set by a default": ": ${LD_PRELOAD:=/evil.so}; export LD_PRELOAD",
  "set by a descriptor": "exec {variable}< file",
  "set by a coprocess": "coproc exported { :; }; wait $!",
  "change a function": "kept_function() { echo lost; }",
  "change an alias": "unalias kept_alias; alias ls=rm",
  "change an option": "set -f; shopt -u extglob; set +o pipefail",
  "set a trap": "trap 'echo lost > file' DEBUG",
  "change the umask": "umask 777",
  "lower a limit": "ulimit -S -n 20; ulimit -S -t 100",
  "disable a builtin": "enable -n echo",
  "close descriptors": "exec 7>&- {high}>&-",
  "end the shell": uncertain("a session goes on after it", "exit 3"),
  "replace the shell": "exec true",
  "write by a descriptor of the session": "echo x >&7",
  "write by a descriptor with a name": "echo x >&$high",
  "write by a coprocess of the session": "echo x >&${SERVANT[1]}; sleep 0.1",
  "write by any descriptor": "for fd in {3..300}; do { echo x >&$fd; } 2> /dev/null; done; true",
  "write in a trap at the end": "trap 'echo x > file' EXIT",
  "write in a trap of a signal": "trap 'echo x > file' USR1; kill -USR1 $$",
  "write by a descriptor of its own": "exec {mine}> new; echo x >&$mine",
  "write by a coprocess of its own": "coproc { echo x > file; }; wait $!",
  "write by a process substitution": "echo x > >(cat > file); sleep 0.1",
  "write by another shell in its place": "exec sh -c 'echo x > file'",
  "load an object": uncertain("there is no compiler", 'enable -f "${EVIL:?}" evil 2> /dev/null; [ -e preloaded ]'),
  "preload an object": uncertain("there is no compiler", 'LD_PRELOAD="${EVIL:?}" cat file'),
  "leave a variable for the next program": "export BASH_ENV=$PWD/script; bash -c true",
  "keep a history": "HISTFILE=$PWD/new; set -o history; history -s x; history -w",
  "write garbage to the sockets": uncertain(FORGED, `${EACH_SOCKET}; echo garbage >&$fd; done; true`),
  "forge an end elsewhere": uncertain(
    FORGED,
    EACH_SEQUENCE(report("\\002", "SEQUENCE", "\\0\\0\\0\\0", "\\001", "/nonexistent")),
  ),
  "forge an end in a file": uncertain(
    FORGED,
    EACH_SEQUENCE(report("\\002", "SEQUENCE", "\\0\\0\\0\\0", "\\001", "/etc/passwd")),
  ),
  "forge a copy": uncertain(FORGED, EACH_SEQUENCE(report("\\003", "SEQUENCE", "\\001\\0\\0\\0", "\\0", ""))),
  "forge a greeting": uncertain(FORGED, EACH_SEQUENCE(report("\\001", "SEQUENCE", "\\377\\0\\0\\0", "\\0", "9.9"))),
  "read orders": uncertain(
    FORGED,
    `${EACH_SOCKET}; timeout 0.2 head -c 10 <&$fd | grep -q . && echo ${OUT}; done; true`,
  ),
  "close the sockets": uncertain(FORGED, `${EACH_SOCKET}; exec {fd}>&-; done; true`),
  "reach the folder of the session": probe(
    'd=$(ls -d /dev/shm/pi-bash-* "${XDG_RUNTIME_DIR:-/dev/shm}"/pi-bash-* 2> /dev/null | head -1); : >> "$d/boot"',
  ),
};
